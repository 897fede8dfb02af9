"""The published values of empty boards, from `connectx solve`: who wins, and with which move.

J. Tromp's table (tromp.github.io/c4/c4.html), with the last moves that C. Steininger adds.
"""

import json
from collections.abc import Iterator

import pytest

from tests.helpers.shell import Shell, Terminal

TABLE = """
rows  w4    w5    w6    w7    w8    w9    w10   w11   w12
   4  =16   =20   -24   =28   -32   -36   -40   -44   -48
   5  =20   =25   =30   =35   +39   +41   +47   +51
   6  =24   =30   -36   +41   -48   -52   +59
   7  =28   =35   +41   =49   +53   +55
   8  =32   =40   -48   +55   -62
   9  =36   =45   +53   =63
  10  =40   =50   -60   +69
  11  =44   =55   +63
  12  =48   =60   -72
  13  =52   =65
"""
"""`+` the first player wins, `-` the second, `=` a draw; the number is the last move. Widths from 4
on."""
MINUTES = 25
MEGABYTES = 512
HIGHEST = {4: 13, 5: 10, 6: 8, 7: 7, 8: 6, 9: 5, 10: 4}
"""The highest board of each width that was solved in this time when it was tried; the slowest of
them, 6 rows and 8 columns, took 15 minutes of processor time. 4 rows and 11 columns are open
after 10 billion positions."""


def boards() -> Iterator[tuple[int, int, str, int]]:
    """Rows, columns, sign and last move of each board that is solved in this time."""
    for line in TABLE.splitlines()[2:]:
        rows, *entries = line.split()
        for columns, entry in enumerate(entries, start=4):
            if int(rows) <= HIGHEST.get(columns, 0):
                yield int(rows), columns, entry[0], int(entry[1:])


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "columns", "sign", "last_move"), list(boards()))
def test_who_wins_and_with_which_move(
    rows: int, columns: int, sign: str, last_move: int, shell: Shell
) -> None:
    limits = f"--time-limit {60 * MINUTES} --table-megabytes {MEGABYTES}"
    words = f"solve --rows {rows} --columns {columns} {limits} --json"
    outcome = shell.run(*words.split(), stdin=Terminal())
    record = json.loads(outcome.stdout)
    score = {"+": 1, "-": -1, "=": 0}[sign] * ((rows * columns + 2 - last_move) // 2)
    assert (record["lower"], record["upper"]) == (score, score)
    assert record["last_move"] == last_move
