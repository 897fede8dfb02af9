"""Training: all that `connectx train` runs around a learner."""
