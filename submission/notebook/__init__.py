"""A board to play on in a notebook."""
