"""The games for reinforcement learning: Gymnasium's and PettingZoo's interfaces to the rules."""

import os

IMPORTED_BY = os.getpid()
"""The process that has imported `envs`: one that is forked from it has another number."""
