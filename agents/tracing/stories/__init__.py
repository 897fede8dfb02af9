"""A trace in words: the walk of the search, and the questions that a teacher asks of it."""
