from pathlib import Path

import pytest

from submission.output_file import replace_content, require_writable


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


def test_new_content_takes_the_place_of_the_old_when_it_is_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "policy.npz"
    replace_content(path, b"old")
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", lambda *_: pytest.fail("interrupted"))
        with pytest.raises(pytest.fail.Exception):
            replace_content(path, b"new")
    assert path.read_bytes() == b"old"
    replace_content(path, b"new")
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]
