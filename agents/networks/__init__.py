"""Networks that value positions and moves of board games, and the weights of the package."""
