from pathlib import Path

import pytest

from submission.output_file import require_writable


def test_a_new_file_can_be_written_and_is_not_yet_there(tmp_path: Path) -> None:
    path = tmp_path / "new.json"
    require_writable(path)
    assert not path.exists()


def test_an_old_file_keeps_its_content(tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    path.write_text("old")
    require_writable(path)
    assert path.read_text() == "old"


def test_a_path_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "absent" / "new.json", tmp_path / ("n" * 999)):
        with pytest.raises(OSError, match=r"cannot write .*: choose a file"):
            require_writable(path)
