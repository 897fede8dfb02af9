"""The compiled alpha-beta gives the reference's values, and exact ones to the end of the game."""

from functools import partial
from random import Random
from time import sleep
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents import AlphaBetaAgent, SearchResult
from agents.agent import Clock
from agents.compiled.alpha_beta_tables import (
    AT_LEAST,
    AT_MOST,
    WIN_SCORE,
    pack_entry,
    score_value,
    slot_of,
    unpack_entry,
    value_score,
)
from agents.compiled.compilation import Compilation
from agents.compiled.compiled_alpha_beta import CompiledAlphaBeta, can_compile, useful_size
from agents.guidance.heuristics import zero
from agents.guidance.ordering import natural
from benchmarks.searches.forced_words import words_of_at_least
from envs import BoardGame, BoardState, ConnectFour, ConnectX, TicTacToe, state_from_moves
from envs.compiled.jit import Words, jit, zeros
from envs.compiled.jit import compiled as compiled_kernel
from tests.helpers.bitbully_judge import Judge
from tests.helpers.clocks import ticking_clock
from tests.helpers.small_games import MisereConnectX, Nim
from tests.helpers.strategies import (
    WIDE_BOARDS,
    Position,
    contested_games,
    quiet_game,
    random_game,
    unfinished_positions,
)

SIZES = [(6, 7, 4), (5, 5, 3), (4, 5, 4), (7, 8, 4), (6, 9, 5), (2, 9, 3), (1, 8, 2), (8, 1, 3)]
"""Rows, columns and length of a line; 7 x 8 cells with their guard bits take all of 64 bits."""
BOARDS = [ConnectX(*size) for size in SIZES]

heuristics = st.sampled_from(["zero", "open_lines"])


def compiled(**options: Any) -> AlphaBetaAgent:
    return AlphaBetaAgent(**{"time_limit": None, "engine": "compiled", "weights": None, **options})


def reference(**options: Any) -> AlphaBetaAgent:
    return AlphaBetaAgent(**{"time_limit": None, "engine": "reference", "weights": None, **options})


def contested_position(env: BoardGame, rng: Random) -> BoardState:
    return rng.choice(random_game(env, rng)[:-1])


# --- the reference's values


@pytest.mark.parametrize(
    "env", [*BOARDS, *(pytest.param(env, id=f"wide {env}") for env in WIDE_BOARDS)], ids=repr
)
@pytest.mark.parametrize("heuristic", ["zero", "open_lines"])
def test_the_value_of_a_depth_is_the_references(env: ConnectX, heuristic: str) -> None:
    for depth in range(1, 5 if env in WIDE_BOARDS else 8):
        rng = Random(depth)
        for _ in range(2 if depth > 5 else 4):
            state = contested_position(env, rng)
            options = {
                "depth": depth,
                "heuristic": heuristic,
                "iterative_deepening": depth % 2 == 0,
            }
            expected = reference(**options).search(env, state)
            found = compiled(**options).search(env, state)
            assert found.engine == "compiled"
            assert (found.value, found.depth) == (expected.value, expected.depth), (env, state)
            assert found.action == expected.action


def test_wide_words_see_the_same_states() -> None:
    """Node by node, on a board that needs no such words."""
    env, rng = ConnectFour(), Random(7)
    states = [env.initial_state(), *(contested_position(env, rng) for _ in range(5))]
    expected = [untimed(compiled(depth=9, table_size=1000).search(env, s)) for s in states]
    with words_of_at_least(128):
        found = [untimed(compiled(depth=9, table_size=1000).search(env, s)) for s in states]
    assert found == expected


@given(unfinished_positions(contested_games(largest=7)), st.integers(1, 5), heuristics)
def test_plain_python_runs_the_same_search(position: Position, depth: int, heuristic: str) -> None:
    """State by state: the same source, and nothing in it that machine words do differently."""
    env, state = position
    options = {"depth": depth, "heuristic": heuristic, "table_size": 100}
    expected = compiled(**options).search(env, state)
    with pytest.MonkeyPatch.context() as patch:
        plain = partial(CompiledAlphaBeta, plain=True)
        patch.setattr("agents.alpha_beta_agent.CompiledAlphaBeta", plain)
        assert untimed(compiled(**options).search(env, state)) == untimed(expected)


def untimed(result: SearchResult[int]) -> dict[str, Any]:
    return {**vars(result), "elapsed": 0.0}


# --- exact values


@pytest.mark.parametrize("heuristic", ["zero", "open_lines"])
def test_a_search_to_the_end_finds_what_bitbully_finds(heuristic: str) -> None:
    """Also how far the end is: at that depth the win is proven, and not before."""
    judge, env, rng = Judge(), ConnectFour(), Random(1)
    for _ in range(60):
        moves = quiet_game(env, rng.randrange(24, 40), rng)
        state = state_from_moves(env, moves)
        score = max(judge.scores(moves).values())  # > 0: the player whose turn it is wins
        result = compiled(heuristic=heuristic).search(env, state)
        assert result.value == ((score > 0) - (score < 0)) * (1 if state.player == 1 else -1)
        if score:
            # |score| = k: the winner, 1 or 2, wins with the k-th last of 21 stones.
            last_ply = 2 * (22 - abs(score)) - (result.value == 1.0)
            assert result.depth == last_ply - state.mask.bit_count()


# --- slices and clocks


@given(unfinished_positions(contested_games(largest=7)), st.integers(2, 6), st.integers(1, 50))
def test_a_search_goes_on_where_it_was_interrupted(
    position: Position, depth: int, nodes: int
) -> None:
    env, state = position
    expected = compiled(depth=depth).search(env, state)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("agents.compiled.compiled_alpha_beta.NODES_PER_SLICE", nodes)
        assert untimed(compiled(depth=depth).search(env, state)) == untimed(expected)


def test_the_clock_is_looked_at_within_a_move_of_the_root() -> None:
    """One slice of the search takes a fraction of what a depth of 20 plies does."""
    env = ConnectFour()
    with ticking_clock():
        result = compiled(depth=20, iterative_deepening=False, table_size=0).search(
            env, env.initial_state(), time_limit=10
        )
    assert result.depth is not None
    assert result.nodes < 2_000_000


def test_compiling_is_not_part_of_a_moves_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def compile_slowly() -> bool:
        sleep(0.3)
        return True

    slow = Compilation("alpha-beta", compile_slowly)
    monkeypatch.setattr("agents.alpha_beta_agent.alpha_beta_on", lambda *_: slow)
    env = ConnectFour()
    result = compiled(depth=1).search(env, env.initial_state(), time_limit=0.2)
    assert result.elapsed < 0.2
    assert result.depth == 1


# --- which engine searches


@pytest.mark.parametrize(
    ("env", "fits"),
    [
        *((env, True) for env in BOARDS),
        (ConnectX(15, 16, 5), True),  # 256 bits
        (ConnectX(16, 16, 4), False),  # 272 bits
        (ConnectX(20, 4, 13), False),  # shifts of 12 columns, 265 bits
        (ConnectX(1, 30, 17), False),
        (MisereConnectX(), False),
        (TicTacToe(), False),
        (Nim(1, 2), False),
    ],
    ids=lambda value: repr(value).partition(" object")[0],
)
def test_the_kernel_searches_connect_x_that_fits_its_words(env: Any, fits: bool) -> None:
    assert can_compile(env, zero, natural) == fits


@pytest.mark.parametrize(
    "options",
    [
        {"heuristic": "threats"},
        {"heuristic": lambda env, state: 0.5},
        {"ordering": lambda env, state, actions: actions},
        {},
    ],
    ids=["threats", "heuristic", "ordering", "without Numba"],
)
def test_what_the_kernel_cannot_search_is_refused_or_left_to_the_reference(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    if not options:
        without = Compilation("alpha-beta", lambda: False)
        monkeypatch.setattr("agents.alpha_beta_agent.alpha_beta_on", lambda *_: without)
    env = ConnectFour()
    with pytest.raises(ValueError, match="the compiled engine needs Numba, ConnectX on a board"):
        compiled(depth=2, **options).search(env, env.initial_state())
    expected = reference(depth=3, **options).search(env, env.initial_state())
    found = AlphaBetaAgent(depth=3, **options).search(env, env.initial_state())
    assert untimed(found) == untimed(expected)


# --- scores and the table


@given(st.integers(4, 16), st.integers(-(2**10), 2**10))
def test_every_score_comes_back_from_its_value(inarow: int, score: int) -> None:
    scaled = score * 4 ** max(0, inarow - 6) + 1
    assert -1.0 < score_value(scaled, inarow) < 1.0
    assert value_score(score_value(scaled, inarow), inarow) == scaled


@given(
    st.integers(-WIN_SCORE, WIN_SCORE),
    st.integers(1, 255),
    st.sampled_from([AT_LEAST, AT_MOST, AT_LEAST | AT_MOST]),
    st.integers(0, 254),
    st.sampled_from([(-1, -1), (-1, 0), (-1, 1), (0, 0), (0, 1), (1, 1)]),
)
def test_an_entry_holds_what_was_packed(
    score: int, reach: int, bound: int, cell: int, proven: tuple[int, int]
) -> None:
    entry = pack_entry(score, reach, bound, 1 << cell, *proven)
    assert 0 < entry < 1 << 63
    assert unpack_entry(entry) == (score, reach, bound, cell, *proven)
    assert unpack_entry(0)[-2:] == (-1, 1), "the key of an empty entry is that of the empty board"


@jit
def slot_of_small_key(table: Words, key: int) -> int:
    return slot_of(table, key & 0xFFFF_FFFF)


@given(st.integers(0, 2**32 - 1), st.integers(1, 1000))
def test_a_place_is_the_same_where_the_compiler_knows_a_keys_sign(key: int, states: int) -> None:
    table = zeros(states, 2)
    assert 0 <= slot_of(table, key << 31) < states
    assert compiled_kernel(slot_of_small_key)(table, key) == slot_of(table, key)


def test_states_spread_over_the_table() -> None:
    """As balls thrown into as many boxes: about 1 / e of the places stay empty."""
    env, rng = ConnectFour(), Random(2)
    states: set[BoardState] = set()
    while len(states) < 5000:
        states.update(random_game(env, rng))
    table = zeros(len(states), 2)
    taken = {slot_of(table, state.mover + state.mask) for state in states}
    assert 0.60 < len(taken) / len(states) < 0.67


@pytest.mark.parametrize("depth", [3, 5, 7])
def test_the_useful_size_of_a_table_has_room_for_a_search(depth: int) -> None:
    """In a larger one the same states are searched."""
    env, rng = ConnectFour(), Random(depth)
    sizes = [useful_size(env, depth, 10**7), 10**7]
    assert sizes[0] < sizes[1]
    for _ in range(5):
        state, nodes = state_from_moves(env, quiet_game(env, 12, rng)), list[int]()
        for size in sizes:
            search = CompiledAlphaBeta(env, zero, natural, Clock(), size, killer_moves=True)
            for plies in range(1, depth + 1):
                for action in env.get_available_actions(state):
                    search.action_value(state, action, plies, 0, -1.0, 1.0)
            nodes.append(search.nodes)
        assert nodes[0] == pytest.approx(nodes[1], rel=0.01)
    assert useful_size(env, 10**9, 10**6) == 10**6, "to the end of the game"
