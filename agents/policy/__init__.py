"""Agents that play a network's preferred moves, the search that it guides, and its training."""
