"""Attacks on the whole project from outside; `make attack` runs them."""
