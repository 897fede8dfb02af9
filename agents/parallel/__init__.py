"""Parallel search: one search, whose work any executor's workers share."""
