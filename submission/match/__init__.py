"""Matches: players meet under a referee, and the games are kept, counted and tested."""
