"""Checks whether Kaggle would accept a file, by playing it in a sandbox."""
