"""The hard positions: of the kind that they claim, new, rightly scored, and read as written."""

from pathlib import Path
from random import Random

from agents import RandomAgent
from agents.book.opening_book import shipped_book_of
from agents.solver.solver import Solver
from benchmarks.solver.make_positions import mirror_free_identity
from benchmarks.strength.hard_positions import (
    HARD_POSITIONS,
    PER_PLY,
    PLIES,
    exact_scores,
    kept_results,
    make_hard_positions,
    read_hard_positions,
    write_hard_positions,
)
from submission.grading.solved_positions import GAME, two_plies_decide
from tests.helpers.bitbully_judge import Judge

positions = read_hard_positions(HARD_POSITIONS)


def test_the_set_is_what_it_claims_to_be() -> None:
    assert [position.ply for position in positions] == [n for n in PLIES for _ in range(PER_PLY)]
    assert len({mirror_free_identity(position.moves) for position in positions}) == len(positions)
    for position in positions:
        assert len(set(position.keeping)) < len(position.legal)
        assert not two_plies_decide(position.state)


def test_its_scores_are_bitbullys() -> None:
    judge = Judge()
    for position in positions[::PER_PLY]:
        assert judge.scores(position.moves) == position.legal


def test_the_same_seed_makes_the_same_positions() -> None:
    made = make_hard_positions(seed=1)
    assert [next(made) for _ in range(PER_PLY)] == positions[:PER_PLY]


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "positions.txt"
    write_hard_positions(path, positions)
    assert path.read_bytes() == HARD_POSITIONS.read_bytes()


def test_late_scores_are_the_solvers() -> None:
    solver = Solver(GAME, book=shipped_book_of(GAME))
    for position in Random(1).sample([p for p in positions if p.ply > 20], 5):
        assert exact_scores(solver, position.state) == position.legal


def test_random_moves_keep_what_chance_keeps() -> None:
    """Within four standard deviations of the expected number, one run in 15 000 outside."""
    shares = [len(position.keeping) / len(position.legal) for position in positions]
    kept = sum(answer for (answer,) in kept_results([RandomAgent(seed=1)], positions))
    deviation = sum(share * (1 - share) for share in shares) ** 0.5
    assert abs(kept - sum(shares)) < 4 * deviation
