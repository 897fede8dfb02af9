"""What is shown of standard error: the submission's words, and nothing of Kaggle's or of ours."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from submission.checking.check_result import last_words
from tests.helpers.checks import FIRST_FREE, check_pair, first_fault, text_of

SAYING = f"""
import sys, traceback
def deeper(step, depth=30):
    if depth:
        deeper(step, depth - 1)
    elif step > 3:
        {{fails}}
def agent(obs, conf):
    print("at step", obs.step, file=sys.stderr)
    deeper(obs.step)
    return {FIRST_FREE}
"""

ENDS = {
    "exception": "raise KeyError('boom')",
    "long exception": "raise KeyError('boom ' * 400)",
    "chained exception": "raise OSError('no') from KeyError('boom')",
    "exception while another is handled": "\n        try: next(iter([]))"
    "\n        except StopIteration: raise KeyError('boom')",
    "crash": "import os; os.abort()",
    "time out": "import time; time.sleep(60)",
}


@pytest.mark.parametrize("end", ENDS)
def test_the_words_before_the_end_are_shown_and_no_frame_of_ours(end: str, tmp_path: Path) -> None:
    source = SAYING.format(fails=ENDS[end])
    report = check_pair(source, tmp_path, act_timeout=0.2, bank=0.2)
    assert first_fault(report).when == "in move 3 on seat 1"
    assert "at step 0" in report.stderr
    text = text_of(report)
    assert "kaggle_environments" not in text
    assert "player_process" not in text
    assert "Traceback" not in text


STACK = """at step 4
Current thread 0x00007f (most recent call first):
  File "/tmp/home/main.py", line 8 in deeper
  File "/site-packages/kaggle_environments/agent.py", line 167 in act
  File "/home/me/submission/sandbox/player_process.py", line 84 in play
  File "<string>", line 1 in <module>
"""


def test_a_torn_stack_shows_no_frame_of_ours() -> None:
    for end in range(STACK.index("  File"), len(STACK) + 1):
        record: Any = SimpleNamespace(stderr=STACK[:end], failure=None)
        words = last_words([record])
        assert words.startswith("at step 4\nCurrent thread")
        assert not re.search("site-packages|/me|string", words)
    assert words.endswith('main.py", line 8 in deeper')


CHAIN = """SyntaxError: '(' was never closed

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/site-packages/kaggle_environments/agent.py", line 194, in act
"""


def test_a_torn_chain_of_kaggle_s_shows_nothing() -> None:
    for begin in range(CHAIN.index("Traceback")):
        failure = SimpleNamespace(status="ERROR", lines=("line 2: return (1",))
        record: Any = SimpleNamespace(stderr=CHAIN[begin:], failure=failure)
        assert last_words([record]) == ""


@pytest.mark.parametrize("column", [FIRST_FREE, "9"])
def test_a_traceback_of_its_own_is_among_its_words(column: str, tmp_path: Path) -> None:
    own = "\n        try: 1 / 0\n        except ZeroDivisionError: traceback.print_exc()"
    source = SAYING.format(fails=own).replace(
        f"return {FIRST_FREE}", f"return {column} if obs.step > 3 else {FIRST_FREE}"
    )
    report = check_pair(source, tmp_path)
    assert report.accepted == (column == FIRST_FREE)
    assert "ZeroDivisionError: division by zero" in report.stderr


def test_a_file_that_is_not_loaded_has_nothing_else_to_say(tmp_path: Path) -> None:
    for source in ("def agent(obs, conf)\n    return 0\n", "import no_such_module\n", "x = 1\n"):
        assert check_pair(source, tmp_path).stderr == ""
