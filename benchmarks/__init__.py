"""Benchmarks of strength and speed, beside peers from PyPI and published figures: `make bench`."""
