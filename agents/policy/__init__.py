"""Policies: the network, the agents that play it, the search that it guides, and its training."""
