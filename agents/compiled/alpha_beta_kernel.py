"""Alpha-beta for ConnectX on bitboards: the search of `agents.alpha_beta`, compiled.

Its scores are whole numbers from the view of the player to move
(`agents.compiled.alpha_beta_tables`), so one player's window (alpha, beta) is (-beta, -alpha) for
the other. A move is the bit of the cell that it fills. Instead of recursion the search uses a stack
with a frame for each state from the root to the current one, so it can pause anywhere and resume.

Its words are as wide as the board needs (`envs.bitboard.word_of_board`); some hold plain numbers.

A state is searched only if the player to move cannot win at once. The search itself ensures this:
if two or more plies are left, it leaves out moves that let the opponent win at once, which lose.

All moves of a state but the first are searched with a null window, which suffices to show that a
move does not beat alpha, as most do not (principal variation search: T. A. Marsland and
M. Campbell, "Parallel Search of Strongly Ordered Game Trees", 1982).
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from agents.compiled.alpha_beta_tables import (
    AT_LEAST,
    AT_MOST,
    WIN_SCORE,
    LineScores,
    pack_entry,
    slot_of,
    stone_gain,
    unpack_entry,
)
from agents.compiled.learned_value import GuessArrays, known_guess
from envs.bitboard import BoardMasks, cell_of_number, line_ends, possible_cells, safe_cells
from envs.compiled.jit import Words, inlined, jit

# The fields of a frame. Those up to BETA are set when the state is reached.
MOVER = 0
MASK = 1
SCORE = 2  # the heuristic's score of the state
ALPHA = 3
BETA = 4
BEST = 5  # the best score found so far
BEST_MOVE = 6
FLOOR = 7  # alpha before any move was searched
LOW = 8  # the least proven result: 1 for a win of the mover, 0 for a draw, -1 for a loss
HIGH = 9  # the greatest proven result, regardless of pruning and guesses
KNOWN_LOW = 10  # LOW from the table, while the moves are searched
KNOWN_HIGH = 11  # HIGH from the table
NEXT = 12  # the number of searched moves
MOVES = 13  # the number of moves
AGAIN = 14  # 1 while a move that has beaten alpha is searched again, with the full window
FRAME_FIELDS = 15

# The fields of `progress`.
PLY = 0  # the frame of the state to visit next
NODES = 1  # states reached so far
PROGRESS_FIELDS = 2

OPEN = 1 << 50  # returned instead of a score: moves of the state must be searched first
NO_MOVE = 0
TABLE_PLIES = 3
"""The fewest plies left at which the table is used; with fewer, searching is as fast."""


class SearchArrays(NamedTuple):
    """The memory of a search, as arrays of words; comments mark arrays that always have 64 bits."""

    frames: Words  # [ply, field] The stack
    moves: Words  # [ply, n] The moves to search at each ply, in order
    variations: Words  # [ply, n] The principal variation from each ply on
    variation_lengths: Words  # [ply] Of 64 bits
    killers: Words  # [ply, n] The moves that caused the latest cutoffs, or NO_MOVE
    order: Words  # [n] The cells of each column, in the order of the search
    table: Words  # see `agents.compiled.alpha_beta_tables`
    progress: Words  # of 64 bits


AlphaBetaSlice = Callable[[BoardMasks, Any, SearchArrays, int, int], bool]
SliceOnBoard = Callable[[Any, SearchArrays, int, int], bool]
ScoreAfter = Callable[[Any, int, int, int, int], int]
"""Scores the state after a move, for the player who makes it. Takes the heuristic's data, the
incremental score so far, the stones of the mover and of both players, and the move."""


def make_search(guessed_score: ScoreAfter, kept_score: ScoreAfter) -> AlphaBetaSlice:
    """Make the search from a score of states at the horizon and an incremental score."""

    @inlined
    def best_last_move(board: BoardMasks, scores: Any, arrays: SearchArrays, ply: int) -> int:
        """Score a state one ply before the horizon: the best of the scores of its moves."""
        frame = arrays.frames[ply]
        mover, mask, score, beta = frame[MOVER], frame[MASK], int(frame[SCORE]), int(frame[BETA])
        possible = possible_cells(board, mask)
        best, best_move, reached = -WIN_SCORE, NO_MOVE, 0
        for column in arrays.order:
            move = possible & column
            if move:
                found = guessed_score(scores, score, mover, mask, move)
                reached += 1
                if found > best:
                    best, best_move = found, move
                    if best >= beta:
                        break
        arrays.variations[ply, 0] = best_move
        arrays.variation_lengths[ply] = 1
        arrays.progress[NODES] += reached
        if mask | best_move == board.board:
            settle(arrays, ply, 0, 0)
            return 0  # the board is full: a draw, not a guess
        settle(arrays, ply, -1, 1)
        return best

    @inlined
    def play_next(scores: Any, arrays: SearchArrays, ply: int) -> None:
        """Play the next move of a state: prepare the frame above."""
        frame, child = arrays.frames[ply], arrays.frames[ply + 1]
        mover, mask = frame[MOVER], frame[MASK]
        move = arrays.moves[ply, int(frame[NEXT])]
        child[MOVER] = mask ^ mover
        child[MASK] = mask | move
        child[SCORE] = -kept_score(scores, int(frame[SCORE]), mover, mask, move)
        child[BETA] = -frame[ALPHA]
        child[ALPHA] = -frame[BETA]
        if frame[NEXT] and not frame[AGAIN]:
            child[ALPHA] = child[BETA] - 1  # a null window
        frame[NEXT] += 1
        arrays.progress[NODES] += 1

    @inlined
    def alpha_beta_slice(
        board: BoardMasks, scores: Any, arrays: SearchArrays, depth: int, node_limit: int
    ) -> bool:
        """Search until the state of frame 0 has its score, or for about `node_limit` nodes.

        To begin, set PLY to 0 and MOVER .. BETA of frame 0; `depth`, in plies, is at least 1.

        Returns:
            Whether the search is finished: then BEST of frame 0 is the score, LOW and HIGH are the
            proven results, and `variations[0]` is the principal variation.
        """
        ply = arrays.progress[PLY]
        end = arrays.progress[NODES] + node_limit
        while arrays.progress[NODES] < end:
            if depth - ply == 1:
                score = best_last_move(board, scores, arrays, ply)
            else:
                score = visit(board, arrays, ply, depth - ply)
            while score != OPEN:
                if ply == 0:
                    arrays.frames[0, BEST] = score
                    return True
                ply -= 1
                score = take_back(arrays, ply, -score, depth - ply)
            play_next(scores, arrays, ply)
            ply += 1
        arrays.progress[PLY] = ply
        return False

    return alpha_beta_slice


@inlined
def visit(board: BoardMasks, arrays: SearchArrays, ply: int, plies: int) -> int:
    """Score a state that has just been reached, or put its moves in order and return OPEN."""
    mover, mask = arrays.frames[ply, MOVER], arrays.frames[ply, MASK]
    possible, threats = possible_cells(board, mask), line_ends(board, mask ^ mover)
    safe = safe_cells(possible, threats)
    if not safe:
        return lose(board, arrays, ply, possible, threats)
    score, promising = recall(board, arrays, ply, plies)
    if score == OPEN:
        begin_moves(arrays, ply, safe, promising)
    return score


@inlined
def settle(arrays: SearchArrays, ply: int, low: int, high: int) -> None:
    """Set the proven bounds of a state's result."""
    arrays.frames[ply, LOW] = low
    arrays.frames[ply, HIGH] = high


@inlined
def lose(board: BoardMasks, arrays: SearchArrays, ply: int, possible: int, threats: int) -> int:
    """The score of a state whose moves all lose at once; its variation blocks a win if possible."""
    blocks = possible & threats
    move = blocks & -blocks if blocks else possible & -possible
    answers = ((arrays.frames[ply, MASK] | move) + board.bottom) & threats  # the opponent's wins
    arrays.variations[ply, 0] = move
    arrays.variations[ply, 1] = answers & -answers
    arrays.variation_lengths[ply] = 2
    settle(arrays, ply, -1, -1)
    return -WIN_SCORE


@inlined
def recall(board: BoardMasks, arrays: SearchArrays, ply: int, plies: int) -> tuple[int, int]:
    """Look up the state's score, or narrow its window by the table and return OPEN.

    Also return the table's promising move, or NO_MOVE.
    """
    settle(arrays, ply, -1, 1)
    if len(arrays.table) == 0 or plies < TABLE_PLIES:
        return OPEN, NO_MOVE
    frame = arrays.frames[ply]
    key = frame[MOVER] + frame[MASK]
    slot = slot_of(arrays.table, key)
    if arrays.table[slot, 0] != key:
        return OPEN, NO_MOVE
    score, reach, bound, cell, low, high = unpack_entry(int(arrays.table[slot, 1]))
    move = cell_of_number(board.bottom, cell)
    settle(arrays, ply, low, high)
    least, most = low * WIN_SCORE, high * WIN_SCORE
    if reach == plies:
        if bound & AT_LEAST:
            least = max(least, score)
        if bound & AT_MOST:
            most = min(most, score)
    alpha, beta = int(frame[ALPHA]), int(frame[BETA])
    if least >= beta or most <= alpha or least == most:
        arrays.variations[ply, 0] = move
        arrays.variation_lengths[ply] = 1
        return most if most <= alpha else least, move
    frame[ALPHA] = max(alpha, least)
    frame[BETA] = min(beta, most)
    return OPEN, move


@inlined
def begin_moves(arrays: SearchArrays, ply: int, safe: int, promising: int) -> None:
    """Order the `safe` moves: the table's first, then killer moves, then by the ordering."""
    moves = arrays.moves[ply]
    count = 0
    if promising:
        moves[0] = promising
        count = 1
    rest = safe & ~promising
    for move in arrays.killers[ply]:
        if rest & move:
            moves[count] = move
            count += 1
            rest ^= move
    for column in arrays.order:
        if rest & column:
            moves[count] = rest & column
            count += 1
    frame = arrays.frames[ply]
    frame[BEST] = -WIN_SCORE - 1
    frame[FLOOR] = frame[ALPHA]
    frame[KNOWN_LOW] = frame[LOW]
    frame[KNOWN_HIGH] = frame[HIGH]
    settle(arrays, ply, -1, -1)
    frame[NEXT] = 0
    frame[AGAIN] = 0
    frame[MOVES] = count
    arrays.variation_lengths[ply] = 0


@inlined
def take_back(arrays: SearchArrays, ply: int, score: int, plies: int) -> int:
    """Back up the score of the last move; return the state's score, or OPEN if moves are left."""
    frame = arrays.frames[ply]
    move = arrays.moves[ply, int(frame[NEXT]) - 1]
    if frame[NEXT] > 1 and not frame[AGAIN] and frame[ALPHA] < score < frame[BETA]:
        frame[AGAIN] = 1  # the null window proves only that it beats alpha, not its score
        frame[NEXT] -= 1
        return OPEN
    frame[AGAIN] = 0
    child = arrays.frames[ply + 1]  # the mover's bounds are the best of those of all moves
    frame[LOW] = max(int(frame[LOW]), -int(child[HIGH]))
    frame[HIGH] = max(int(frame[HIGH]), -int(child[LOW]))
    if score > frame[BEST]:
        frame[BEST] = score
        frame[BEST_MOVE] = move
        if score > frame[ALPHA] or score == -WIN_SCORE:  # else the score is only an upper bound
            extend_variation(arrays, ply, move)
        frame[ALPHA] = max(int(frame[ALPHA]), score)
    if frame[ALPHA] >= frame[BETA]:  # fail high: the opponent will avoid this state
        remember_killer(arrays, ply, move)
        if frame[NEXT] < frame[MOVES]:
            frame[HIGH] = 1  # an unsearched move may win
    elif frame[NEXT] < frame[MOVES]:
        return OPEN
    low = max(int(frame[LOW]), int(frame[KNOWN_LOW]))
    high = min(int(frame[HIGH]), int(frame[KNOWN_HIGH]))
    settle(arrays, ply, low, high)
    frame[BEST] = min(max(int(frame[BEST]), low * WIN_SCORE), high * WIN_SCORE)
    remember(arrays, ply, plies)
    return int(frame[BEST])


@inlined
def extend_variation(arrays: SearchArrays, ply: int, move: int) -> None:
    """Set the variation of a state: `move`, then the variation after it."""
    length = arrays.variation_lengths[ply + 1]
    arrays.variations[ply, 0] = move
    for i in range(length):
        arrays.variations[ply, i + 1] = arrays.variations[ply + 1, i]
    arrays.variation_lengths[ply] = length + 1


@inlined
def remember_killer(arrays: SearchArrays, ply: int, move: int) -> None:
    """Store `move`, which caused a cutoff, to be tried early in other states of this ply."""
    killers = arrays.killers[ply]
    if len(killers) and killers[0] != move:
        killers[1] = killers[0]
        killers[0] = move


@inlined
def remember(arrays: SearchArrays, ply: int, plies: int) -> None:
    """Enter the result of a state's search into the table, replacing the entry there."""
    if len(arrays.table) == 0 or plies < TABLE_PLIES:
        return
    frame = arrays.frames[ply]
    best = int(frame[BEST])
    bound = AT_LEAST | AT_MOST
    if best <= frame[FLOOR]:
        bound = AT_MOST
    elif best >= frame[BETA]:
        bound = AT_LEAST
    key = frame[MOVER] + frame[MASK]
    slot = slot_of(arrays.table, key)
    arrays.table[slot, 0] = key
    arrays.table[slot, 1] = pack_entry(
        best, plies, bound, frame[BEST_MOVE], int(frame[LOW]), int(frame[HIGH])
    )


@inlined
def score_by_lines(scores: LineScores, score: int, mover: int, mask: int, move: int) -> int:
    """The score after a move, updated by the lines through its cell."""
    return score + stone_gain(scores, mover, mask ^ mover, move)


@inlined
def guess_after(guesses: GuessArrays, score: int, mover: int, mask: int, move: int) -> int:
    """The score after a move, guessed by a network."""
    return -known_guess(guesses, mask ^ mover, mask | move)


@inlined
def no_score(guesses: GuessArrays, score: int, mover: int, mask: int, move: int) -> int:
    """Return 0: a network evaluates only leaves, so there is no incremental score."""
    return 0


search_by_lines = make_search(score_by_lines, score_by_lines)
alpha_beta_by_lines = jit(make_search(score_by_lines, score_by_lines))
"""Searches by `open_lines` or `zero`; compiled once for all boards of 64 bits."""
alpha_beta_by_guesses = jit(make_search(guess_after, no_score))
"""Searches with a network; compiled once for all boards of 64 bits."""


@cache
def make_slice_on_board(board: BoardMasks) -> SliceOnBoard:
    """The kernel that searches by lines, with the board as a constant.

    With words of 64 bits a single kernel for all boards is as fast. Wide words take several
    instructions to shift, unless the distance is known when the kernel is compiled.
    """

    @jit
    def alpha_beta_on_board(scores: Any, arrays: SearchArrays, depth: int, node_limit: int) -> bool:
        return search_by_lines(board, scores, arrays, depth, node_limit)

    return alpha_beta_on_board
