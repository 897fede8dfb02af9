"""Agents that play what a network prefers, the search that it guides, and its training."""
