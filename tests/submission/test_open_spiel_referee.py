"""Games on OpenSpiel's environments of kaggle-environments; `make test-extras` runs these tests.

The oracles are `env.run` of kaggle-environments and the rules of pyspiel.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import pytest

from envs import BoardGame
from submission.arena.game_record import GameConfiguration
from submission.arena.kaggle_referee import OpenSpielGame, hold_on_open_spiel
from submission.arena.own_referee import PlayedGame
from submission.arena.seats import KaggleSeat
from submission.bundle.bundle import build_bundle
from submission.entry import read_open_spiel
from submission.kaggle import OPEN_SPIEL_BANK, Referee, environment_of, kaggle_environments
from submission.sandbox.inside.kaggle_agent import KaggleAgent
from submission.sandbox.move import Move
from tests.helpers.checks import check_pair, first_fault, text_of, told
from tests.helpers.shell import Shell

pyspiel: Any = pytest.importorskip("pyspiel")

CONNECT_FOUR, TIC_TAC_TOE = Referee.OPEN_SPIEL_CONNECT_FOUR, Referee.OPEN_SPIEL_TIC_TAC_TOE
BOARDS = [
    GameConfiguration.of(TIC_TAC_TOE),
    GameConfiguration.of(CONNECT_FOUR),
    GameConfiguration.of(CONNECT_FOUR, 5, 6, 3),
    GameConfiguration.of(CONNECT_FOUR, 2, 3, 4),
    GameConfiguration.of(CONNECT_FOUR, 1, 1, 1),
]


def open_spiel_rules(board: GameConfiguration) -> Any:
    if board.referee is TIC_TAC_TOE:
        return pyspiel.load_game("tic_tac_toe")
    return pyspiel.load_game(
        f"connect_four(rows={board.rows},columns={board.columns},x_in_row={board.inarow})"
    )


def rewards(env: BoardGame, state: Any) -> list[int]:
    return {None: [0, 0], 1: [1, -1], 2: [-1, 1]}[env.winner(state)]


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_rules_are_those_of_open_spiel(board: GameConfiguration) -> None:
    rng, env, game = Random(5), board.env, open_spiel_rules(board)
    for _ in range(60):
        state, theirs = env.initial_state(), game.new_initial_state()
        while not theirs.is_terminal():
            assert list(env.get_available_actions(state)) == theirs.legal_actions()
            assert env.current_player(state) == 1 + theirs.current_player()
            action = rng.choice(theirs.legal_actions())
            state = env.get_next_state(state, action)
            theirs.apply_action(action)
        assert not env.get_available_actions(state)
        assert rewards(env, state) == theirs.returns()


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_what_is_shown_is_read_as_the_position(board: GameConfiguration) -> None:
    rng, env, game = Random(7), board.env, OpenSpielGame(board)
    assert game.set_up(lambda place, *request: Move(-1, 0.0)) == (None, None)
    state = env.initial_state()
    while not game.over:
        observation, configuration = game.observation(), game.configuration()
        name = configuration["openSpielGameName"]
        request = read_open_spiel(name, observation, configuration)
        assert request.board == env.to_board(state)
        assert request[1:5] == (state.player, board.rows, board.columns, board.inarow)
        assert sorted(request.free_places) == list(env.get_available_actions(state))
        assert request.act_timeout == board.act_timeout
        action = rng.choice(game.legal_columns())
        assert game.carry_out(Move(action, 0.0)) is None
        state = env.get_next_state(state, action)
    played = game.ended(None)
    assert [*played.rewards] == rewards(env, state)


class Scripted:
    """An agent with its answers written down; it keeps what it was shown."""

    def __init__(self, answers: Sequence[Any]) -> None:
        self.answers = iter(answers)
        self.shown: list[Any] = []

    def __call__(self, observation: Any, configuration: Any) -> Any:
        self.shown.append(deepcopy((dict(observation), dict(configuration))))
        if "observationString" not in observation:
            return None
        answer = next(self.answers, None) or {"submission": observation["legalActions"][0]}
        if isinstance(answer, Exception):
            raise answer
        return answer


ANSWERS: Mapping[str, Sequence[Any]] = {
    "good": [],
    "a number": [None, 3],
    "a text": ["text"],
    "more than a submission": [None, {"submission": 4, "thoughts": "hm"}],
    "a text as submission": [{"submission": "3"}],
    "True": [{"submission": True}],
    "None": [{"submission": None}],
    "beyond the board": [None, {"submission": 99}],
    "taken": [{"submission": 0}, {"submission": 0}, {"submission": 0}, {"submission": 0}],
    "an error of its own": [None, {"submission": -2}],
    "an exception": [None, ValueError("boo")],
}


def by_kaggle(
    board: GameConfiguration, agents: Sequence[Any]
) -> tuple[list[str], list[float | None]]:
    env = kaggle_environments().make(board.referee.value, board.for_kaggle())
    env.run([*agents])
    return [state.status for state in env.state], [state.reward for state in env.state]


def by_our_referee(board: GameConfiguration, agents: Sequence[Any]) -> PlayedGame:
    seats = [KaggleSeat(KaggleAgent(agent)) for agent in agents]
    return hold_on_open_spiel((seats[0], seats[1]), (), board)


@pytest.mark.parametrize("board", BOARDS[:2], ids=str)
@pytest.mark.parametrize("name", ANSWERS)
def test_games_end_as_by_env_run(name: str, board: GameConfiguration) -> None:
    for seat in (0, 1):
        answers = [ANSWERS[name] if place == seat else [] for place in (0, 1)]
        theirs, ours = ([Scripted(each) for each in answers] for _ in range(2))
        statuses, their_rewards = by_kaggle(board, theirs)
        played = by_our_referee(board, ours)
        assert [*played.rewards] == their_rewards
        # The environment says DONE of an illegal move, which costs the game all the same.
        assert ["DONE" if s == "INVALID" else s for s in played.statuses] == statuses
        assert (played.failure is None) == (played.statuses == ("DONE", "DONE"))
        timeless = [
            [({**o, "remainingOverageTime": OPEN_SPIEL_BANK}, c) for o, c in agent.shown]
            for agent in (*theirs, *ours)
        ]
        assert timeless[:2] == timeless[2:]


def refuses_the_set_up(place: int) -> Callable[[Any, Any], Any]:
    def agent(observation: Any, configuration: Any) -> Any:
        raise ValueError(f"no board for seat {place + 1}")

    return agent


@pytest.mark.parametrize("failing", [(0,), (1,), (0, 1)])
def test_before_the_game_both_seats_are_asked(failing: Sequence[int]) -> None:
    agents = [refuses_the_set_up(place) if place in failing else Scripted([]) for place in (0, 1)]
    statuses, their_rewards = by_kaggle(BOARDS[0], agents)
    played = by_our_referee(BOARDS[0], agents)
    assert ([*played.statuses], [*played.rewards]) == (statuses, their_rewards)
    assert [len(each) for each in played.durations] == [place in failing for place in (0, 1)]
    assert played.failure is not None
    for place in (0, 1):
        assert (f"no board for seat {place + 1}" in played.failure.cause) == (place in failing)


def test_a_float_that_makes_kaggles_runner_break_off_is_an_error() -> None:
    board, agents = BOARDS[0], [Scripted([{"submission": 3.0}]), Scripted([])]
    with pytest.raises(TypeError):
        by_kaggle(board, [Scripted([{"submission": 3.0}]), Scripted([])])
    assert by_our_referee(board, agents).statuses == ("ERROR", "DONE")


class Slow:
    """A seat whose moves take these seconds; it remembers the banks that it was shown."""

    def __init__(self, *seconds: float) -> None:
        self.seconds = iter(seconds)
        self.banks: list[float] = []

    def act(self, observation: Mapping[str, Any], configuration: Mapping[str, Any]) -> Move:
        self.banks.append(observation["remainingOverageTime"])
        legal = observation.get("legalActions", [-1])
        return Move(legal[0], next(self.seconds, 0.0))


def test_the_bank_is_the_environments() -> None:
    new = kaggle_environments().make(TIC_TAC_TOE.value)
    banks = [state.observation.remainingOverageTime for state in new.state]
    assert banks == [OPEN_SPIEL_BANK] * 2
    slow = Slow(4.0, 1.0, 12.0, 2.0)
    game = hold_on_open_spiel((slow, Slow()), (), BOARDS[0])
    assert slow.banks == [12, 10, 10, 0, 0]
    assert game.durations[0][:3] == [5.0, 12.0, 2.0]  # the first includes the setting up
    assert game.statuses == ("DONE", "DONE")


@pytest.mark.parametrize(("seconds", "columns"), [((15.0,), []), ((0.0, 15.0), [0])])
def test_an_empty_bank_is_a_time_out(seconds: Sequence[float], columns: list[int]) -> None:
    game = hold_on_open_spiel((Slow(), Slow(*seconds)), (), BOARDS[0])
    assert game.statuses == ("DONE", "TIMEOUT")
    assert game.rewards == (1, None)
    assert game.columns == columns
    assert game.failure is not None
    assert game.failure.cause == "a move took 15.0 s: over 2 s and over its bank"


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bundles") / "greedy.py"
    path.write_text(build_bundle("greedy", {}, game="tictactoe"), encoding="utf-8")
    return path


@pytest.mark.parametrize("referee", Referee)
def test_one_file_plays_on_all_three(referee: Referee, bundle: Path) -> None:
    rules = GameConfiguration.of(referee)
    for strict in (False, True):
        env = kaggle_environments().make(
            referee.value, {**rules.for_kaggle(), "strictMode": strict, "includeLegalActions": True}
        )
        env.run([str(bundle), "random"])
        assert [state.status for state in env.state] == ["DONE", "DONE"]
        assert env.state[0].reward > -1 or referee is TIC_TAC_TOE


def test_the_environments_agents_are_known_by_their_names() -> None:
    for referee in Referee:
        assert sorted(environment_of(referee)["agents"]) == sorted(referee.built_in_agents)


def test_a_match_with_results_and_replay(shell: Shell, bundle: Path) -> None:
    words = ("evaluate", str(bundle), "--against", "random", "--referee", TIC_TAC_TOE.value)
    kept = ("--games", "4", "--workers", "1", "--results", "games.jsonl")
    outcome = shell.run(*words, *kept, "--html", "replay.html", "--first-player-table")
    assert outcome.status == 0, outcome.stderr
    assert "Tic-tac-toe" in Path("replay.html").read_text(encoding="utf-8")
    header, *games = [json.loads(line) for line in Path("games.jsonl").read_text().splitlines()]
    assert header["settings"]["configuration"]["referee"] == TIC_TAC_TOE.value
    assert [game["game"] for game in games] == [0, 1, 2, 3]
    assert all(5 <= len(game["columns"]) <= 9 for game in games)
    other = shell.refusal(*words[:-1], CONNECT_FOUR.value, *kept, "--resume")
    assert "does not fit the games requested" in other
    review = shell.refusal("review", "games.jsonl", "--player", "random")
    assert "only those of Connect Four can be judged" in review


def test_a_match_tells_of_both_who_fail_before_a_game(shell: Shell) -> None:
    Path("a.py").write_text("def agent(o, c):\n    raise ValueError('from a')\n")
    Path("b.py").write_text("def agent(o, c):\n    raise KeyError('from b')\n")
    words = ("evaluate", "a.py", "--against", "b.py", "--referee", TIC_TAC_TOE.value)
    outcome = shell.run(*words, "--games", "2", "--json", "match.json", "--html", "replay.html")
    assert outcome.status == 1  # as where the player alone fails
    match = json.loads(Path("match.json").read_text())
    assert [record["statuses"] for record in match["records"]] == [["ERROR", "ERROR"]] * 2
    (stats,) = match["stats"]
    assert (stats["player_failures"], stats["opponent_failures"]) == ({"ERROR": 2}, {"ERROR": 2})
    for name in ("a.py", "b.py"):
        assert f"{name} failed in 2 games" in " ".join(outcome.stdout.split())
    assert "seat 1: ValueError: from a" in " ".join(outcome.stdout.split())
    shown = Path("replay.html").read_text(encoding="utf-8")
    assert "X failed: both failed before the first move; seat 1: ValueError" in shown


def test_a_check_names_the_mistake(tmp_path: Path, bundle: Path) -> None:
    report = check_pair(bundle.read_text(), tmp_path, referee=TIC_TAC_TOE)
    assert report.accepted
    assert "open_spiel_tic_tac_toe would take" in text_of(report)
    assert "Submit it" not in text_of(report)
    taken = "def agent(o, c):\n    return {'submission': 4}\n"
    report = check_pair(taken, tmp_path, referee=TIC_TAC_TOE)
    assert told(first_fault(report)).endswith("the agent returned cell 4, which is taken")
    plain = "def agent(o, c):\n    return 3\n"
    fault = first_fault(check_pair(plain, tmp_path, referee=CONNECT_FOUR))
    assert "OpenSpiel's environments take only {'submission': column}" in fault.cause
    fault = first_fault(check_pair("x = 1 / 0\n", tmp_path, referee=CONNECT_FOUR))
    assert (fault.status, fault.when) == ("ERROR", "while the file was loaded")
