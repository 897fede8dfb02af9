"""Searches whose work is done by the workers of an executor."""
