"""Reviews of games already played: the value of each move, and where a result was lost."""
