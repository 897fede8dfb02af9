"""Trained policies: their files, their network in plain numpy, the agent that plays them."""
