"""The ways to train a network: from zero by AlphaZero or by TD(lambda), or from the solver."""
