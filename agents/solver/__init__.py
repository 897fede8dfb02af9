"""The solver: exact scores of positions, in words and as best moves."""
