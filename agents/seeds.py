"""Where the agents' random numbers come from."""

import random


def make_rng(seed: int | None) -> random.Random:
    """A generator of its own, so that no agent disturbs another.

    Args:
        seed: None draws the seed from Python's global generator; so `random.seed` makes a whole
            match of unseeded agents repeat.
    """
    return random.Random(random.getrandbits(64) if seed is None else seed)
