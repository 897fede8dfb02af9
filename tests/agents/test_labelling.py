"""Labelled positions: their scores beside independent solvers, and what is drawn."""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.policy.most_solved_left import most_solved_left
from agents.policy.training import labelling
from agents.policy.training.label_files import read_labelled_positions, write_labelled_positions
from agents.policy.training.labelled_positions import ILLEGAL, LabelledPositions
from agents.policy.training.labelling import (
    FIRST_CELLS_LEFT,
    LATE_CELLS_LEFT,
    LATE_GAMES,
    Ending,
    Games,
    LabelSettings,
    label_grove,
    make_labelled_positions,
)
from agents.solver.solver import Solver
from envs import BoardState, ConnectX
from tests.helpers.bitbully_judge import Judge
from tests.helpers.brute_force import BruteForce, action_score
from tests.helpers.executors import AtOnce
from tests.helpers.strategies import WIDE_BOARDS, mirrored, unfinished_states

CONNECT_FOUR = ConnectX()
LABELS = 300
"""How many positions of Connect Four are labelled."""


def made(
    env: ConnectX, count: int, seed: int = 0, workers: int = 1, executor: Executor | None = None
) -> tuple[LabelledPositions, Ending]:
    settings = LabelSettings(env, count, seed)
    with executor or ThreadPoolExecutor(workers) as chosen:
        return make_labelled_positions(settings, chosen, workers, lambda *_: None)


grove = cache(label_grove)


@pytest.fixture(scope="module")
def connect_four() -> LabelledPositions:
    return made(CONNECT_FOUR, LABELS)[0]


def labels_of(positions: LabelledPositions) -> Iterator[tuple[BoardState, dict[int, int]]]:
    """Each position, with the score of each legal column."""
    for state, scores in zip(positions.states, positions.scores.tolist(), strict=True):
        yield state, {c: score for c, score in enumerate(scores) if score != ILLEGAL}


def line_to(env: ConnectX, state: BoardState) -> list[int]:
    """Moves, counted from 0, that lead to a position."""

    @cache
    def moves_to(mover: int, mask: int) -> tuple[int, ...] | None:
        if mask == 0:
            return ()
        for column, cells in enumerate(env.action_cells):
            stone = 1 << max((mask & cells).bit_length() - 1, 0)
            if stone & mask & cells & ~mover:
                before = moves_to(mask ^ mover ^ stone, mask ^ stone)
                if before is not None:
                    return (*before, column)
        return None

    found = moves_to(state.mover, state.mask)
    assert found is not None
    return list(found)


def test_bitbully_finds_the_same_scores(connect_four: LabelledPositions) -> None:
    judge = Judge()
    drawn = np.random.default_rng(1).choice(len(connect_four), 50, replace=False)
    for state, scores in labels_of(connect_four.take(drawn)):
        assert judge.scores(line_to(CONNECT_FOUR, state)) == scores


@pytest.mark.parametrize(
    "board",
    [(4, 4, 3), (3, 4, 3), (5, 3, 3), (2, 6, 4), (1, 7, 3), (3, 3, 1), (3, 4, 2), (3, 3, 5)],
)
def test_brute_force_finds_the_same_scores_on_small_boards(board: tuple[int, int, int]) -> None:
    env = ConnectX(*board)
    truth = BruteForce(env)
    for number in range(2):
        for state, scores in labels_of(label_grove(env, 0, number)):
            legal = env.get_available_actions(state)
            assert scores == {action: action_score(env, truth, state, action) for action in legal}


def test_brute_force_finds_the_same_scores_at_the_end_of_games_on_a_wide_board() -> None:
    env = WIDE_BOARDS[0]
    late = [
        (state, scores)
        for state, scores in labels_of(grove(env, 1, 2))
        if state.mask.bit_count() > env.rows * env.columns - 7
    ]
    assert late
    assert max(state.mask for state, _ in late) > 1 << 64
    truth = BruteForce(env)
    for state, scores in late:
        sign = 1 if state.player == 1 else -1
        values = {action: sign * truth.action_value(state, action) for action in scores}
        assert {action: np.sign(score) for action, score in scores.items()} == values


def mirror_free(env: ConnectX, state: BoardState) -> tuple[int, ...]:
    """A position's board, the same for its mirror image."""
    return min(tuple(env.to_board(each)) for each in (state, mirrored(env, state)))


def test_a_small_game_is_exhausted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labelling, "FRUITLESS_GROVES", 50)
    env = ConnectX(2, 4, 3)
    positions, ending = made(env, 100_000)
    drawn = [mirror_free(env, state) for state, _ in labels_of(positions)]
    there = {mirror_free(env, state) for state in unfinished_states(env)}
    assert ending is Ending.EXHAUSTED
    assert set(drawn) <= there
    assert 0.98 * len(there) < len(drawn) == len(set(drawn))


def test_positions_are_distinct_in_play_and_as_many_as_asked(
    connect_four: LabelledPositions,
) -> None:
    states = [state for state, _ in labels_of(connect_four)]
    assert len({mirror_free(CONNECT_FOUR, state) for state in states}) == len(states) == LABELS
    for state, scores in labels_of(connect_four):
        replayed = CONNECT_FOUR.initial_state()
        for column in line_to(CONNECT_FOUR, state):
            replayed = CONNECT_FOUR.get_next_state(replayed, column)
        assert replayed == state
        assert list(scores) == list(CONNECT_FOUR.get_available_actions(state))


def test_workers_change_nothing_and_seeds_do() -> None:
    """Over several groves."""
    one, three, copied, other = (
        made(ConnectX(4, 5, 4), 400, *choice)[0]
        for choice in ((1,), (1, 3), (1, 2, AtOnce()), (2,))
    )
    for name in ("movers", "masks", "scores"):
        assert (getattr(one, name) == getattr(three, name)).all()
        assert (getattr(one, name) == getattr(copied, name)).all()
    assert (one.keys != other.keys).any()


def test_a_grove_begins_where_it_should_and_goes_on_to_the_end() -> None:
    for number in range(2):
        plies = Counter(label_grove(CONNECT_FOUR, 5, number).plies.tolist())
        opening, games = set(range(8)), set(plies) - set(range(8))
        assert opening <= set(plies)
        assert 42 - min(games) in FIRST_CELLS_LEFT
        assert plies[min(games)] == 1
        assert games == set(range(min(games), max(games) + 1))
        assert max(plies[ply] for ply in games if 42 - ply <= LATE_CELLS_LEFT) <= LATE_GAMES


def test_on_a_board_that_is_hard_to_solve_a_grove_begins_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On 3 rows of 14 columns, the solver needs minutes to hours for a grove of 28 free cells."""
    env = ConnectX(3, 14, 4)
    most = most_solved_left(env)
    assert 0 < most < min(FIRST_CELLS_LEFT)
    assert most_solved_left(CONNECT_FOUR) == 42, "nothing changes where the solver is fast"
    monkeypatch.setattr(Solver, "score_all", lambda _, states: [0] * len(states))
    assert {42 - label_grove(env, 6, number).plies.min() for number in range(3)} == {most}


def test_moves_are_drawn_by_their_scores() -> None:
    count, scores = 40_000, np.array([3, 1, ILLEGAL, -2, 3])
    legal = scores != ILLEGAL
    shares, temperatures = np.full(count, 0.2), np.full(count, 1.5)
    words = np.zeros(count, np.int64)
    columns = Games(words, words, shares, temperatures).draw_columns(
        np.tile(legal, (count, 1)), np.tile(scores, (count, 1)), np.random.default_rng(3)
    )
    weights = np.where(legal, np.exp(scores / 1.5), 0)
    expected = count * (0.2 * legal / legal.sum() + 0.8 * weights / weights.sum())
    drawn = np.bincount(columns, minlength=5)
    assert drawn[2] == 0
    spread = ((drawn - expected)[legal] ** 2 / expected[legal]).sum()
    assert spread < 21.1, "the 0.01 % point of chi-squared with three degrees of freedom"


@pytest.mark.parametrize("suffix", [".npz", ".parquet"])
@pytest.mark.parametrize("env", [CONNECT_FOUR, ConnectX(7, 8, 4), WIDE_BOARDS[0]], ids=repr)
def test_files_read_back_equal(tmp_path: Path, env: ConnectX, suffix: str) -> None:
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    positions = grove(env, 1, 2)
    path = tmp_path / f"labels{suffix}"
    write_labelled_positions(path, positions)
    read = read_labelled_positions(path)
    assert read.env == env
    assert len(read) == len(positions)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    for name in ("movers", "masks", "scores"):
        written, found = getattr(positions, name), getattr(read, name)
        assert written.dtype == found.dtype
        assert (written == found).all()


def test_a_parquet_file_has_nulls_for_full_columns(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    positions = grove(ConnectX(3, 3, 3), 0, 1)
    write_labelled_positions(tmp_path / "labels.parquet", positions)
    table = parquet.read_table(tmp_path / "labels.parquet")
    assert table.column_names == ["mover", "mask", "score_0", "score_1", "score_2"]
    nulls = [table[f"score_{column}"].null_count for column in range(3)]
    assert nulls == (positions.scores == ILLEGAL).sum(axis=0).tolist()
    assert sum(nulls) > 0


FIRST = {"movers": np.zeros(50, np.int64), "masks": np.zeros(50, np.int64)}
"""The empty board fifty times."""
DAMAGES: dict[str, dict[str, Any]] = {
    "format": {"format": np.array("another")},
    "board": {"board": np.array([6, 8, 4])},
    "wide": {"board": np.array([9, 9, 4])},
    "large": {"board": np.array([11, 12, 4])},
    "length": {"movers": np.zeros(1, np.int64)},
    "type": {"masks": np.zeros(50)},
    "stones": {"movers": np.full(50, -1)},
    "gap": {**FIRST, "masks": np.full(50, 0b10)},
    "full": {"scores": np.zeros((50, 7), np.int8), "masks": np.full(50, 0b111111)},
    "missing": {"scores": None},
    "huge": {"board": np.array([10**9, 7, 4])},
    "turn": {
        "movers": np.full(50, 1),
        "masks": np.full(50, 1),
        "scores": np.zeros((50, 7), np.int8),
    },
    "line": {
        "movers": np.full(50, 0b111),
        "masks": np.full(50, 0b1111 << 7 | 0b111),
        "scores": np.zeros((50, 7), np.int8),
    },
    # A win with the first stone has 21.
    "score": {**FIRST, "scores": np.full((50, 7), 22, np.int8)},
    "low score": {**FIRST, "scores": np.full((50, 7), -22, np.int8)},
}


def test_a_damaged_file_is_told_in_one_sentence(
    tmp_path: Path, connect_four: LabelledPositions
) -> None:
    path = tmp_path / "labels.npz"
    write_labelled_positions(path, connect_four.take(slice(50)))
    with np.load(path) as archive:
        whole = dict(archive)
    for damage in DAMAGES.values():
        arrays = {name: array for name, array in (whole | damage).items() if array is not None}
        np.savez(path, **arrays)
        with pytest.raises(ValueError, match=r"labels\.npz holds no labelled positions \(.*\): m"):
            read_labelled_positions(path)


@pytest.mark.parametrize("suffix", [".npz", ".parquet"])
def test_other_files_are_told_in_one_sentence(tmp_path: Path, suffix: str) -> None:
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / f"labels{suffix}"
    for content in (b"", b"PK", b"text", bytes(1000)):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"holds no labelled positions \(.*\): make one with"):
            read_labelled_positions(path)
