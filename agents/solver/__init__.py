"""Exact play: scores of positions, the moves that keep them, and how they are told."""
