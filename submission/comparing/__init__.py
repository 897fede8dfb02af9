"""Comparisons: is a new version of a player better than the old one?"""
