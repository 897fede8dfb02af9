"""Boards that are compiled each for itself: those of a page are so many, and no more."""

from time import monotonic, sleep
from typing import Any

import pytest

from agents.compiled import compilation, compiled_alpha_beta, uct_tree
from envs.compiled.jit import TWINS
from envs.games import game_from_id, game_id
from submission.play.game_history import History
from submission.web.searching.searches import MoveAsked, Searches
from tests.helpers.strategies import WIDE_BOARDS

FIRST, OTHER = game_id(WIDE_BOARDS[0]), "connectx-6x11x3"
SECONDS = 240.0


def engine(searches: Searches, game: str, agent: str, **options: Any) -> Any:
    asked = MoveAsked(History(game_from_id(game), (2, 3)), agent, options, 0.5)
    return searches.move(asked)["engine"]


def engine_after_a_while(searches: Searches, game: str, agent: str, **options: Any) -> Any:
    end = monotonic() + SECONDS
    while engine(searches, game, agent, **options) == "reference" and monotonic() < end:
        sleep(0.1)
    return engine(searches, game, agent, **options)


def test_boards_beyond_the_limit_are_searched_in_plain_python(
    own_searches: Searches, capfd: pytest.CaptureFixture[str]
) -> None:
    compiled_alpha_beta.alpha_beta_on.cache_clear()  # another test may have compiled the first
    uct_tree.mcts_on.cache_clear()
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
