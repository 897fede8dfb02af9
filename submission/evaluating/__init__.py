"""Matches, and what they say."""
