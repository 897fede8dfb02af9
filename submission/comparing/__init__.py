"""Comparisons: whether a new version of a player is better than the old one."""
