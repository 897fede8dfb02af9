"""Benchmarks of environments beside their peers, one at a time and in batches."""
