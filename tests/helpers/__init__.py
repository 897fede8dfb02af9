"""Shared by tests: oracles, small games, the command line."""
