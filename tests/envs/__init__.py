"""Tests of the games and their environments."""
