import hashlib
import pickle
from pathlib import Path
from typing import Any

import pytest

import submission.arena.players
from submission.arena.players import Player, PlayerKind, find_player
from submission.arena.seats import open_seat
from submission.bundle.bundle import build_bundle
from submission.kaggle import BUILT_IN_AGENTS, kaggle_environments
from tests.helpers.archives import archive

SHOWN = {"board": [0] * 42, "mark": 1, "step": 0, "remainingOverageTime": 60}
RULES = {"rows": 6, "columns": 7, "inarow": 4, "actTimeout": 60}


def submission_file(folder: Path, source: str) -> str:
    path = folder / "mine.py"
    path.write_text(source, encoding="utf-8")
    return str(path)


def test_kaggles_built_ins_are_known() -> None:
    assert sorted(kaggle_environments().environments["connectx"]["agents"]) == [*BUILT_IN_AGENTS]


@pytest.mark.parametrize("name", BUILT_IN_AGENTS)
def test_kaggles_built_ins_keep_their_names(name: str) -> None:
    player = find_player(name)
    assert player == Player(name, PlayerKind.BUILT_IN)
    assert player.sha256 is None


def test_an_agent_is_what_would_be_submitted() -> None:
    player = find_player("mcts:simulations=50,seed=1")
    assert player.kind is PlayerKind.AGENT
    assert player.source == build_bundle("mcts", {"simulations": 50, "seed": 1}).encode()


def test_an_agent_needs_no_options() -> None:
    assert find_player("mcts").source == build_bundle("mcts", {}).encode()


@pytest.mark.parametrize("name", ["random:", "random:seed=3"])
def test_a_colon_asks_for_our_agent_of_a_built_ins_name(name: str) -> None:
    assert find_player(name).kind is PlayerKind.AGENT


def test_option_values_may_hold_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    received: list[tuple[str, Any]] = []

    def record(agent: str, options: Any, *, game: str) -> str:
        received.append((agent, options))
        return ""

    monkeypatch.setattr(submission.arena.players, "build_bundle", record)
    find_player('mcts:order=[3,2],label="a,b",seed=1')
    assert received == [("mcts", {"order": [3, 2], "label": "a,b", "seed": 1})]


def test_a_file_is_known_by_its_content(tmp_path: Path) -> None:
    player = find_player(submission_file(tmp_path, "abc"))
    assert player.kind is PlayerKind.FILE
    # The example of FIPS 180-2, appendix B.1.
    assert player.sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_a_file_is_played_as_it_was_when_it_was_named(tmp_path: Path) -> None:
    name = submission_file(tmp_path, "def agent(observation): return 0")
    player = find_player(name)
    Path(name).unlink()
    with open_seat(player, seed=1) as seat:
        assert seat.act(SHOWN, RULES).column == 0


@pytest.mark.parametrize("name", ["nobody", "", "submission.zip", "nobody:seed=1"])
def test_an_unknown_player_is_told_the_known_ones(name: str) -> None:
    with pytest.raises(ValueError, match=r"negamax, random.*mcts.*\.py") as refusal:
        find_player(name)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("name", ["mcts:simulations", "mcts:nonsense=1"])
def test_wrong_options_are_refused(name: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - whose message is tested where it is made
        find_player(name)


@pytest.mark.parametrize("name", ["absent.py", "absent.tar.gz"])
def test_a_missing_file_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(OSError, match=rf"cannot read the player .*{name}"):
        find_player(str(tmp_path / name))


@pytest.mark.parametrize("name", ["mine.tar.gz", "mine.tgz"])
def test_an_archive_is_known_by_its_bytes_and_plays_with_all_that_it_holds(
    tmp_path: Path, name: str
) -> None:
    path = archive(
        tmp_path / name,
        ("main.py", b"from helper import column\ndef agent(observation): return column()"),
        ("helper.py", b"def column(): return 5"),
    )
    player = pickle.loads(pickle.dumps(find_player(str(path))))
    assert player.kind is PlayerKind.FILE
    assert player.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    path.unlink()
    for _ in range(2):  # each seat has the files for itself
        with open_seat(player, seed=1) as seat:
            assert seat.act(SHOWN, RULES).column == 5


@pytest.mark.parametrize(
    ("member", "content", "message"),
    [
        ("agent/main.py", b"x = 1", r"mine\.tar\.gz has no main\.py at its top"),
        ("../main.py", b"x = 1", "outside of its folder"),
        ("main.py", b"\xff", "save it as UTF-8"),
        ("main.py", b"def agent(:", r"mine\.tar\.gz is not a Python file that can be read"),
    ],
)
def test_an_archive_that_is_no_submission_is_refused(
    tmp_path: Path, member: str, content: bytes, message: str
) -> None:
    path = archive(tmp_path / "mine.tar.gz", (member, content))
    with pytest.raises(ValueError, match=message):
        find_player(str(path))


def test_a_damaged_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.tgz").write_bytes(b"x = 1")
    with pytest.raises(ValueError, match=r"mine\.tgz cannot be unpacked"):
        find_player(str(tmp_path / "mine.tgz"))


def test_a_folder_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "folder.py"
    folder.mkdir()
    with pytest.raises(OSError, match="cannot read the player"):
        find_player(str(folder))


def test_a_byte_order_mark_is_refused_as_kaggle_does(tmp_path: Path) -> None:
    name = submission_file(tmp_path, "\N{ZERO WIDTH NO-BREAK SPACE}def agent(o): return 0")
    with pytest.raises(ValueError, match="save it as UTF-8 without one"):
        find_player(name)


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "binary.py"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match="UTF-8"):
        find_player(str(path))


@pytest.mark.parametrize("text", ["def agent(:\n", "\n\nPK\x03\x04", "\0", "1" + "+1" * 20_000])
def test_a_file_that_is_not_python_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ValueError, match=r"mine\.py is not a Python file that can be") as refusal:
        find_player(submission_file(tmp_path, text))
    assert "\n" not in str(refusal.value)
