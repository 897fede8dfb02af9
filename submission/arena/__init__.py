"""Games: their players, seats and referees, and the records of their results."""
