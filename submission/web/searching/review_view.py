"""The moves of a game, judged for a page: their values, and the mistakes among them."""

from collections.abc import Generator, Sequence
from typing import Any

from agents.solver.exact_moves import best_so_far
from agents.solver.solver import Solver
from envs.board import BoardGame, BoardState
from submission.play.game_history import History
from submission.reviewing.judged_game import mistake_of
from submission.web.searching.values import PositionValues, balance, growing_values, values_view

PATIENCE_SECONDS = (0.25, 1.5, 10.0)
"""Seconds of work per ply by the end of each round: easy positions do not wait for hard ones."""
GUESS_SECONDS = (0.1, 0.3)  # the same without a solver


def growing_review(
    env: BoardGame, actions: Sequence[int], solver: Solver | None
) -> Generator[dict[str, Any], None, None]:
    """Judge the plies of a game, with a snapshot after every slice of time.

    Works backwards from the last ply, because late positions are solved quickly and help with
    earlier ones. The last snapshot also has the values of all moves before each ply. `solver`
    is None if the game has none.
    """
    states = History(env, tuple(actions)).states
    growing = [growing_values(env, state, solver) for state in states[: len(actions)]]
    latest: dict[int, PositionValues] = {}

    def judged() -> list[dict[str, Any]]:
        return [ply_view(states[ply], actions[ply], each) for ply, each in sorted(latest.items())]

    for seconds in GUESS_SECONDS if solver is None else PATIENCE_SECONDS:
        for ply in reversed(range(len(growing))):
            known = latest.get(ply)
            while known is None or not (known.done or known.elapsed >= seconds):
                known = latest[ply] = next(growing[ply])
                yield {"plies": judged(), "done": False}
    plies = judged()
    for each in plies:
        each["columns"] = values_view(latest[each["ply"]])["columns"]
    yield {"plies": plies, "done": True}


def ply_view(state: BoardState, action: int, values: PositionValues) -> dict[str, Any]:
    """A ply as JSON; the value is of the game after it, from player 1's view."""
    scores = {move: value.bounds for move, value in values.moves.items()}
    chosen = values.moves[action]
    return {
        "ply": state.ply,
        "player": state.player,
        "action": action,
        "value": balance(chosen, state.player),
        "text": chosen.text,
        "mistake": mistake_of(values.position.bounds, chosen.bounds),
        "best": best_so_far(scores),
    }
