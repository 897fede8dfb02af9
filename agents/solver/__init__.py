"""Exact play: scores of positions, how they are told, and the agent that plays by them."""
