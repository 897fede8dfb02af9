"""What a search visited and left out: its trace, its picture, its story."""

from agents.tracing.pictures.drawing import draw
from agents.tracing.pictures.text import trace_text
from agents.tracing.recording import recorded
from agents.tracing.stories.story import tell
from agents.tracing.trace import SearchTrace
from agents.tracing.trace_json import from_json, to_json

__all__ = ["SearchTrace", "draw", "from_json", "recorded", "tell", "to_json", "trace_text"]
