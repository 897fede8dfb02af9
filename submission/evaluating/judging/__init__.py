"""What games say about strength: pairs, intervals, the sequential test."""
