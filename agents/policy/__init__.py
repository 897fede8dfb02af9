"""Trained policies: the network, the agent that plays it, and training by self-play."""
