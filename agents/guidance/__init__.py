"""Guidance of a search: heuristics, move orderings, rollouts, opponent models, the final move."""
