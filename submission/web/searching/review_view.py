"""The moves of a game, judged while a page waits: their worth, and the mistakes among them."""

from collections.abc import Generator, Iterator, Sequence
from typing import Any

from agents.solver.exact_moves import unrefuted
from agents.solver.solver import Solver
from envs.board import BoardGame, BoardState
from submission.reviewing.judged_game import mistake_of
from submission.web.searching.values import PositionValues, growing_values

PATIENCE_SECONDS = (0.25, 1.5, 10.0)
"""Work for each ply in the first round, the second and the third: what is quickly judged does not
wait for the rest."""
GUESS_SECONDS = (0.1, 0.3)
"""The same where nothing can be solved."""
PROVEN_SHARE = 0.5
"""The least value of a proven win; the sooner it comes, the closer to 1."""


def growing_review(
    env: BoardGame, actions: Sequence[int], solver: Solver | None
) -> Generator[dict[str, Any], None, None]:
    """Judge the plies of a game, and tell after every slice of time what is known.

    From the last ply backwards, for late positions are quickly solved, and help with earlier ones.

    Args:
        env: the rules.
        actions: the plies.
        solver: of this game; None where there is none.
    """
    states = [env.initial_state()]
    for action in actions:
        states.append(env.get_next_state(states[-1], action))
    growing = [growing_values(env, state, solver) for state in states[: len(actions)]]
    latest: dict[int, PositionValues] = {}
    work = _rounds(growing, latest, GUESS_SECONDS if solver is None else PATIENCE_SECONDS)
    goes_on = True
    while goes_on:
        goes_on = next(work, None) is not None
        yield {
            "plies": [
                ply_view(env, states[ply], actions[ply], values)
                for ply, values in sorted(latest.items())
            ],
            "done": not goes_on,
        }


def _rounds(
    growing: Sequence[Iterator[PositionValues]],
    latest: dict[int, PositionValues],
    patience: Sequence[float],
) -> Iterator[bool]:
    """Work at the plies in turn, in rounds of growing patience; a slice for each step."""
    for seconds in patience:
        for ply in reversed(range(len(growing))):
            known = latest.get(ply)
            while known is None or not (known.done or known.elapsed >= seconds):
                known = latest[ply] = next(growing[ply])
                yield True


def ply_view(
    env: BoardGame, state: BoardState, action: int, values: PositionValues
) -> dict[str, Any]:
    """A ply as JSON; the value is of the game after it, from player 1's view."""
    scores = {move: value.bounds for move, value in values.moves.items()}
    chosen = values.moves[action]
    return {
        "ply": state.mask.bit_count(),
        "player": state.player,
        "action": action,
        "value": _value(env, state, chosen.bounds.lower, chosen.bounds.outcome, chosen.estimate),
        "text": chosen.text,
        "mistake": mistake_of(values.position.bounds, chosen.bounds),
        "best": unrefuted(scores),
    }


def _value(
    env: BoardGame, state: BoardState, score: int, outcome: int | None, estimate: float | None
) -> float | None:
    """The worth of a move: of a proven one its result, nearer to 0 the later the game ends."""
    sign = 1 if state.player == 1 else -1
    if outcome is None:
        return None if estimate is None else sign * PROVEN_SHARE * estimate
    widest = (env.rows * env.columns + 1) // 2
    return sign * outcome * (PROVEN_SHARE + (1 - PROVEN_SHARE) * min(1.0, abs(score) / widest))
