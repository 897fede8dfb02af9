"""Reviews of games already played: the score of each move, and where a result was given away."""
