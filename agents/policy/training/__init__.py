"""Training: everything that `connectx train` runs around a learner, and labelled positions."""
