"""Reviews of games that were played: what each move was worth, and where a result was lost."""
