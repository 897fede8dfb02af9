"""A file from a Python function: what its author wrote of it, and proof that it plays the same."""
