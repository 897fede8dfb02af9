"""Records which cells of a notebook raise; `import connectx` loads only this at first."""

import re
import sys
from traceback import walk_tb
from typing import Any

AT_TOP_LEVEL = re.compile("<module>|<cell line")  # names of the code of a module and of a cell

RAISED: dict[int, int] = {}
"""The line at which a cell raised, by the cell's number in IPython's history."""


def note(result: Any) -> None:
    """Record how a cell ended; IPython calls this with the cell's result."""
    RAISED.pop(result.execution_count, None)
    trace = getattr(result.error_in_exec, "__traceback__", None)
    lines = [
        (line, frame.f_globals)
        for frame, line in walk_tb(trace)
        if AT_TOP_LEVEL.match(frame.f_code.co_name)
    ]
    if lines and result.execution_count is not None:
        # the body of a cell with %%time runs below the call of the magic
        own = [line for line, namespace in lines if namespace is lines[0][1]]
        RAISED[result.execution_count] = own[-1]


if shell := getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)():
    shell.events.register("post_run_cell", note)
