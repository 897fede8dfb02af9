import hashlib
import pickle
from pathlib import Path
from typing import Any

import pytest

import submission.arena.players
from agents.reporting.input_file import quoted
from submission.arena.players import Player, PlayerKind, find_player
from submission.arena.seats import open_seat
from submission.bundle.bundle import build_bundle
from submission.kaggle import BUILT_IN_AGENTS, kaggle_environments
from tests.helpers.archives import archive
from tests.helpers.refusals import is_sentence

SHOWN = {"board": [0] * 42, "mark": 1, "step": 0, "remainingOverageTime": 60}
RULES = {"rows": 6, "columns": 7, "inarow": 4, "actTimeout": 60}


def test_kaggles_built_ins_are_known_and_keep_their_names() -> None:
    assert sorted(kaggle_environments().environments["connectx"]["agents"]) == [*BUILT_IN_AGENTS]
    for name in BUILT_IN_AGENTS:
        assert find_player(name) == Player(name, PlayerKind.BUILT_IN)
        assert find_player(name).sha256 is None


@pytest.mark.parametrize(
    ("name", "agent", "options"),
    [("greedy", "greedy", {}), ("random:", "random", {}), ("random:seed=3", "random", {"seed": 3})],
)
def test_an_agent_is_what_would_be_submitted(
    name: str, agent: str, options: dict[str, Any]
) -> None:
    """A colon asks for our agent of a built-in's name."""
    player = find_player(name)
    assert player.kind is PlayerKind.AGENT
    assert player.source == build_bundle(agent, options).encode()


def test_option_values_may_hold_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    received: list[tuple[str, Any]] = []

    def record(agent: str, options: Any, *, game: str) -> str:
        received.append((agent, options))
        return ""

    monkeypatch.setattr(submission.arena.players, "build_bundle", record)
    find_player('mcts:order=[3,2],label="a,b",seed=1')
    assert received == [("mcts", {"order": [3, 2], "label": "a,b", "seed": 1})]


def test_a_file_is_known_by_its_content_and_played_as_first_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("abc")
    player = find_player(str(path))
    assert player.kind is PlayerKind.FILE
    # The example of FIPS 180-2, appendix B.1.
    assert player.sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    path.write_text("def agent(observation): return 0")
    player = find_player(str(path))
    path.unlink()
    with open_seat(player, seed=1) as seat:
        assert seat.act(SHOWN, RULES).column == 0


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


NOT_PYTHON = r"is not a Python file that can be read"
KNOWN = r"negamax, random.*mcts.*\.py"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        *((name, None, KNOWN) for name in ("nobody", "", "submission.zip", "nobody:seed=1")),
        ("mcts:simulations", None, "write KEY=VALUE"),
        ("mcts:nonsense=1", None, "no option 'nonsense'"),
        *((name, None, f"cannot read the player {name}") for name in ("absent.py", "no.tar.gz")),
        ("folder.py", {}, "cannot read the player folder.py"),
        ("mine.py", "\N{ZERO WIDTH NO-BREAK SPACE}x = 1".encode(), "save it as UTF-8 without one"),
        ("mine.py", b"\xff\xfe", "UTF-8"),
        *(("mine.py", text, r"mine\.py is empty") for text in (b"", b"# to do\n")),
        ("mine.py", b"def agent(:\n", NOT_PYTHON),
        ("mine.py", b"\n\nPK\x03\x04", NOT_PYTHON),
        ("mine.py", b"\0", NOT_PYTHON),
        ("mine.py", b"1" + b"+1" * 20_000, NOT_PYTHON),
        ("mine.py", b"x = " + b"(" * 10**5, NOT_PYTHON),
        ("mine.py", b"x = " + b"-" * 10**6 + b"1", NOT_PYTHON),
        ("mine.py", b"x = " + b"lambda:" * 10**4 + b"1", NOT_PYTHON),
        ("mine.py", b"".join(b" " * n + b"if 1:\n" for n in range(999)), NOT_PYTHON),
        ("mine.py", b"x = '\xed\xa0\x80'\n", "UTF-8"),
        ("mine.tgz", b"x = 1", r"mine\.tgz cannot be unpacked"),
        ("mine.tgz", {"main.py": b"def agent(:"}, NOT_PYTHON),
        ("mine.tgz", {"main.py": b"# to do"}, "write an agent into it"),
    ],
    ids=quoted,
)
def test_what_is_no_player_is_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    content: bytes | dict[str, bytes] | None,
    message: str,
) -> None:
    """`content` is a file's, or an archive's members ({} for a folder); None stands for no file."""
    monkeypatch.chdir(tmp_path)
    if isinstance(content, bytes):
        Path(name).write_bytes(content)
    elif content:
        archive(Path(name), *content.items())
    elif content is not None:
        Path(name).mkdir()
    with pytest.raises((ValueError, OSError), match=message) as refusal:
        find_player(name)
    assert is_sentence(refusal.value)
