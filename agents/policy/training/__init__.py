"""Training: all that `connectx train` runs around a learner, and solved positions to learn from."""
