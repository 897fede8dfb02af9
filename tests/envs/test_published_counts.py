"""Counts of games and positions, against published numbers."""

from collections import Counter
from collections.abc import Iterator
from itertools import islice

from envs import BoardGame, BoardState, ConnectFour, TicTacToe


def positions_by_ply(env: BoardGame) -> Iterator[Counter[BoardState]]:
    """The positions after 0, 1, 2 ... plies, each with the number of games that lead to it."""
    layer = Counter([env.initial_state()])
    while layer:
        yield layer
        following = Counter[BoardState]()
        for state, games in layer.items():
            for action in env.get_available_actions(state):
                following[env.get_next_state(state, action)] += games
        layer = following


def test_connect_four_perft_and_distinct_positions() -> None:
    """Distinct positions: OEIS A212693."""
    layers = list(islice(positions_by_ply(ConnectFour()), 9))
    assert [layer.total() for layer in layers[1:8]] == [
        7, 49, 343, 2401, 16807, 117649, 823536,
    ]  # fmt: skip
    assert [len(layer) for layer in layers] == [
        1, 7, 49, 238, 1120, 4263, 16422, 54859, 184275,
    ]  # fmt: skip


def test_tic_tac_toe_counts() -> None:
    """549 946 nodes, 255 168 games (131 184 for X, 77 904 for O, 46 080 draws), 5478 positions."""
    env = TicTacToe()
    layers = list(positions_by_ply(env))
    games = Counter[int | None]()
    for layer in layers:
        for state, paths in layer.items():
            if not env.get_available_actions(state):
                games[env.winner(state)] += paths
    assert sum(layer.total() for layer in layers) == 549_946
    assert games == {1: 131_184, 2: 77_904, None: 46_080}
    assert sum(len(layer) for layer in layers) == 5478
