"""Matches on Kaggle's environment, and what they say."""
