from collections.abc import Iterator
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envs import ConnectX
from submission.arena.game_record import GameConfiguration
from submission.match.schedule import Opening, Settings, openings, shuffled_openings
from tests.helpers.kaggle_rules import KaggleGame, kaggle_game

KAGGLE = GameConfiguration()
POSITIONS_BY_PLY = [1, 7, 49, 238, 1120, 4263, 16422]
"""OEIS A212693: distinct positions of Connect Four; none is won before the seventh ply."""


@st.composite
def small_boards(draw: st.DrawFn) -> GameConfiguration:
    side = st.integers(1, 4)
    return GameConfiguration(draw(side), draw(side), draw(st.integers(1, 4)))


def after(configuration: GameConfiguration, columns: Opening) -> KaggleGame | None:
    """Kaggle's game after these columns; None where one is illegal or the game is over."""
    env = ConnectX(configuration.rows, configuration.columns, configuration.inarow)
    game = kaggle_game(env, env.initial_state())
    for column in columns:
        if game.over or column not in game.open_columns:
            return None
        game.play(column)
    return None if game.over else game


def boards_going_on(configuration: GameConfiguration, plies: int) -> Iterator[tuple[int, ...]]:
    """Kaggle's board after every game of `plies` plies that is not over."""
    for columns in product(range(configuration.columns), repeat=plies):
        if (game := after(configuration, columns)) is not None:
            yield tuple(game.board)


@pytest.mark.parametrize(("plies", "positions"), list(enumerate(POSITIONS_BY_PLY)))
def test_there_are_as_many_as_published_in_ascending_order(plies: int, positions: int) -> None:
    found = openings(KAGGLE, plies)
    assert len(found) == positions
    assert found == sorted(found)


@given(small_boards(), st.integers(0, 5))
def test_they_lead_to_each_position_that_kaggles_rules_reach_once(
    configuration: GameConfiguration, plies: int
) -> None:
    expected = set(boards_going_on(configuration, plies))
    if not expected:
        with pytest.raises(ValueError, match="every game on this board is over"):
            openings(configuration, plies)
        return
    games = [after(configuration, opening) for opening in openings(configuration, plies)]
    boards = [tuple(game.board) for game in games if game is not None]
    assert len(boards) == len(games)
    assert len(boards) == len(set(boards))
    assert set(boards) == expected


@given(st.integers(0, 2**32))
def test_a_seed_gives_one_order_of_all_of_them(seed: int) -> None:
    order = shuffled_openings(Settings(2, seed))
    assert sorted(order) == openings(KAGGLE, 2)
    assert order == shuffled_openings(Settings(2, seed))


def test_orders_have_no_favourite_opening() -> None:
    """Each of the 49 comes first about 20 times in 980; a chi-square of 100 has a p of 1e-5."""
    firsts = [shuffled_openings(Settings(2, seed))[0] for seed in range(980)]
    counts = [firsts.count(opening) for opening in openings(KAGGLE, 2)]
    assert sum((count - 20) ** 2 / 20 for count in counts) < 100


@pytest.mark.parametrize(
    ("configuration", "plies", "message"),
    [
        (KAGGLE, 7, "more than 50000 positions after ply 7 .* at most 6 here, not 7"),
        (GameConfiguration(9, 99), 1000, "at most 2 here, not 1000"),
        (GameConfiguration(2, 2, 2), 3, "is over after ply 3 .* at most 2 here, not 3"),
        (GameConfiguration(inarow=1), 2, "is over after ply 1 .* at most 0 here, not 2"),
    ],
)
def test_other_numbers_of_plies_are_refused(
    configuration: GameConfiguration, plies: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        openings(configuration, plies)
