"""Helpers shared by tests: oracles, small games, the command line."""
