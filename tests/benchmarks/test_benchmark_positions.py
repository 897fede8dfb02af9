"""The sets of positions: of the kinds that they claim, new, undecided, and rightly scored."""

from itertools import islice
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.solver.score_words import plies_left
from agents.solver.solver import Solver
from benchmarks.solver.make_positions import make_set, mirror_free_identity, random_moves
from benchmarks.solver.positions import (
    SETS,
    SIZE,
    PositionSet,
    ScoredPosition,
    read_positions,
    write_positions,
)
from benchmarks.solver.solver_peer import BitBully
from envs import ConnectFour, state_from_moves
from tests.helpers.bitbully_judge import bitbully_with_book
from tests.helpers.brute_force import BruteForce, score_by_brute_force
from tests.helpers.kaggle_rules import kaggle_game
from tests.helpers.published_positions import published_positions
from tests.helpers.strategies import Position, contested_games, late_positions, mirrored

each_set = pytest.mark.parametrize("kind", SETS, ids=lambda kind: kind.name)


@given(late_positions(contested_games(5), most_free_cells=8))
def test_a_score_tells_when_the_game_ends(position: Position) -> None:
    env, state = position
    truth = BruteForce(env)
    score = score_by_brute_force(env, truth, state)
    assert plies_left(env.rows * env.columns, state.ply, score) == truth.plies(state)


@each_set
def test_kinds_are_those_of_the_published_sets(kind: PositionSet) -> None:
    for moves, score in published_positions(kind.name):
        assert [other for other in SETS if other.admits(ScoredPosition(moves, score))] == [kind]


@each_set
def test_positions_are_of_their_kind_new_and_undecided(kind: PositionSet) -> None:
    positions = read_positions(kind.path)
    assert len(positions) == SIZE
    assert all(kind.admits(position) for position in positions)
    env = ConnectFour()
    states = [state_from_moves(env, position.moves) for position in positions]
    assert len({frozenset((state, mirrored(env, state))) for state in states}) == SIZE
    for state in states[::10]:
        assert not state.won
        assert kaggle_game(env, state).winning_columns() == []


@pytest.mark.parametrize("kind", SETS[:-1], ids=lambda kind: kind.name)
def test_scores_are_those_of_both_solvers(kind: PositionSet) -> None:
    """Of all sets but the hardest."""
    pytest.importorskip("bitbully")
    env, without_book = ConnectFour(), BitBully()
    positions = read_positions(kind.path)[:2]
    scores = [position.score for position in positions]
    states = [state_from_moves(env, position.moves) for position in positions]
    assert Solver(env).score_all(states) == scores
    assert [without_book.score(position.moves) for position in positions] == scores


@each_set
def test_the_seed_makes_the_positions(kind: PositionSet) -> None:
    bitbully = bitbully_with_book()
    assert list(islice(make_set(kind, 1, bitbully), 5)) == read_positions(kind.path)[:5]
    if kind is SETS[0]:
        assert list(islice(make_set(kind, 2, bitbully), 5)) != read_positions(kind.path)[:5]


@given(st.integers(1, 25), st.randoms(use_true_random=False))
def test_mirror_images_are_one_position(plies: int, rng: Random) -> None:
    env = ConnectFour()
    moves = random_moves(plies, rng)
    assert len(moves) == plies
    mirror = moves.translate(str.maketrans("1234567", "7654321"))
    state = state_from_moves(env, moves)
    assert state_from_moves(env, mirror) == mirrored(env, state)
    assert mirror_free_identity(moves) == mirror_free_identity(mirror)
    assert mirror_free_identity(moves) in (state, mirrored(env, state))


def test_what_is_written_is_read(tmp_path: Path) -> None:
    positions = [ScoredPosition("4453", -2), ScoredPosition("1", 0)]
    write_positions(tmp_path / "set.txt", positions)
    assert (tmp_path / "set.txt").read_text() == "4453 -2\n1 0\n"
    assert read_positions(tmp_path / "set.txt") == positions
