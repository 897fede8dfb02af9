"""The games for reinforcement learning: Gymnasium's and PettingZoo's interfaces to the rules."""

import os

IMPORTED_BY = os.getpid()
"""The id of the process that has imported `envs`; a process forked from it has another."""
