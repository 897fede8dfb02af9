"""The opening book and the repertoire: their content, format, look-up and computation."""
