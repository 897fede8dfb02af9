"""Referees: Kaggle's environment, OpenSpiel's and our own hold games between seats."""
