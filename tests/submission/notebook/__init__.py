"""The notebook: results that show themselves, the board, the examples."""
