"""The streams of `envs.random_stream` as compiled code draws them."""

from envs.jit import inlined
from envs.random_stream import drawn_index, next_stream

following = inlined(next_stream)
drawn = inlined(drawn_index)
