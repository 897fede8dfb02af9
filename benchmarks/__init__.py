"""The searches timed beside peers from PyPI and beside published figures: `make bench`."""
