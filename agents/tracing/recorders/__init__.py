"""How a search tells a trace what it does: recorders, and the searches that call them."""
