"""Benchmarks of searches beside their peers, and of the time to compile them."""
