"""The opening book: what it holds, how it is encoded, computed and shipped."""
