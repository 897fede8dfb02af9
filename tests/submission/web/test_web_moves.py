"""The answer for a move: what the replies give away, and by which engine it was found."""

from time import monotonic, sleep
from typing import Any

import pytest

from agents.agent import Clock
from agents.compiled import compilation
from agents.levels import LEVELS
from agents.registry import make_agent
from agents.solver.solver import Solver
from agents.solver.solver_engine import solver_compilation
from agents.traps.told_choice import told_trap
from envs import ConnectFour, state_from_moves
from envs.compiled.jit import TWINS
from envs.games import game_from_id, game_id
from submission.play.game_history import played_position
from submission.web.searching import searches as web_searches
from submission.web.searching.searches import MoveAsked, Searches, agent_of
from tests.helpers.strategies import WIDE_BOARDS

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


def asked(game: str, moves: str, agent: str, options: dict[str, Any], seconds: float) -> MoveAsked:
    return MoveAsked(played_position(game_from_id(game), moves), agent, options, seconds)


def answer(searches: Searches, moves: str, agent: str, **options: Any) -> dict[str, Any]:
    return searches.move(asked("connectx-6x7x4", moves, agent, options, 60.0))


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
    assert searches.move(asked("tictactoe", "5", "perfect", {}, 0.2))["trap"] is None


def test_the_time_of_the_page_takes_the_place_of_an_agents_own() -> None:
    for options, limit in (({}, None), ({"time_limit": 0.5}, 0.5)):
        agent = agent_of(asked("tictactoe", "", "alphabeta", options, 1.0))
        assert agent == make_agent("alphabeta", time_limit=limit)


FIRST, OTHER = game_id(WIDE_BOARDS[0]), "connectx-6x11x3"
SECONDS = 240.0


def engine(searches: Searches, game: str, agent: str, **options: Any) -> Any:
    return searches.move(asked(game, "34", agent, options, 0.5))["engine"]


def engine_after_a_while(searches: Searches, game: str, agent: str, **options: Any) -> Any:
    end = monotonic() + SECONDS
    while engine(searches, game, agent, **options) == "reference" and monotonic() < end:
        sleep(0.1)
    return engine(searches, game, agent, **options)


def test_boards_beyond_the_limit_of_those_compiled_for_themselves_are_searched_in_plain_python(
    own_searches: Searches, capfd: pytest.CaptureFixture[str]
) -> None:
    compilation._known_compilation.cache_clear()  # another test may have compiled the first
    searches, compilation.WIDE_BOARDS.most = own_searches, 1
    assert engine_after_a_while(searches, FIRST, "alphabeta", depth=2) == "compiled"
    twins = len(TWINS)
    with pytest.raises(ValueError, match="256 bits") as refusal:
        engine_after_a_while(searches, OTHER, "alphabeta", depth=2, engine="compiled")
    assert "(here 1 of more than 64)" in str(refusal.value)
    for agent in ("alphabeta", "mcts", "perfect"):
        assert engine(searches, OTHER, agent) == "reference"
    assert len(TWINS) == twins
    assert "in plain Python (1 other large boards are compiled)" in capfd.readouterr().err
    assert engine_after_a_while(searches, FIRST, "mcts", simulations=9) == "compiled"
