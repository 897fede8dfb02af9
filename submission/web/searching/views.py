"""The values of a position's moves, and the judged moves of a game, as JSON for a page."""

from collections.abc import Generator, Sequence
from typing import Any

from agents.solver.exact_moves import best_so_far
from agents.solver.position_bounds import sign
from agents.solver.solver import Solver
from envs.board import BoardGame, BoardState
from submission.play.game_history import History
from submission.reviewing.judged_game import mistake_of
from submission.web.searching.values import MoveValue, PositionValues, growing_values

PATIENCE_SECONDS = (0.25, 1.5, 10.0)
"""Seconds of work per ply by the end of each round: easy positions do not wait for hard ones."""
GUESS_SECONDS = (0.1, 0.3)  # the same without a solver
PROVEN_SHARE = 0.5  # the least balance of a proven win; the sooner it comes, the closer to 1
FAR = 42  # from this number of plies on, proven wins count equally


def values_view(values: PositionValues) -> dict[str, Any]:
    """The values as JSON."""
    best = values.best
    if values.position.kind == "loss" and len(best) == len(values.moves):
        best = []  # if every move loses equally soon, none stands out
    return {
        "columns": [
            {"action": action, "best": action in best, **value_view(value)}
            for action, value in values.moves.items()
        ],
        "position": {
            **value_view(values.position),
            "balance": balance(values.position, values.player),
        },
        "player": values.player,
        "phase": values.phase,
        "done": values.done,
        "elapsed": round(values.elapsed, 4),
    }


def balance(value: MoveValue, player: int) -> float | None:
    """How certain a win of player 1 (1) or player 2 (-1) is, for a bar or a curve; None if unknown.

    `value` is of a position or a move, from the view of `player`, who is 1 or 2.
    """
    sign = 1 if player == 1 else -1
    outcome = value.bounds.outcome
    if outcome is None:
        return None if value.estimate is None else sign * PROVEN_SHARE * value.estimate
    sooner = 1 - min(FAR, value.plies or 0) / FAR
    return sign * outcome * (PROVEN_SHARE + (1 - PROVEN_SHARE) * sooner)


def value_view(value: MoveValue) -> dict[str, Any]:
    """One value as JSON, with the worst and the best possible result: -1, 0 or 1."""
    return {
        "kind": value.kind,
        "plies": value.plies,
        "exact": value.bounds.exact,
        "text": value.text,
        "short": value.short,
        "least": sign(value.bounds.lower),
        "most": sign(value.bounds.upper),
        "estimate": value.estimate,
    }


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
