"""Matches: the games of players are scheduled, played, kept, counted and tested."""
