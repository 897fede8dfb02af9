"""The trace of a search: its recording, text, picture and exercises."""

from agents.reporting.display import shows_itself
from agents.trace.pictures.drawing import draw
from agents.trace.recording import recorded
from agents.trace.story import tell, trace_text
from agents.trace.trace import SearchTrace
from agents.trace.trace_json import from_json, to_json
from envs.svg import in_page

__all__ = ["SearchTrace", "draw", "from_json", "recorded", "tell", "to_json", "trace_text"]


def _text(trace: SearchTrace) -> str:
    return trace_text(trace) if trace.steps else "no search is recorded yet"


def _html(trace: SearchTrace) -> str:
    if not trace.steps:
        return f"<p>{_text(trace)}</p>"
    return in_page(draw(trace), trace_text(trace).partition("\n")[0])


# Set here, because the modules for pictures and words import that of the trace.
SearchTrace.__str__ = _text  # type: ignore[assignment, method-assign]
shows_itself(SearchTrace, _html)
