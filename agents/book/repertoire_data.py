"""A repertoire: nothing yet."""

SHIPPED_REPERTOIRE = ""
