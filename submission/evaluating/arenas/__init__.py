"""One game: who sits at the board, and who holds it."""
