"""Benchmarks of the strength of agents."""
