"""What strangers may have written, read as JSON and put into sentences."""

import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.reporting.input_file import (
    LONGEST_QUOTED,
    one_line,
    quoted,
    read_header,
    read_json,
    refused,
)
from tests.helpers.refusals import is_sentence, nested

any_text = st.text(st.characters(exclude_categories=()))
printable = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=20)


@given(st.lists(printable, max_size=9))
def test_a_short_line_stays_as_it_is(words: list[str]) -> None:
    assert one_line(" ".join(words)) == " ".join(words)
    assert one_line(" \r\n".join(words)) == " ".join(words)


def test_the_beginning_of_a_long_line_is_shown() -> None:
    assert one_line("x" * 200) == "x" * 200
    assert one_line("x" * 201) == "x" * 199 + "…"
    assert one_line("\x1b[2J\x9b\udcff") == r"\x1b[2J\x9b\udcff"


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | any_text,
    lambda inner: st.lists(inner) | st.dictionaries(any_text, inner),
)


@given(any_text, values)
def test_anything_becomes_one_short_line(text: str, value: object) -> None:
    for line in (one_line(text), one_line(text * 1000), one_line("\x1b" * 1000), quoted(value)):
        assert line.isprintable()
        assert len(line) <= LONGEST_QUOTED


def test_a_short_value_is_quoted_as_python_writes_it() -> None:
    for value in ("", "it's", "\x1b", None, True, -1.5, [1, [2]], {"a": None}, (6, 7, 4)):
        assert quoted(value) == repr(value)
    assert quoted("x" * 1000).startswith("'xxxx")
    assert quoted("x" * 1000).endswith("xxxx'")


def test_json_is_read_if_it_is_of_the_kind() -> None:
    assert read_json('{"a": [1]}', dict) == {"a": [1]}
    assert read_json(b"[1]", list) == [1]
    for text in ("[1]", "", "{", b"\xff", b"\0", "9" * 5000, nested(100_000)):
        assert read_json(text, dict) is None


def test_however_deep_a_header_is_it_is_refused_in_a_sentence() -> None:
    limit = sys.getrecursionlimit()
    for depth in (*range(limit - 150, limit), 100 * limit):
        line = json.dumps({"format": "?"}).replace('"?"', nested(depth))
        with pytest.raises(ValueError, match="must begin with the format 'mine'") as refusal:
            read_header(line, "mine", Path("file"), "choose another file")
        assert is_sentence(refusal.value)


@pytest.mark.parametrize(
    "error",
    [
        *(ValueError("bad\nline"), UnicodeDecodeError("utf-8", b"\xff" * 9999, 0, 1, "bad")),
        *(KeyError("\x1b"), IndexError(9), TypeError("x" * 9999), AttributeError("no list")),
        *(OverflowError("too large"), ZeroDivisionError("by 0"), RecursionError("too deep")),
    ],
    ids=lambda error: type(error).__name__,
)
def test_whatever_cannot_be_read_is_refused_in_a_sentence(error: Exception) -> None:
    with (
        pytest.raises(ValueError, match=r"^file is damaged \(.+\): make a new one$") as refusal,
        refused("file is damaged", "make a new one"),
    ):
        raise error
    assert is_sentence(refusal.value)


def test_what_is_no_fault_of_the_file_is_passed_on() -> None:
    with pytest.raises(KeyboardInterrupt), refused("file is damaged", "make a new one"):
        raise KeyboardInterrupt
    with pytest.raises(OSError, match="gone"), refused("file is damaged", "make a new one"):
        raise OSError("gone")
