"""The solver against published scores, full minimax, BitBully, and itself in plain Python."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from math import inf
from random import Random
from time import sleep
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.agent import Clock
from agents.compiled import compilation
from agents.compiled.compilation import Compilation
from agents.solver import solver_engine
from agents.solver.score_table import empty_table, table_layout, table_length
from agents.solver.solver import ScoreBounds, Solver
from agents.solver.solver_engine import CompiledEngine, CompiledJob, fits_solver, solver_compilation
from agents.solver.solver_kernel import SOLVER_FRAME_FIELDS, SolverStack
from agents.solver.solver_windows import (
    GENERATION,
    SOLVER_PROGRESS_FIELDS,
    VISITED,
    Batch,
    SolverArrays,
    narrow_bounds,
)
from benchmarks.searches.forced_words import words_of_at_least
from benchmarks.solver.solver_peer import BitBully
from benchmarks.strength.value_losses import PUBLISHED_FILES
from envs import BoardState, ConnectFour, ConnectX, TicTacToe, state_from_moves
from envs.bitboard import board_masks
from envs.compiled.jit import bits_of_word
from tests.helpers.brute_force import BruteForce, score_by_brute_force, truth_of
from tests.helpers.published_positions import published_positions
from tests.helpers.small_games import MisereConnectX, Race
from tests.helpers.strategies import WIDE_BOARDS, quiet_game, random_game

CONNECT_FOUR = ConnectFour()
QUICK = {"mid-medium": 400, "begin-medium": 15, "begin-hard": 1}
"""How many positions of the slow sets are solved."""


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver(CONNECT_FOUR)


def unfinished(env: ConnectX, seed: int) -> list[BoardState]:
    """The states of a random game in which it goes on."""
    return random_game(env, Random(seed))[:-1]


@pytest.mark.thorough
@pytest.mark.parametrize("name", PUBLISHED_FILES)
def test_published_scores(name: str, solver: Solver) -> None:
    positions = published_positions(name, QUICK.get(name))
    states = [state_from_moves(CONNECT_FOUR, moves) for moves, _ in positions]
    assert solver.score_all(states) == [score for _, score in positions]


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize(
    ("rows", "columns", "inarow"), [(4, 4, 3), (3, 5, 3), (2, 6, 2), (7, 2, 4), (3, 4, 5)]
)
def test_small_boards_against_full_minimax(
    rows: int, columns: int, inarow: int, plain: bool
) -> None:
    env = ConnectX(rows, columns, inarow)
    truth, solver = truth_of(env), Solver(env, plain=plain)
    assert solver.is_compiled != plain
    states = [state for seed in range(8) for state in unfinished(env, seed)]
    expected = [score_by_brute_force(env, truth, state) for state in states]
    assert solver.score_all(states) == expected
    assert [solver.outcome(state) for state in states] == [
        (score > 0) - (score < 0) for score in expected
    ]


def test_where_no_line_fits_many_positions_take_no_search_either() -> None:
    env = ConnectX(6, 7, 8)
    assert Solver(env).score_all([env.initial_state()] * 2) == [0, 0]


@pytest.mark.parametrize(
    ("env", "plies"),
    [
        *((ConnectX(7, 8, 4), 46), (ConnectX(7, 8, 5), 46)),
        pytest.param(WIDE_BOARDS[0], 54, id="wide"),
        pytest.param(ConnectX(10, 12, 5), 113, id="wider", marks=pytest.mark.slow),
    ],
)
def test_the_last_plies_on_large_boards(env: ConnectX, plies: int) -> None:
    """Of 64 bits, where the guard bit of the last column is the sign, and of 128 and 256."""
    truth, rng = BruteForce(env), Random(1)
    states = [state_from_moves(env, quiet_game(env, plies + i % 7, rng)) for i in range(20)]
    expected = [score_by_brute_force(env, truth, state) for state in states]
    for threads in (1, 2):
        solver = Solver(env, threads=threads)
        assert solver.is_compiled
        assert solver.score_all(states) == expected


@pytest.mark.parametrize("positions", [200, pytest.param(100_000, marks=pytest.mark.slow)])
def test_random_positions_against_bitbully(positions: int) -> None:
    """With all 100 000 it takes some quarter of an hour."""
    pytest.importorskip("bitbully.bitbully_core")
    judge, solver, rng = BitBully(), Solver(CONNECT_FOUR), Random(positions)
    for _ in range(positions):
        moves = quiet_game(CONNECT_FOUR, rng.randint(14, 41), rng)
        assert solver.score(state_from_moves(CONNECT_FOUR, moves)) == judge.score(moves), moves


def test_wide_words_find_published_scores() -> None:
    """On a board that needs no such words."""
    positions = [*published_positions("end-easy", 200), *published_positions("mid-easy", 200)]
    with words_of_at_least(128):
        solver = Solver(CONNECT_FOUR)
        states = [state_from_moves(CONNECT_FOUR, moves) for moves, _ in positions]
        assert solver.score_all(states) == [score for _, score in positions]


@pytest.mark.parametrize(
    ("rows", "columns", "outcome"), [(4, 4, 0), (5, 5, 0), (5, 6, 0), (4, 8, -1)]
)
def test_published_values_of_empty_boards(rows: int, columns: int, outcome: int) -> None:
    """J. Tromp's table of solved board sizes: who wins if both play their best."""
    env = ConnectX(rows, columns)
    assert Solver(env).outcome(env.initial_state()) == outcome


@pytest.mark.parametrize(("plain", "plies"), [(False, 22), (True, 26)])
@given(seed=st.integers(0, 2**32 - 1), nodes=st.integers(1, 2000))
def test_a_limit_leaves_bounds_around_the_score(
    plain: bool, plies: int, seed: int, nodes: int
) -> None:
    state = state_from_moves(CONNECT_FOUR, quiet_game(CONNECT_FOUR, plies, Random(seed)))
    score = Solver(CONNECT_FOUR, table_megabytes=1).score(state)
    bounds = Solver(CONNECT_FOUR, table_megabytes=1, plain=plain).bounds(state, node_limit=nodes)
    assert bounds.lower <= score <= bounds.upper
    assert bounds.nodes <= nodes
    assert bounds.outcome in (None, (score > 0) - (score < 0))


def test_a_range_that_ends_before_it_begins_is_refused(solver: Solver) -> None:
    with pytest.raises(ValueError, match="give the lower bound first"):
        solver.bounds(CONNECT_FOUR.initial_state(), within=(3, 1))


def test_a_search_in_slices_is_the_uninterrupted_one() -> None:
    state = state_from_moves(CONNECT_FOUR, "274552224131661")
    job = CompiledJob(CompiledEngine(CONNECT_FOUR, 64), [state], -21, 21, False, False)
    limit = 0
    while job.lowers[0] < job.uppers[0]:
        limit += 97
        job.run(Clock(), limit)
    bounds = Solver(CONNECT_FOUR).bounds(state)
    assert (job.lowers[0], job.nodes) == (bounds.lower, bounds.nodes)


def test_a_long_search_goes_on_in_code_for_its_board_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    env = ConnectX(4, 6, 4)
    state = env.initial_state()
    usual = Solver(env).bounds(state)
    monkeypatch.setattr(solver_engine, "OWN_CODE_NODES", 1)
    engine = CompiledEngine(env, 64)
    shared, job = engine.solve, CompiledJob(engine, [state], -12, 12, False, False)
    monkeypatch.setattr(compilation.WIDE_BOARDS, "most", 1)  # as where users choose the boards
    job.run(Clock(), 20)
    monkeypatch.setattr(compilation.WIDE_BOARDS, "most", None)
    assert not solver_engine.own_compilation(env)._begun
    while engine.solve is shared:
        job.run(Clock(), job.nodes + 1)
        sleep(0.02)
    assert job.lowers[0] < job.uppers[0]
    job.run(Clock(), inf)
    assert (job.lowers[0], job.uppers[0], job.nodes) == (usual.lower, usual.upper, usual.nodes)


def test_a_time_limit_ends_the_search_in_time() -> None:
    solver = Solver(CONNECT_FOUR)
    solver.bounds(CONNECT_FOUR.initial_state(), node_limit=1)
    clock = Clock()
    bounds = solver.bounds(CONNECT_FOUR.initial_state(), time_limit=0.1)
    assert clock.elapsed < 1
    assert bounds.lower <= 1 <= bounds.upper, "the first player wins with the last stone"
    assert not bounds.exact


def test_compiling_takes_no_time_from_a_search(monkeypatch: pytest.MonkeyPatch) -> None:

    def compiled_slowly(env: ConnectX) -> Compilation:
        sleep(0.3)
        return solver_compilation(env)

    monkeypatch.setattr("agents.solver.solver.solver_compilation", compiled_slowly)
    env = ConnectX(4, 4, 3)
    state = state_from_moves(env, "2233")
    assert Solver(env, plain=True).bounds(state, time_limit=0.2).exact
    assert all(found.exact for found in Solver(env, plain=True).scores(state, 0.2).values())


def test_sizes_may_be_numpys() -> None:
    env = ConnectX(4, 4, 3)
    sizes: list[Any] = [np.int64(1), np.int32(2)]
    assert Solver(env, *sizes).outcome(env.initial_state()) == 1


def test_threads_that_share_a_table_find_the_same_scores(solver: Solver) -> None:
    positions = published_positions("mid-medium", 200)
    states = [state_from_moves(CONNECT_FOUR, moves) for moves, _ in positions]
    shared = Solver(CONNECT_FOUR, threads=2)
    assert shared.score_all(states) == [score for _, score in positions]
    assert {a: b.lower for a, b in shared.scores(states[0]).items()} == {
        a: b.lower for a, b in solver.scores(states[0]).items()
    }


def test_cold_scores_are_the_same_and_cost_the_same_each_time() -> None:
    """More positions than there are generations in a word, so that the table is cleared too."""
    env = ConnectX(7, 8)
    solver = Solver(env)
    state = state_from_moves(env, quiet_game(env, 40, Random(3)))
    assert len(set(solver.score_all([state] * 5, cold=True))) == 1


def test_what_is_forgotten_stays_so_when_the_numbers_of_generations_begin_anew() -> None:
    solver = Solver(CONNECT_FOUR, table_megabytes=1)
    late = state_from_moves(CONNECT_FOUR, "526413766633133111176537")
    first = solver.bounds(late)
    numbers = 1 << table_layout(board_masks(6, 7, 4), 1).near.generation_bits
    for _ in range(numbers - 1):  # none is 0
        solver.forget()
    assert solver.bounds(late) == first
    assert first.nodes > solver.bounds(late).nodes


def positions_of_boards(rng: Random) -> Iterator[tuple[ConnectX, BoardState]]:
    for rows, columns, inarow, plies in [(6, 7, 4, 24), (5, 5, 4, 10), (7, 8, 4, 46), (4, 6, 3, 6)]:
        env = ConnectX(rows, columns, inarow)
        for _ in range(5):
            yield env, state_from_moves(env, quiet_game(env, plies, rng))


def test_the_kernel_as_it_stands_searches_the_same_tree() -> None:
    """In plain Python: not only the same scores, but the same number of nodes."""
    for env, state in positions_of_boards(Random(5)):
        board = board_masks(env.rows, env.columns, env.inarow)
        layout, most = table_layout(board, 64), env.rows * env.columns
        lowers: Any = [-most]
        uppers: Any = [most]
        progress: Any = [0] * SOLVER_PROGRESS_FIELDS
        progress[GENERATION] = 1
        movers: Any = [state.mover]
        masks: Any = [state.mask]
        frames: Any = [[0] * SOLVER_FRAME_FIELDS for _ in range(most + 2)]
        moves: Any = {}
        entries: Any = defaultdict(int)
        nobody: Any = []
        solved = narrow_bounds(
            board,
            layout,
            Batch(movers, masks, lowers, uppers, cold=False, under_way=nobody),
            SolverArrays(SolverStack(frames, moves), entries, progress),
            10**9,
        )
        bounds = Solver(env).bounds(state)
        assert solved
        assert (lowers, uppers) == ([bounds.lower], [bounds.upper])
        assert progress[VISITED] == bounds.nodes


@pytest.mark.parametrize("plies", [20, 24, 30])
def test_the_plain_solver_finds_published_scores(plies: int) -> None:
    """On positions of all published sets with this number of stones."""
    solver, found = Solver(CONNECT_FOUR, plain=True), 0
    for name in PUBLISHED_FILES:
        for moves, score in published_positions(name, 1000):
            if len(moves) == plies and found < 40:
                assert solver.score(state_from_moves(CONNECT_FOUR, moves)) == score
                found += 1
    assert found


def test_the_least_table_is_as_large_as_stated() -> None:
    """On boards that fill their words; on all others that the solver takes it is smaller."""
    least: dict[tuple[int, int], int] = {}
    for rows, columns in product(range(1, 125), repeat=2):
        if fits_solver(rows, columns, 1):
            masks = board_masks(rows, columns, 1)
            entries = table_length(table_layout(masks, 1))
            least[rows, columns] = entries * bits_of_word(masks.board) // 8 >> 20
    for megabytes, board in ((64, (7, 8)), (128, (7, 16))):
        full = {size for size in least if (size[0] + 1) * size[1] == megabytes}  # as many bits
        assert {size for size in least if least[size] == megabytes} == full
        assert empty_table(table_layout(board_masks(*board, 4), 1)).nbytes >> 20 == megabytes
    assert max(least.values()) == 128


def test_bad_input_is_one_clear_sentence(solver: Solver) -> None:
    with pytest.raises(ValueError, match="columns \\* \\(rows \\+ 1\\) at most 256"):
        Solver(ConnectX(12, 12))
    for other in (TicTacToe(), Race(4), MisereConnectX()):
        with pytest.raises(ValueError, match="the rules of ConnectX, not"):
            Solver(other)  # type: ignore[arg-type]
    for megabytes, wrong in ((0, "at least 1"), (1.5, "a whole number")):
        with pytest.raises(ValueError, match=f"table_megabytes must be {wrong}, not {megabytes}"):
            Solver(CONNECT_FOUR, table_megabytes=megabytes)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=f"no memory for a table of {10**9} MB: choose a smaller"):
        Solver(CONNECT_FOUR, table_megabytes=10**9).score(CONNECT_FOUR.initial_state())
    with pytest.raises(ValueError, match="threads must be at least 1"):
        Solver(CONNECT_FOUR, threads=0)
    over = state_from_moves(CONNECT_FOUR, "1212121")
    for ask in (solver.score, solver.outcome, solver.bounds, solver.scores):
        with pytest.raises(ValueError, match="the game is over"):
            ask(over)
    with pytest.raises(ValueError, match="the game is over"):
        solver.score_all([over])


def test_bounds_from_the_other_side() -> None:
    assert ScoreBounds(-3, 5, 7).for_opponent() == ScoreBounds(-5, 3, 7)
    assert [ScoreBounds(*b).outcome for b in ((1, 4), (0, 0), (-9, -1), (0, 1), (-1, 1))] == [
        1, 0, -1, None, None,
    ]  # fmt: skip
