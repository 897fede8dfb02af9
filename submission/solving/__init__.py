"""The `solve` command: positions in, exact scores out."""
