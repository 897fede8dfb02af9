"""Alpha-beta with a compiled kernel below the root: the search, its scales and compilations."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from agents.agent import BackedUp, Clock, Variation
from agents.alpha_beta import AlphaBeta, TranspositionTable
from agents.compiled.alpha_beta_kernel import (
    ALPHA,
    BEST,
    BETA,
    FRAME_FIELDS,
    HIGH,
    LOW,
    MASK,
    MOVER,
    NODES,
    PLY,
    PROGRESS_FIELDS,
    SCORE,
    TABLE_PLIES,
    AlphaBetaSlice,
    SearchArrays,
    SliceOnBoard,
    alpha_beta_by_guesses,
    alpha_beta_by_lines,
    make_slice_on_board,
)
from agents.compiled.alpha_beta_tables import (
    LONGEST_LINE,
    WIN_SCORE,
    line_scores,
    score_value,
    state_score,
    value_score,
)
from agents.compiled.compilation import Compilation, compilation_on, is_compiled_game
from agents.compiled.learned_value import CACHE_SIZE, CERTAINTY, GuessArrays, LearnedValue
from agents.guidance.heuristics import Heuristic, automatic, open_lines, zero
from agents.guidance.ordering import ORDERINGS, Ordering, natural
from envs.bitboard import BoardMasks, board_masks, line_ends, possible_cells, word_of_board
from envs.board import BoardState
from envs.compiled.jit import compiled, words_of, zeros
from envs.connectx import ConnectX

NODES_PER_SLICE = 50_000  # between two looks at the clock: a millisecond or two
LARGEST_TABLE = 1 << 30  # states: `slot_of` cannot reach further places
ROOM = 4  # places of a table for each state that a search may enter


class Scale(NamedTuple):
    """The kernel's scores of a heuristic, and their values, both from the same player's view."""

    scores: Any  # the heuristic's data, for the kernel
    kept_score: Callable[[BoardState], int]
    """The initial incremental score in a state, for the player to move."""
    score: Callable[[float], int]  # the score of a value
    value: Callable[[int], float]  # the value of a score


def line_scale(heuristic: Heuristic, env: ConnectX) -> Scale:
    """The scale of `open_lines`, or of `zero`, which counts no lines."""
    counted = () if heuristic is zero else env.winning_lines
    word = word_of_board(*env.size)
    return Scale(
        line_scores(counted, env.columns * (env.rows + 1), env.inarow, word),
        lambda state: state_score(state, counted),
        lambda value: value_score(value, env.inarow),
        lambda score: score_value(score, env.inarow),
    )


def guess_scale(heuristic: LearnedValue, env: ConnectX) -> Scale:
    """The scale of a network's guesses."""
    return Scale(
        GuessArrays(heuristic.arrays(env), zeros(CACHE_SIZE, 2)),
        lambda state: 0,  # only leaves are guessed
        lambda value: round(value * (WIN_SCORE if abs(value) == 1.0 else CERTAINTY)),
        lambda score: score / (WIN_SCORE if abs(score) == WIN_SCORE else CERTAINTY),
    )


class CompiledAlphaBeta(AlphaBeta[BoardState, int]):
    """One alpha-beta search of ConnectX: the values of `AlphaBeta` by the compiled kernel.

    Its `nodes` are the states that it reaches by a move, except states that bitboards show to be
    lost or won at once. It supports the games, heuristics and orderings that `can_compile` accepts.
    Its table has room for `table_size` states. If `plain`, the kernel runs in plain Python.
    """

    engine = "compiled"

    def __init__(
        self,
        env: ConnectX,
        heuristic: Heuristic,
        ordering: Ordering,
        clock: Clock,
        table_size: int,
        killer_moves: bool,
        plain: bool = False,
    ) -> None:
        super().__init__(env, heuristic, ordering, clock, TranspositionTable(0), killer_moves)
        self._board = board_masks(*env.size)
        self._columns = {cell: n % env.columns for n, cell in enumerate(env.cell_masks)}
        if isinstance(heuristic, LearnedValue):
            self._scale, kernel = guess_scale(heuristic, env), alpha_beta_by_guesses
            self.heuristic = self._learned_value
        else:
            self._scale, kernel = line_scale(heuristic, env), alpha_beta_by_lines
        self._search_slice = slice_on_board(kernel, self._board, plain)
        columns = ordering(env, env.initial_state(), tuple(range(env.columns)))
        word = type(self._board.board)
        plies = self._board.cells
        self._arrays = SearchArrays(
            frames=zeros(plies, FRAME_FIELDS, word=word),
            moves=zeros(plies, env.columns, word=word),
            variations=zeros(plies, plies, word=word),
            variation_lengths=zeros(plies),
            killers=zeros(plies, self.killer_slots, word=word),
            order=words_of([env.action_cells[column] for column in columns], word),
            table=zeros(0, 2, word=word),  # created by `_run` if needed
            progress=zeros(PROGRESS_FIELDS),
        )
        self._make_table = partial(zeros, min(table_size, LARGEST_TABLE), 2, word=word)

    def state_value(
        self,
        state: BoardState,
        actions: Sequence[int],
        depth: float,
        ply: int,
        alpha: float,
        beta: float,
    ) -> BackedUp:
        """The value of `state`, within the window."""
        sign = 1 if state.player == 1 else -1
        wins = possible_cells(self._board, state.mask) & line_ends(self._board, state.mover)
        if wins:
            return float(sign), float(sign), float(sign), (self._columns[wins & -wins], None)
        scale = self._scale
        if sign < 0:
            alpha, beta = -beta, -alpha
        self._begin(state, scale.score(alpha), scale.score(beta))
        self._run(plies=int(min(depth, self._board.cells - state.mask.bit_count())))
        frame = self._arrays.frames[0]
        low, high = sorted((sign * float(frame[LOW]), sign * float(frame[HIGH])))
        return scale.value(sign * int(frame[BEST])), low, high, self._variation()

    def _learned_value(self, env: ConnectX, state: BoardState) -> float:
        """The network's value of a state.

        The kernel searches a preceding state, restricted to the move to `state`, so that no extra
        code is compiled for the network alone.
        """
        other = state.mask ^ state.mover
        last = other & (state.mask + self._board.bottom) >> 1
        last &= -last
        self._begin(BoardState(other ^ last, state.mask ^ last, 3 - state.player, False), -1, 1)
        arrays = self._arrays._replace(order=words_of([last]))
        self._search_slice(self._scale.scores, arrays, 1, NODES_PER_SLICE)
        sign = -1 if state.player == 1 else 1
        return self._scale.value(sign * int(arrays.frames[0, BEST]))

    def _begin(self, state: BoardState, alpha: int, beta: int) -> None:
        """Put `state` on the stack, with the window of scores in which to search it."""
        frame = self._arrays.frames[0]
        frame[MOVER], frame[MASK] = state.mover, state.mask
        frame[SCORE] = self._scale.kept_score(state)
        frame[ALPHA], frame[BETA] = alpha, beta
        self._arrays.progress[PLY] = 0

    def _run(self, plies: int) -> None:
        """Search the state on the stack in slices, looking at the clock between them."""
        if plies >= TABLE_PLIES and not len(self._arrays.table):
            self._arrays = self._arrays._replace(table=self._make_table())
        progress = self._arrays.progress
        nodes = self.nodes
        progress[NODES] = 0
        finished = False
        while not finished:
            self.clock.check()
            finished = self._search_slice(self._scale.scores, self._arrays, plies, NODES_PER_SLICE)
            self.nodes = nodes + int(progress[NODES])

    def _variation(self) -> Variation:
        variation: Variation = None
        moves = self._arrays.variations[0, : self._arrays.variation_lengths[0]].tolist()
        for move in reversed(moves):
            variation = self._columns[move], variation
        return variation


def useful_size(env: ConnectX, depth: int | None, table_size: int) -> int:
    """The size of a table, up to `table_size`, that a search of `depth` plies can make use of.

    With None the search may reach the end of the game.

    The system prepares the memory of a large table while a search first touches it, which takes
    longer than a search of a few plies.
    """
    cells = env.rows * env.columns
    plies = cells if depth is None else min(depth, cells)
    states: int = env.columns ** max(0, plies - TABLE_PLIES + 1)
    return min(table_size, ROOM * states)


def can_compile(env: object, heuristic: Heuristic, ordering: Ordering) -> bool:
    """Whether `CompiledAlphaBeta` supports this game, heuristic and ordering."""
    if not is_compiled_game(env) or ordering not in ORDERINGS.values():
        return False
    if isinstance(heuristic, LearnedValue):
        return heuristic.serves_compiled(env)
    return env.inarow <= LONGEST_LINE and heuristic in (automatic, open_lines, zero)


def slice_on_board(kernel: AlphaBetaSlice, board: BoardMasks, plain: bool) -> SliceOnBoard:
    """The kernel for a board; each board of wide words has its own."""
    if plain:
        return partial(kernel, board)
    if type(board.board) is int:
        return partial(compiled(kernel), board)
    return compiled(make_slice_on_board(board))


def _finds_what_plain_python_finds(env: ConnectX, rounded: bool | None) -> bool:
    """Whether the compiled kernel visits the same nodes as the plain one."""
    state = env.initial_state()
    heuristic = open_lines if rounded is None else LearnedValue.of_stones(env, rounded)
    found = []
    for plain in (False, True):
        search = CompiledAlphaBeta(env, heuristic, natural, Clock(), 100, True, plain)
        found.append((search.action_value(state, 0, 5, 0, -1.0, 1.0), search.nodes))
    return found[0] == found[1]


def alpha_beta_on(env: ConnectX, rounded: bool | None = None) -> Compilation:
    """The compilation of the search for a board, and for the learned value of `compilation_on`."""
    return compilation_on(env, "alpha-beta", _finds_what_plain_python_finds, rounded)
