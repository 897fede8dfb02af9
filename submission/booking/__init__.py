"""The `book` command: solves the first plies of a board and writes its opening book."""
