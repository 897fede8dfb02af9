"""The games as environments of Gymnasium and PettingZoo, for reinforcement learning."""

import os

IMPORTED_BY = os.getpid()
"""The id of the process that imported `envs`, which is not that of a process forked later."""
