"""Environments beside their peers: one at a time, and in batches."""
