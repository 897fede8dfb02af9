"""The repertoire: its bits, its bytes, and each of its moves against full minimax and BitBully."""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import cache
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.agent import OnProgress
from agents.book.book_format import REPERTOIRES, decode_repertoire, encode_repertoire
from agents.book.building.book_building import Checkpoint, UnfinishedBook, build_repertoire
from agents.book.building.repertoire_building import RepertoireBuilder, columns_of_book
from agents.book.repertoire import Repertoire, RepertoireScope, promising_moves
from agents.book.retrieval import make_bit_field
from envs import BoardState, ConnectX
from envs.bitboard import board_masks
from tests.helpers.brute_force import env_of, equally_good, states_after, truth_of
from tests.helpers.executors import ExecutorFactory, with_every_executor
from tests.helpers.strategies import mirrored, unfinished_states

SCOPES = [
    RepertoireScope(4, 4, 3, 3, 15, 15),
    RepertoireScope(3, 3, 3, -1, 8, 7),  # a draw
    RepertoireScope(4, 3, 3, -1, -1, 11),
    RepertoireScope(3, 5, 3, 5, 8, -1),
    RepertoireScope(2, 3, 7, 5, 5, 5),  # too small for a line
    RepertoireScope(3, 3, 1, 2, 2, 2),  # the first stone wins
    RepertoireScope(5, 1, 2, 0, 4, 4),
    RepertoireScope(1, 8, 2, 3, 7, 7),
]
SHORT = RepertoireScope(4, 4, 3, -1, 6, 7)


@cache
def repertoire_of(scope: RepertoireScope) -> Repertoire:
    with ThreadPoolExecutor(1) as executor:
        builder = RepertoireBuilder(scope, executor, 1, {}, lambda _: None, lambda *_: None)
        return decode_repertoire(encode_repertoire(scope, builder.build()))


def all_states(scope: RepertoireScope) -> set[BoardState]:
    """Those of the first plies in which the game goes on, by the rules alone."""
    env, found = env_of(scope), set[BoardState]()
    states = {env.initial_state()}
    for _ in range(scope.all_plies + 1):
        found |= states
        states = states_after(env, states)
    return going_on(env, found)


def met_states(scope: RepertoireScope, player: int) -> Iterator[BoardState]:
    """What a player meets who plays the repertoire, by the rules and its moves alone."""
    env, repertoire = env_of(scope), repertoire_of(scope)
    states = {env.initial_state()}
    if player == 2:
        states = going_on(env, states_after(env, states))
    for _ in range(player - 1, scope.plies_of(player) + 1, 2):
        yield from states
        moved = set()
        for state in states:
            column = repertoire.move(state)
            assert column is not None
            moved.add(env.get_next_state(state, column))
        states = going_on(env, states_after(env, moved))


def going_on(env: ConnectX, states: set[BoardState]) -> set[BoardState]:
    return {state for state in states if env.get_available_actions(state)}


@pytest.mark.thorough
@pytest.mark.parametrize("scope", SCOPES)
def test_every_position_of_the_first_plies_or_that_a_player_meets_has_a_best_move(
    scope: RepertoireScope,
) -> None:
    env, repertoire = env_of(scope), repertoire_of(scope)
    for state in {*all_states(scope), *met_states(scope, 1), *met_states(scope, 2)}:
        assert repertoire.move(state) in equally_good(env, truth_of(env), state), state


@pytest.mark.thorough
@pytest.mark.parametrize("scope", SCOPES[:3])
def test_no_other_position_has_a_move_unless_it_is_plain(scope: RepertoireScope) -> None:
    """A position off the repertoire is never answered by bits that mean nothing."""
    env, repertoire = env_of(scope), repertoire_of(scope)
    inside = {*all_states(scope), *met_states(scope, 1), *met_states(scope, 2)}
    inside |= {mirrored(env, state) for state in inside}
    board = board_masks(*scope[:3])
    outside, others = sorted(unfinished_states(env) - inside), 0
    for state in Random(1).sample(outside, min(500, len(outside))):
        plain = len(promising_moves(board, state)) == 1
        assert (repertoire.move(state) is not None) == plain, state
        others += not plain
    assert others


def test_a_game_that_is_over_or_out_of_turn_has_no_move() -> None:
    scope = SCOPES[0]
    env, repertoire = env_of(scope), repertoire_of(scope)
    begin = env.initial_state()
    assert repertoire.move(begin._replace(player=2)) is None
    assert repertoire.move(begin._replace(won=True)) is None
    full = (1 << 20) - 1 & board_masks(*scope[:3]).board
    assert repertoire.move(BoardState(0, full, 1, won=False)) is None


# --- computing


def built(executor: Executor, checkpoint: Checkpoint[RepertoireScope], on_ply: OnProgress) -> bytes:
    """As the command does it."""
    with checkpoint.opened(resume=True) as known:
        return build_repertoire(checkpoint, known, executor, 1, on_ply)


@pytest.mark.parametrize("player", [1, 2])
def test_the_columns_of_a_book_are_those_that_its_player_meets(player: int) -> None:
    repertoire = repertoire_of(SHORT)
    columns, last = columns_of_book(repertoire, player), SHORT.plies_of(player)
    met = {
        state.smaller_image(*SHORT[:2]) for state in met_states(SHORT, player) if state.ply <= last
    }
    assert columns == {state.key: repertoire.move(state) for state in met}


@with_every_executor
def test_every_executor_goes_on_where_it_was_interrupted(
    executor_of: ExecutorFactory, tmp_path: Path
) -> None:
    checkpoint = Checkpoint(tmp_path / "r.moves", SHORT)

    def interrupt(done: int, total: int, ply: str) -> None:
        if ply.startswith("player 2, ply 3") and done == total:
            raise KeyboardInterrupt

    with executor_of() as executor:
        with pytest.raises(UnfinishedBook, match=r"^Interrupted: the moves of \d+ positions are"):
            built(executor, checkpoint, interrupt)
        known = checkpoint.read()
        repertoire = decode_repertoire(built(executor, checkpoint, lambda *_: None))
    assert 0 < len(known) < len(checkpoint.read())
    assert known.items() <= checkpoint.read().items()
    assert repertoire.scope == SHORT
    for state in met_states(SHORT, 2):
        assert repertoire.move(state) == repertoire_of(SHORT).move(state)


def test_the_progress_tells_each_ply(tmp_path: Path) -> None:
    told = dict[str, list[tuple[int, int]]]()
    with ThreadPoolExecutor(1) as executor:
        built(
            executor,
            Checkpoint(tmp_path / "r.moves", SCOPES[3]),
            lambda done, total, ply: told.setdefault(ply, []).append((done, total)),
        )
    assert [*told] == [
        *(f"player 1, ply {ply} of 8" for ply in range(0, 9, 2)),
        *(f"all positions, ply {ply} of 5" for ply in range(6)),
    ]
    for steps in told.values():
        assert steps == sorted(steps)
        assert steps[-1][0] == steps[-1][1]


# --- bits


@given(st.dictionaries(st.integers(0, 2**70), st.integers(0, 1)))
def test_a_bit_field_has_the_bit_of_each_key(content: dict[int, int]) -> None:
    field = make_bit_field(content)
    assert {key: field.get(key) for key in content} == content


def test_a_large_bit_field_takes_little_more_than_a_bit_a_key() -> None:
    """Graf and Lemire give 1.13 places a key for a million keys, more for fewer."""
    rng = Random(3)
    content = {rng.getrandbits(55): rng.getrandbits(1) for _ in range(50_000)}
    field = make_bit_field(content)
    assert all(field.get(key) == bit for key, bit in content.items())
    assert len(field.bits) * 8 < 1.25 * len(content)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda data: b"", "this is not a valid repertoire"),
        (lambda data: b"CXBK" + data[4:], "this is not a valid repertoire"),
        (lambda data: data[:4] + b"\x02" + data[5:], "version 2 of the format, not 1"),
        (lambda data: data[:-9] + bytes([data[-9] ^ 4]) + data[-8:], "damaged"),
        (lambda data: data[:-1], "damaged"),
    ],
)
def test_bytes_that_are_no_repertoire_are_refused(
    change: Callable[[bytes], bytes], sentence: str
) -> None:
    data = encode_repertoire(SCOPES[1], make_bit_field({1: 1}))
    assert decode_repertoire(data).scope == SCOPES[1]
    with pytest.raises(ValueError, match=sentence):
        decode_repertoire(change(data))


@pytest.mark.parametrize(
    ("place", "number", "sentence"),
    [
        (0, 0, "rows must be a whole number of at least 1"),
        (3, 40, "must be from 0 to"),
        *((place, 65535, "has wrong sizes") for place in range(3)),
        *((7, number, "has wrong sizes") for number in (0, 3, 1 << 15)),
        *((8, number, "has wrong sizes") for number in (2, 1 << 30)),
    ],
)
def test_sizes_that_cannot_be_are_refused(place: int, number: int, sentence: str) -> None:
    """Their checksum is right: somebody has written them so."""
    data = encode_repertoire(SCOPES[1], make_bit_field({1: 1}))
    numbers, bits = REPERTOIRES.decode(data)
    numbers[place] = number
    with pytest.raises(ValueError, match=sentence):
        decode_repertoire(REPERTOIRES.encode(numbers, bits))
