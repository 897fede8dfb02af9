"""The answer for a move says what the replies give away, where an agent that solves has not won."""

from typing import Any

import pytest

from agents.agent import Clock
from agents.levels import LEVELS
from agents.registry import make_agent
from agents.solver.solver import Solver
from agents.solver.solver_engine import solver_compilation
from agents.traps.told_trap import told_trap
from envs import ConnectFour, state_from_moves
from envs.games import game_from_id
from submission.play.game_history import History
from submission.web.searching import searches as web_searches
from submission.web.searching.searches import MoveAsked, Searches, agent_of

ENV = ConnectFour()
LOST, DRAWN, WON = "44444353", "27711257455343133662", "141414"
BEST_LEVEL = len(LEVELS)


@pytest.fixture
def searches(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Searches:
    """Those of a process whose solver has been compiled before, with time enough on a busy core."""
    assert solver_compilation(ENV).is_ready()
    monkeypatch.setattr(web_searches, "TRAP_SECONDS", 60.0)
    found: Searches = request.getfixturevalue("own_searches")
    return found


def answer(searches: Searches, moves: str, agent: str, **options: Any) -> dict[str, Any]:
    actions = tuple(int(column) - 1 for column in moves)
    asked = MoveAsked(History(game_from_id("connectx-6x7x4"), actions), agent, options, 60.0)
    return searches.move(asked)


@pytest.mark.parametrize(
    ("agent", "options"),
    [
        ("perfect", {"traps": None}),
        ("perfect", {"traps": None, "resistance": "longest"}),
        ("level", {"n": BEST_LEVEL}),
    ],
)
@pytest.mark.parametrize(("moves", "prize"), [(LOST, "win"), (DRAWN, "draw")])
def test_a_move_that_does_not_win_is_told(
    searches: Searches, moves: str, prize: str, agent: str, options: dict[str, Any]
) -> None:
    move = answer(searches, moves, agent, **options)
    trap = told_trap(Solver(ENV), state_from_moves(ENV, moves), move["action"], Clock())
    assert trap is not None
    assert move["trap"] == trap.sentence
    assert f"the {prize}" in move["trap"]


@pytest.mark.parametrize(
    ("moves", "agent", "options"),
    [
        (WON, "perfect", {"traps": None}),
        (DRAWN, "level", {"n": BEST_LEVEL - 1, "seed": 1}),
        (DRAWN, "level", {}),
        (DRAWN, "alphabeta", {"depth": 2}),
    ],
)
def test_other_moves_have_no_remark(
    searches: Searches, moves: str, agent: str, options: dict[str, Any]
) -> None:
    assert answer(searches, moves, agent, **options)["trap"] is None


def test_what_takes_too_long_is_not_told(
    searches: Searches, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web_searches, "TRAP_SECONDS", 0.0)
    assert answer(searches, DRAWN, "perfect", traps=None)["trap"] is None


def test_a_game_that_is_not_solved_has_no_traps(searches: Searches) -> None:
    asked = MoveAsked(History(game_from_id("tictactoe"), (4,)), "perfect", {}, 0.2)
    assert searches.move(asked)["trap"] is None


def test_the_time_of_the_page_takes_the_place_of_an_agents_own() -> None:
    for options, limit in (({}, None), ({"time_limit": 0.5}, 0.5)):
        agent = agent_of(
            MoveAsked(History(game_from_id("tictactoe"), ()), "alphabeta", options, 1.0)
        )
        assert agent == make_agent("alphabeta", time_limit=limit)
