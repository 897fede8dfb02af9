"""What a search visited and left out: its trace, its picture, its story."""

from agents.trace.pictures.drawing import draw
from agents.trace.pictures.text_tree import trace_text
from agents.trace.recording import recorded
from agents.trace.story import tell
from agents.trace.trace import SearchTrace
from agents.trace.trace_json import from_json, to_json

__all__ = ["SearchTrace", "draw", "from_json", "recorded", "tell", "to_json", "trace_text"]
