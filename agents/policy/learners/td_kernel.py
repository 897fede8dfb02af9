"""TD(lambda) by self-play, compiled: games of a linear value function, which learns from each.

The value of a position, for the player to move, is tanh of the sum of the weights of its features
(`agents.policy.features`). A game goes on with the move whose position is worth least to the other
player, or at times with any move. Wins and losses that two plies show are not learnt but seen.

After a game each of its positions learns its lambda-return, the mean of what the look-ahead from
it and from all later positions says, the later the less (the forward view of R. S. Sutton,
"Learning to Predict by the Methods of Temporal Differences", 1988). Each weight has a rate of its
own, the higher the more its changes agree: temporal coherence learning (D. F. Beal and M. C. Smith,
1999), as in S. Bagheri, M. Thill, P. Koch and W. Konen, "Online Adaptable Learning Rates for the
Game Connect-4" (2016).
"""

from math import tanh
from typing import Any, NamedTuple

from agents.compiled.puct_kernel import safe_moves, value_at_sight
from agents.compiled.tree_nodes import UNPROVEN
from agents.policy.features import FeatureBoard, active_features
from envs.bitboard import mirrored
from envs.compiled.jit import inlined, jit
from envs.compiled.random_stream import drawn_index, next_stream

CHANCES = 1 << 20
"""Probabilities are given in parts of this."""


class TDArrays(NamedTuple):
    """The tables that are learnt, and the memory of a game."""

    weights: Any
    """[feature] The weights, of which the last one belongs to no feature: it always counts."""
    net_changes: Any
    """[feature] The sum of a weight's recommended changes."""
    all_changes: Any
    """[feature] The sum of their sizes."""
    found: Any
    """[n] Room for the numbers of features."""
    movers: Any
    """[ply] Stones of the player to move, in the game's positions."""
    masks: Any
    """[ply] All stones."""
    best: Any
    """[ply] The value of the best move, for the player to move."""
    explored: Any
    """[ply] 1 where the move was drawn; else 0."""


class TDSettings(NamedTuple):
    """How to learn."""

    rate: float
    """The step of a weight whose changes have all agreed."""
    decay: float
    """Lambda."""
    exploration: int
    """The probability of a random move, in parts of CHANCES."""


@jit
def learn_from_games(
    board: FeatureBoard, arrays: TDArrays, settings: TDSettings, stream: int, games: int
) -> tuple[int, float]:
    """Play games, and learn from each.

    Args:
        board: the board.
        arrays: what is learnt.
        settings: how.
        stream: the stream of random numbers.
        games: how many.

    Returns:
        The stream where it stopped, and the mean squared error of the values.
    """
    columns = board.bits // (board.rows + 1)
    errors, positions = 0.0, 0
    for _ in range(games):
        plies, result, stream = play_game(board, arrays, settings, stream)
        for ply in range(plies - 1, -1, -1):
            if arrays.explored[ply]:
                result = -arrays.best[ply]
            target = (1.0 - settings.decay) * arrays.best[ply] - settings.decay * result
            mover, mask = int(arrays.movers[ply]), int(arrays.masks[ply])
            error = learn_value(board, arrays, mover, mask, target, settings.rate)
            mover = mirrored(board.rows, columns, mover)
            mask = mirrored(board.rows, columns, mask)
            learn_value(board, arrays, mover, mask, target, settings.rate)
            errors += error * error
            result = target
        positions += plies
    return stream, errors / max(1, positions)


@inlined
def play_game(
    board: FeatureBoard, arrays: TDArrays, settings: TDSettings, stream: int
) -> tuple[int, float, int]:
    """Play a game until two plies of look-ahead decide it.

    Returns:
        Its plies until then, the result for the player to move there, and the stream.
    """
    mover = mask = ply = 0
    seen = value_at_sight(board, mover, mask)
    while seen == UNPROVEN:
        moves = safe_moves(board, mover, mask)
        best, cell = best_move(board, arrays, mover, mask, moves)
        stream = next_stream(stream)
        explores = drawn_index(stream, CHANCES) < settings.exploration
        if explores:
            stream = next_stream(stream)
            cell = drawn_cell(moves, stream)
        arrays.movers[ply], arrays.masks[ply] = mover, mask
        arrays.best[ply], arrays.explored[ply] = best, explores
        mover, mask = mask ^ mover, mask | cell
        ply += 1
        seen = value_at_sight(board, mover, mask)
    return ply, float(-seen), stream


@inlined
def best_move(
    board: FeatureBoard, arrays: TDArrays, mover: int, mask: int, moves: int
) -> tuple[float, int]:
    """The value of the best of `moves`, for the player to move, and the move itself."""
    best, best_cell = -2.0, 0
    while moves:
        cell = moves & -moves
        moves ^= cell
        value = float(value_at_sight(board, mask ^ mover, mask | cell))
        if value == UNPROVEN:
            value = -linear_value(board, arrays, mask ^ mover, mask | cell)
        if value > best:
            best, best_cell = value, cell
    return best, best_cell


@inlined
def drawn_cell(cells: int, stream: int) -> int:
    """One of `cells`, by the random number that the stream has come to."""
    for _ in range(drawn_index(stream, cells.bit_count())):
        cells &= cells - 1
    return cells & -cells


@inlined
def linear_value(board: FeatureBoard, arrays: TDArrays, mover: int, mask: int) -> float:
    """The value of a position, for the player to move."""
    weights, found = arrays.weights, arrays.found
    holding = active_features(board, mover, mask, found)
    total = weights[len(weights) - 1]
    for n in range(holding):
        total += weights[found[n]]
    return tanh(total)


@inlined
def learn_value(
    board: FeatureBoard, arrays: TDArrays, mover: int, mask: int, target: float, rate: float
) -> float:
    """Bring the value of a position nearer to a target; return how far it was off.

    The step is that of the logistic loss, which a value near -1 or 1 does not hold up.
    """
    error = target - linear_value(board, arrays, mover, mask)
    found = arrays.found
    holding = active_features(board, mover, mask, found)
    found[holding] = len(arrays.weights) - 1
    for n in range(holding + 1):
        change_weight(arrays, found[n], rate * error)
    return error


@inlined
def change_weight(arrays: TDArrays, feature: int, change: float) -> None:
    """Change a weight by a part of what is recommended: the more its changes have agreed."""
    net, every = arrays.net_changes, arrays.all_changes
    if every[feature] > 0.0:
        arrays.weights[feature] += change * abs(net[feature]) / every[feature]
    else:
        arrays.weights[feature] += change
    net[feature] += change
    every[feature] += abs(change)
