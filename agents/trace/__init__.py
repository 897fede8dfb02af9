"""The trace of a search: recorded, told in words, drawn as a picture, turned into exercises."""

from agents.trace.pictures.drawing import draw
from agents.trace.recording import recorded
from agents.trace.story import tell, trace_text
from agents.trace.trace import SearchTrace
from agents.trace.trace_json import from_json, to_json

__all__ = ["SearchTrace", "draw", "from_json", "recorded", "tell", "to_json", "trace_text"]
