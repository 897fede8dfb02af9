"""The opening book and the repertoire: content, format and look-up."""
