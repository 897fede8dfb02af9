"""Parallel search: one search, shared by the workers of any executor."""
