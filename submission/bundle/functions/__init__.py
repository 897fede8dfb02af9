"""A file from a Python function: its source, its values, and a test that it plays the same."""
