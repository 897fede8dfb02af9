"""The documents' programs that train, with the library that they train by."""

from pathlib import Path
from typing import Any

import pytest

from tests.helpers.documents import DOCUMENTS, README, plain_blocks

pytest.importorskip("sb3_contrib")

PROGRAMS = [
    pytest.param(document, block, id=f"{document.parent.name}-{number}")
    for document in DOCUMENTS
    for number, block in enumerate(plain_blocks(document))
]


QUICKLY = {"STEPS = 30_000": "STEPS = 4_000", "num_envs=512": "num_envs=64"}
"""Fewer games at a time, in as many rollouts: the league plays the second one."""


@pytest.mark.parametrize(("document", "program"), PROGRAMS)
def test_a_program_learns(
    document: Path,
    program: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("SB3_LOGDIR", str(tmp_path))  # else its folder of logs stays
    for written, quick in QUICKLY.items():
        program = program.replace(written, quick)
    names: dict[str, Any] = {}
    exec(compile(program, str(document), "exec"), names)
    printed = float(capsys.readouterr().out)
    assert -1 <= printed <= 1
    if document == README:
        assert printed > 0.4  # well above random play, whose mean return is 0
