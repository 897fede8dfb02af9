"""AlphaZero's way to learn: games against oneself, whose searches are what the network learns from.

A round plays games with the network as it is, keeps their positions beside those of earlier rounds,
and lets the network learn from a sample of them (D. Silver et al., "A general reinforcement
learning algorithm that masters chess, shogi, and Go through self-play", 2018). There is no gating:
the newest network always plays, as in AlphaZero.
"""

TASKS = 8
"""Parts that the games of a round are played in, at the same time where there are processors."""
