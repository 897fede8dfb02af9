"""The package's own solved positions, read once."""

from submission.grading.solved_positions import SHIPPED_POSITIONS, read_position_set

SHIPPED = read_position_set(SHIPPED_POSITIONS)
