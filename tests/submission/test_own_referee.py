"""The own arena holds games as Kaggle's environment does, which is asked each time."""

import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from submission.arena import kaggle_referee, own_referee
from submission.arena.game_record import EPISODE_STEPS, GameConfiguration
from submission.arena.kaggle_referee import hold_on_kaggle
from submission.arena.own_referee import PlayedGame, hold_in_own_arena
from submission.kaggle import kaggle_environments
from submission.match.schedule import Arena, openings
from submission.sandbox.move import Failure, Move
from tests.helpers.arena_games import played

RAISED, NO_COLUMN = "raised", "no column"


class Turn(NamedTuple):
    """What a scripted player does when it is asked, and how long it takes, in seconds."""

    action: int | str
    """The number of an open column; RAISED, NO_COLUMN, or any column as text, even a full one."""
    seconds: float = 0.0

    def column(self, observation: Mapping[str, Any], configuration: Mapping[str, Any]) -> int:
        """The column that is played."""
        if isinstance(self.action, str):
            return int(self.action)
        top_row = observation["board"][: configuration["columns"]]
        open_columns = [column for column, cell in enumerate(top_row) if cell == 0]
        return open_columns[self.action % len(open_columns)]


Script = tuple[Sequence[Turn], Sequence[Turn]]
"""The turns of seat 1 and of seat 2."""


class Game(NamedTuple):
    """A board, and the opening from which it is played."""

    configuration: GameConfiguration = GameConfiguration()
    opening: tuple[int, ...] = ()


MISTAKES: Mapping[int | str, Failure] = {
    RAISED: Failure("ERROR", "RuntimeError: raised", ("raised",)),
    NO_COLUMN: Failure("INVALID", "returned '3'"),
}


@dataclass
class Scripted:
    """Plays its turns one after the other, then over again; remembers what it was shown."""

    turns: Sequence[Turn]
    shown: list[Any] = field(default_factory=list)

    def next_turn(self, observation: Mapping[str, Any], configuration: Mapping[str, Any]) -> Turn:
        """The next turn; remember what the player is shown."""
        turn = self.turns[len(self.shown) % len(self.turns)]
        self.shown.append(deepcopy((dict(observation), dict(configuration))))
        return turn


class ScriptedSeat(Scripted):
    """A scripted player as our referees ask it, which spoils what it was given."""

    def act(self, observation: Any, configuration: Any) -> Move:
        turn = self.next_turn(observation, configuration)
        failure = MISTAKES.get(turn.action)
        column = None if failure else turn.column(observation, configuration)
        observation["board"].clear()
        observation.clear()
        configuration.clear()
        return Move(column, turn.seconds, failure)


class KaggleRun:
    """The same script played by Kaggle's `env.run`, with a stopwatch that shows its seconds."""

    def __init__(self, game: Game, script: Script) -> None:
        kaggle = kaggle_environments()
        self.env = kaggle.make("connectx", game.configuration.for_kaggle())
        self.players = [Scripted(turns) for turns in script]
        self.columns = [*game.opening]
        self._seconds = 0.0
        for column in game.opening:
            self.env.step([column, column])
        stopwatch = self._stopwatch()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(kaggle.agent, "perf_counter", lambda: next(stopwatch))
            self.env.run([self._agent(player) for player in self.players])

    def _stopwatch(self) -> Iterator[float]:
        """Kaggle looks at it before and after each move."""
        while True:
            yield 0.0
            yield self._seconds

    def _agent(self, player: Scripted) -> Any:
        def agent(observation: Any, configuration: Any) -> Any:
            turn = player.next_turn(observation, configuration)
            self._seconds = turn.seconds
            if turn.action == RAISED:
                raise RuntimeError("raised")
            if turn.action == NO_COLUMN:
                return "3"
            column = turn.column(observation, configuration)
            self.columns.append(column)
            return column

        return agent

    @property
    def ending(self) -> Any:
        """Statuses and rewards."""
        first, second = self.env.state
        return (first.status, second.status), (first.reward, second.reward)

    @property
    def durations(self) -> tuple[list[float], list[float]]:
        """The seconds of each seat's moves in Kaggle's log."""
        logs = [step for step in self.env.logs if len(step) == 2]
        first, second = ([log[s]["duration"] for log in logs if log[s]] for s in (0, 1))
        return first, second


def both_referees(game: Game, script: Script) -> PlayedGame:
    """Play the script by either referee and by `env.run`, and find no difference."""
    seats = ScriptedSeat(script[0]), ScriptedSeat(script[1])
    ours = hold_in_own_arena(seats, game.opening, game.configuration)
    others = ScriptedSeat(script[0]), ScriptedSeat(script[1])
    assert ours == hold_on_kaggle(others, game.opening, game.configuration)
    kaggle = KaggleRun(game, script)
    assert (ours.statuses, ours.rewards) == kaggle.ending
    assert ours.durations == kaggle.durations
    failed = ours.failure is not None
    assert failed == (ours.statuses != ("DONE", "DONE"))
    assert ours.columns == kaggle.columns[: len(ours.columns)]
    assert len(kaggle.columns) - len(ours.columns) in ((0, 1) if failed else (0,))
    assert [seat.shown for seat in seats] == [player.shown for player in kaggle.players]
    return ours


SIDES = st.integers(1, 6)


@st.composite
def games(draw: st.DrawFn) -> Game:
    """A game on a board of any size, from any opening."""
    limit = draw(st.sampled_from([0.5, 2]))
    configuration = GameConfiguration(draw(SIDES), draw(SIDES), draw(st.integers(1, 5)), limit)
    try:
        known = openings(configuration, draw(st.integers(0, 3)))
    except ValueError:  # games on this board are shorter
        known = [()]
    return Game(configuration, draw(st.sampled_from(known)))


def scripts(action: st.SearchStrategy[int | str], longest: float) -> st.SearchStrategy[Script]:
    """Turns that each seat repeats in a circle; Kaggle rounds seconds to 6 digits."""
    seconds = st.one_of(st.just(0.0), st.floats(0, longest).map(lambda s: round(s, 6)))
    turns = st.lists(st.builds(Turn, action, seconds), min_size=1, max_size=9)
    return st.tuples(turns, turns)


OPEN_COLUMNS = st.integers(0, 7)
ANY_ACTION = st.one_of(
    OPEN_COLUMNS,
    OPEN_COLUMNS,
    OPEN_COLUMNS,
    st.sampled_from([RAISED, NO_COLUMN, *map(str, range(9))]),
)


@settings(max_examples=10)
@given(game=games(), script=scripts(OPEN_COLUMNS, longest=2.5))
def test_games_without_mistakes_are_kaggles(game: Game, script: Script) -> None:
    assert both_referees(game, script).failure is None


@settings(max_examples=15)
@example(game=Game(), script=([Turn(RAISED, 62.1)], [Turn(0)]))  # too late, too
@example(game=Game(), script=([Turn(0)], [Turn("7", 62.1)]))
@given(game=games(), script=scripts(ANY_ACTION, longest=70))
def test_mistakes_and_long_thoughts_end_as_on_kaggle(game: Game, script: Script) -> None:
    both_referees(game, script)


def test_a_game_of_more_than_1000_steps_is_a_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kaggle's environment counts up to 1000, or to fewer if it is told so, which takes less."""
    assert kaggle_environments().make("connectx").configuration.episodeSteps == EPISODE_STEPS
    endless, limit = GameConfiguration(rows=11, columns=11, inarow=12), {"episodeSteps": 100}
    told = endless.for_kaggle() | limit
    monkeypatch.setattr(own_referee, "EPISODE_STEPS", limit["episodeSteps"])
    monkeypatch.setattr(GameConfiguration, "for_kaggle", lambda _: told)
    monkeypatch.setattr(kaggle_referee, "_idle", defaultdict(list))  # it keeps environments
    ours, kaggles = (
        hold((ScriptedSeat([Turn(0)]), ScriptedSeat([Turn(0)])), (), endless)
        for hold in (hold_in_own_arena, hold_on_kaggle)
    )
    assert ours == kaggles
    assert len(ours.columns) == 99


@pytest.mark.parametrize("hold", [hold_on_kaggle, hold_in_own_arena])
def test_a_seat_without_a_column_fails_as_one_with_an_illegal_one(hold: Any) -> None:
    """Kaggle's environment would play column 0. Agents that return None get it in their process."""

    class Silent(ScriptedSeat):
        def act(self, observation: Any, configuration: Any) -> Move:
            return Move(None, 0.1)

    game = hold((ScriptedSeat([Turn(3)]), Silent([])), (), GameConfiguration())
    assert (game.columns, game.statuses, game.rewards) == ([3], ("DONE", "INVALID"), (0, None))
    assert game.failure.status == "INVALID"


MIDDLE_GAME = (2, 3, 2, 3, 3, 4, 3, 2, 4, 4, 2, 2)
"""An opening after which a perfect player needs a fraction of a second."""
SMALL = GameConfiguration(rows=5, columns=4, inarow=3)
MEETINGS = [
    (("random", "negamax"), SMALL),
    (("random:", "greedy"), GameConfiguration()),
    (("mcts:simulations=10,engine=reference", "random"), GameConfiguration()),
    (("mcts:simulations=10,seed=1,engine=reference", "alphabeta:depth=2,engine=reference"), SMALL),
]


@pytest.mark.parametrize(("names", "board"), MEETINGS)
def test_players_play_the_same_games_in_either_arena(
    names: tuple[str, str], board: GameConfiguration
) -> None:
    for seed, opening in [(0, ()), (1, (2, 2))]:
        own, kaggle = (played(names, seed, opening, board, arena) for arena in Arena)
        assert own == kaggle


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["mcts:simulations=200", "alphabeta:depth=6", "perfect"])
def test_compiled_agents_play_the_same_games_in_either_arena(agent: str) -> None:
    for seed in (0, 1):
        own, kaggle = (played((agent, "random"), seed, MIDDLE_GAME, arena=arena) for arena in Arena)
        assert own == kaggle


def test_our_agents_need_no_kaggle_environments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kaggle_environments", None)
    kaggle_environments.cache_clear()
    assert played(("random:", "mcts:simulations=5,engine=reference")).columns
    with pytest.raises(ModuleNotFoundError):
        kaggle_environments()
