"""Training: all that `connectx train` runs around a learner, and the learners."""
