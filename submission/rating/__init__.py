"""Ladders: players rated from a round robin."""
