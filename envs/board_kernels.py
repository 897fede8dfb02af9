"""k-in-a-row on boards of at most 64 bits: what the compiled searches are made of.

The bit layout is that of `envs.bitboard`. `rows`, `inarow` and the masks of a board are constants
where a kernel is compiled, so that the loops below unroll and the shifts become immediate.
"""

from envs.jit import inlined


@inlined
def completing_cells(stones: int, rows: int, inarow: int) -> int:
    """The cells that would complete a line of `stones`, whether free or not.

    Also bits outside the board, which the caller masks.
    """
    run = stones << 1
    for cells in range(2, inarow):
        run &= stones << cells
    found = run  # a vertical line is completed at its upper end only
    for step in (rows, rows + 1, rows + 2):
        for before in range(inarow):
            line = -1
            for distance in range(1, before + 1):
                line &= stones << distance * step
            for distance in range(1, inarow - before):
                line &= stones >> distance * step
            found |= line
    return found


@inlined
def has_run(stones: int, rows: int, inarow: int) -> bool:
    """Whether `stones` hold a line."""
    found = 0
    for step in (1, rows, rows + 1, rows + 2):
        run = stones
        length = 1
        while length < inarow:
            further = min(length, inarow - length)
            run &= run >> further * step
            length += further
        found |= run
    return found != 0
