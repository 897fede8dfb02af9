"""Exact scores: the solver of ConnectX, and a plain one for games as small as tic-tac-toe."""
