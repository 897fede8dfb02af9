"""An opening book: 6 rows, 7 columns, 4 in a row, 0 plies.

Written by `connectx book`: the bytes of `agents.book_format` in base85.
"""

SHIPPED_BOOK = "Ls&vf0RRR72LJ>B004N}V*~&I0ssQU#8>w"
