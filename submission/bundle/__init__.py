"""Bundles an agent or a function into one self-contained file."""
