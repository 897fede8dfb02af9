"""Streams of random numbers, the same in compiled code and in plain Python.

A stream is a whole number below 2^62; the caller keeps its new value after each draw. The generator
is a multiply-with-carry by G. Marsaglia (the one in his KISS of 1999) with a period of about 2^60.
Its products stay below 2^63: in compiled code none may be larger, even if a mask follows, because
the optimiser assumes that products do not overflow.
"""

from collections.abc import Container

from envs.compiled.jit import inlined

MULTIPLIER = 698769069
DRAWN_BITS = 32  # bits of a random number: the lower ones of a stream; the upper ones are the carry
DRAWN_MASK = (1 << DRAWN_BITS) - 1
STREAMS = (MULTIPLIER << DRAWN_BITS) - 2  # number of streams: they are 1, 2 … STREAMS
WORD_MASK = (1 << 64) - 1


@inlined
def next_stream(stream: int) -> int:
    """Advance a random stream by one number: multiply the lower bits, and add the carry."""
    return (stream & DRAWN_MASK) * MULTIPLIER + (stream >> DRAWN_BITS)


@inlined
def drawn_index(stream: int, count: int) -> int:
    """Return the stream's current random number, scaled to 0, 1 … `count` - 1."""
    return ((stream & DRAWN_MASK) * count) >> DRAWN_BITS


def random_action(legal: Container[int], actions: int, stream: int) -> tuple[int, int]:
    """Draw a legal action, all equally likely: draw numbers below `actions` until one is legal.

    Returns:
        The action, and the stream where it stopped.
    """
    while True:
        stream = next_stream(stream)
        action = drawn_index(stream, actions)
        if action in legal:
            return action, stream


def stream_of_seed(seed: int) -> int:
    """Return the stream of a seed of at least 0; neighbouring seeds have unrelated streams.

    The bits are mixed as by S. Vigna's splitmix64.
    """
    mixed = (seed + 1) * 0x9E3779B97F4A7C15 & WORD_MASK
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9 & WORD_MASK
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB & WORD_MASK
    return 1 + (mixed ^ (mixed >> 31)) % STREAMS
