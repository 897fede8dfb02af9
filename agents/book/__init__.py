"""The opening book and the repertoire: their content, format and look-up."""
