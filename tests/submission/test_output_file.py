from pathlib import Path

import pytest

from agents.reporting.output_file import replace_content, require_distinct, require_writable
from submission.arena.players import Player, PlayerKind
from submission.cli.arguments import files_of_options, files_of_players


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


def test_what_is_read_is_not_overwritten_by_whatever_name(tmp_path: Path) -> None:
    mine, link, second_name = (tmp_path / name for name in ("mine.py", "link.py", "second.py"))
    mine.touch()
    link.symlink_to(mine)
    second_name.hardlink_to(mine)
    for name in (mine, tmp_path / "." / "mine.py", link, second_name):
        with pytest.raises(ValueError, match=f"{name} is read and would be overwritten"):
            require_distinct(None, name, read=[None, mine])


def test_two_outputs_are_two_files(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is named for two things"):
        require_distinct(tmp_path / "new", None, tmp_path / "folder" / ".." / "new")


def test_a_file_may_be_read_twice_and_absent_ones_are_no_file(tmp_path: Path) -> None:
    require_distinct(tmp_path / "new", None, None, read=[tmp_path / "old", tmp_path / "old"])


def test_players_and_options_name_the_files_that_they_are_read_from() -> None:
    players = [
        Player("random", PlayerKind.BUILT_IN),
        Player("policies/mine.py", PlayerKind.FILE),
        Player("policy:weights=policy.npz,seed=1", PlayerKind.AGENT),
    ]
    assert Path("policies/mine.py") in files_of_players(players)
    assert Path("policy.npz") in files_of_players(players)
    assert files_of_players(players[:1]) == []
    assert files_of_options({"file": "policy.npz", "seed": 1}) == [Path("policy.npz")]


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
