"""Players: who they are by their names and files, and how they answer at the board."""

import hashlib
import pickle
import random
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import submission.arena.players
from agents import Agent, RandomAgent, SearchResult
from agents.reporting.input_file import quoted
from envs import Action, ConnectFour, Env, State
from submission.arena.players import Player, PlayerKind, find_player
from submission.arena.seats import AgentSeat, open_seat, open_seat_here, seat_seed
from submission.bundle.bundle import build_bundle
from submission.kaggle import BUILT_IN_AGENTS, kaggle_environments
from tests.helpers.archives import archive
from tests.helpers.arena_games import played
from tests.helpers.refusals import is_sentence
from tests.helpers.trained_policies import policy_file

CONFIGURATION = {"rows": 6, "columns": 7, "inarow": 4, "actTimeout": 60, "runTimeout": 1200}
EMPTY_BOARD = {"board": [0] * 42, "mark": 1, "step": 0, "remainingOverageTime": 60}


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
        assert seat.act(EMPTY_BOARD, CONFIGURATION).column == 0


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
            assert seat.act(EMPTY_BOARD, CONFIGURATION).column == 5


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


# --- at the board: built-ins and our agents in this process, submissions in their own


SMALL = {**CONFIGURATION, "rows": 4, "columns": 5, "inarow": 3}
POSITIONS: list[dict[str, Any]] = [
    {
        "board": [0] * (20 - stones) + [1 + cell % 2 for cell in range(stones)],
        "mark": 1 + stones % 2,
        "step": stones,
        "remainingOverageTime": 60,
    }
    for stones in range(0, 8, 3)
] * 3


@pytest.mark.parametrize("name", BUILT_IN_AGENTS)
def test_two_seats_of_a_built_in_play_as_kaggles_does_with_their_seeds(name: str) -> None:
    kaggle = kaggle_environments()
    structify = kaggle.utils.structify
    function = kaggle.environments["connectx"]["agents"][name]
    expected = []
    for seed in (1, 2):
        random.seed(seed)
        asked = [function(structify(shown), structify(SMALL)) for shown in POSITIONS]
        expected.append(asked)
    before, player = random.getstate(), Player(name, PlayerKind.BUILT_IN)
    with open_seat(player, seed=1) as one, open_seat(player, seed=2) as two:
        moves = [[seat.act(shown, SMALL) for seat in (one, two)] for shown in POSITIONS]
    assert [[move.column for move in of_seat] for of_seat in zip(*moves, strict=True)] == expected
    assert all(move.failure is None for pair in moves for move in pair)
    assert random.getstate() == before, "the process's own generator is left alone"


def test_ctrl_c_goes_through_a_built_in_and_its_errors_do_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def raising(obs: Any, config: Any) -> None:
        raise [KeyboardInterrupt, ValueError][obs["step"]]

    agents = kaggle_environments().environments["connectx"]["agents"]
    monkeypatch.setitem(agents, "random", raising)
    with open_seat(Player("random", PlayerKind.BUILT_IN), seed=1) as seat:
        with pytest.raises(KeyboardInterrupt):
            seat.act({**EMPTY_BOARD, "step": 0}, CONFIGURATION)
        move = seat.act({**EMPTY_BOARD, "step": 1}, CONFIGURATION)
    assert move.failure is not None
    assert move.failure[:2] == ("ERROR", "ValueError")


@given(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))
def test_seats_and_games_have_seeds_of_their_own(first: int, second: int) -> None:
    seeds = {(game, seat): seat_seed(game, seat) for game in (first, second) for seat in (1, 2)}
    assert len(set(seeds.values())) == len(seeds)
    assert all(0 <= seed < 2**32 for seed in seeds.values())


# --- our agents in this process


def test_the_seed_decides_the_game_of_agents_without_one() -> None:
    names = ("random:", "mcts:simulations=5,engine=reference")
    records = [played(names, seed=seed) for seed in range(6)]
    assert len({record.columns for record in records}) == 6
    before = random.getstate()
    assert [played(names, seed=seed) for seed in range(6)] == records
    assert random.getstate() == before


def test_two_threads_do_not_draw_from_each_others_seed() -> None:
    drawn: dict[int, float] = {}

    def play(seed: int) -> None:
        def make_agent() -> Agent:
            time.sleep(0.05)  # enough for the other thread to get here
            drawn[seed] = random.random()
            return RandomAgent()

        AgentSeat(make_agent, seed).act(EMPTY_BOARD, CONFIGURATION)

    with ThreadPoolExecutor(2) as executor:
        assert [*executor.map(play, (1, 2))] == [None, None]
    assert drawn == {seed: random.Random(seed).random() for seed in (1, 2)}


@dataclass
class SlowAgent(Agent):
    """Takes 20 ms to be made, and as long for a move."""

    def __post_init__(self) -> None:
        time.sleep(0.02)

    def search(
        self, env: Env[State, Action], state: State, time_limit: float | None = None
    ) -> SearchResult[Action]:
        time.sleep(0.02)
        return SearchResult(env.get_available_actions(state)[0], value=0.0)


def test_the_first_move_has_the_making_of_the_agent_in_its_seconds() -> None:
    seat = AgentSeat(SlowAgent, seed=1)
    first = seat.act(EMPTY_BOARD, CONFIGURATION)
    second = seat.act({**EMPTY_BOARD, "board": [0] * 40 + [1, 2], "step": 2}, CONFIGURATION)
    assert (first.column, first.failure) == (0, None)
    assert first.seconds >= 0.04
    assert 0.02 <= second.seconds < first.seconds


def test_a_policy_plays_as_its_bundle_does_and_needs_its_file_no_more(tmp_path: Path) -> None:
    file = policy_file(ConnectFour(), tmp_path)
    player = find_player(f"policy:weights={file},temperature=1")
    Path(file).unlink()
    elsewhere = pickle.loads(pickle.dumps(player))  # as for a worker on another machine
    for seed in range(3):
        with open_seat_here(elsewhere, seed=seed) as here, open_seat(player, seed=seed) as bundle:
            ours, its = (seat.act(EMPTY_BOARD, CONFIGURATION) for seat in (here, bundle))
            assert (ours.column, ours.failure) == (its.column, its.failure)
