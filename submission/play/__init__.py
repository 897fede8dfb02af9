"""A person plays an agent in the terminal."""
