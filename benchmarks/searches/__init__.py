"""The searches beside their peers, and the time until they are compiled."""
