"""Playouts of the compiled Monte Carlo search: its moves, games and random numbers.

On boards that `envs.bitboard.fits_in_wide_word`, laid out as there; `mover` and `mask` are the
fields of a `BoardState`, words like the masks of the board. Games go as those of
`agents.guidance.rollouts` do, random numbers included: where these call `rng.random()`, here is the
next number of a stream.
"""

from envs.bitboard import BoardMasks, has_run, line_ends, possible_cells, safe_cells
from envs.compiled.jit import inlined
from envs.compiled.random_stream import drawn_index, next_stream


@inlined
def random_cell(cells: int, stream: int, board: BoardMasks) -> int:
    """Draw one of `cells`, which lie in different columns."""
    count = cells.bit_count()
    index = int(drawn_index(stream, count))
    if count == board.columns:  # the usual case, in which no cell has to be counted off
        return cell_of_column(cells, index, board)
    while index > 0:
        cells &= cells - 1
        index -= 1
    return cells & -cells


@inlined
def cell_of_column(cells: int, column: int, board: BoardMasks) -> int:
    """The one of `cells` that lies in a column, or 0."""
    return cells & (board.column << (column * (board.rows + 1)))


@inlined
def uniform_playout(mover: int, mask: int, stream: int, board: BoardMasks) -> tuple[int, int]:
    """Play uniformly random moves, as `agents.guidance.rollouts.uniform` does.

    Returns:
        The result (1, 0 or -1) for the player whose turn it is, and the stream where it stopped.
    """
    sign = 1
    possible = possible_cells(board, mask)
    while possible:
        stream = next_stream(stream)
        cell = random_cell(possible, stream, board)
        if has_run(mover | cell, board.rows, board.inarow):
            return sign, stream
        mover = mask ^ mover
        mask |= cell
        possible = possible_cells(board, mask)
        sign = -sign
    return 0, stream


@inlined
def decisive_playout(mover: int, mask: int, stream: int, board: BoardMasks) -> tuple[int, int]:
    """Take a win, else avoid what loses at once, as `agents.guidance.rollouts.decisive` does.

    Returns:
        The result (1, 0 or -1) for the player whose turn it is, and the stream where it stopped.
    """
    sign = 1
    wins = line_ends(board, mover)
    threats = line_ends(board, mask ^ mover)
    possible = possible_cells(board, mask)
    while possible:
        stream = next_stream(stream)
        if possible & wins:
            return sign, stream
        safe = safe_cells(possible, threats)
        cell = random_cell(safe if safe else possible, stream, board)
        own = mover | cell
        mover = mask ^ mover
        mask |= cell
        wins, threats = threats, line_ends(board, own)
        possible = possible_cells(board, mask)
        sign = -sign
    return 0, stream
