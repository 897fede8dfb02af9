"""Builds a file from a Python function: source, values, and a test that both play the same."""
