"""The ways to train a network: from zero by AlphaZero, or from the solver."""
