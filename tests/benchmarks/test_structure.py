"""How the sources are cut, counted; and one name for one file."""

from collections import Counter
from pathlib import Path

import pytest

from benchmarks.structure import PACKAGES, ROOT, Structure, files_passed, structure_of


def test_files_lines_and_imports_are_counted(tmp_path: Path) -> None:
    (tmp_path / "__init__.py").write_text("import os\n")
    (tmp_path / "one.py").write_text("import os, sys\n\n\ndef f():\n    from re import sub\n")
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "two.py").write_text('"""Import nothing."""\n')
    (tmp_path / "below" / "some_data.py").write_text("X = 1\n")
    assert structure_of("name", tmp_path) == Structure("name", [1, 5], 2)


def test_a_command_passes_the_files_whose_functions_it_calls(
    capsys: pytest.CaptureFixture[str],
) -> None:
    passed = files_passed(["agents"])
    assert "alphabeta" in capsys.readouterr().out
    assert {"submission/cli/play.py", "agents/options.py"} <= {*passed}
    assert not [file for file in passed if file.startswith("agents/trace/")]


def test_no_two_files_have_one_name() -> None:
    """Commands may be named as what they call; every other name says where to look."""
    files = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    names = Counter(
        path.name for path in files if path.name != "__init__.py" and path.parent.name != "cli"
    )
    assert len(names) > 100
    assert [name for name, count in names.items() if count > 1] == []
