"""How well a player plays positions whose scores are known, and the positions."""
