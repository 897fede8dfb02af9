"""Plays games of a bundle in a separate process, in which something may be broken.

A script for any interpreter. `python bundle_games.py BUNDLE FAULT SEAT ACT_TIMEOUT BANK` plays the
bundle on one seat against random moves, and prints the moves and their times as JSON. `python
bundle_games.py BUNDLE FAULT CLOCK` reads Kaggle's requests, a line of JSON each, and writes the
columns; it loads the bundle again for each new game. CLOCK is the function of `time` by which the
bundle measures its time.
"""

import json
import os
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROWS, COLUMNS, INAROW = 6, 7, 4
SEED = 5


class Broken:
    """Raises when a module is imported; an entry of `sys.meta_path`."""

    def __init__(self, name: str) -> None:
        self.name = name

    def find_spec(self, name: str, path: object, target: object = None) -> None:
        if name.partition(".")[0] == self.name:
            raise RuntimeError(f"{name} is broken")


def hide(*modules: str) -> None:
    for name in modules:
        sys.modules[name] = None  # type: ignore[assignment]


def numba_raises_in_compiling() -> None:
    def fail(*arguments: Any) -> None:
        raise RuntimeError("no code for this processor")

    replace_njit(lambda **options: lambda function: fail)


def numba_hangs_in_compiling() -> None:
    replace_njit(lambda **options: lambda function: lambda *arguments: time.sleep(1000))


def numba_compiles_to_wrong_bits() -> None:
    """Miscompile `safe_cells`, so that no position seems lost at once."""
    import numba

    njit: Any = numba.njit

    def decorate(*functions: Any, **options: Any) -> Any:
        def compile_wrongly(function: Callable[..., Any]) -> Any:
            wrong = function.__name__ == "safe_cells"
            return njit(**options)((lambda possible, threats: possible) if wrong else function)

        return compile_wrongly(*functions) if functions else compile_wrongly

    replace_njit(decorate)


def replace_njit(njit: Callable[..., Any]) -> None:
    import numba

    numba.njit = njit


def one_core() -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


FAULTS: dict[str, Callable[[], None]] = {
    "nothing": lambda: None,
    "no_numba": lambda: hide("numba"),
    "no_numpy": lambda: hide("numpy"),
    "no_numba_and_no_numpy": lambda: hide("numba", "numpy"),
    "numba_raises_on_import": lambda: sys.meta_path.insert(0, Broken("numba")),
    "numba_raises_in_compiling": numba_raises_in_compiling,
    "numba_hangs_in_compiling": numba_hangs_in_compiling,
    "numba_compiles_to_wrong_bits": numba_compiles_to_wrong_bits,
    "one_core": one_core,
}


def load(path: Path) -> Callable[[Any, Any], Any]:
    """The last callable of the file, as Kaggle loads it."""
    namespace: dict[str, Any] = {}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), namespace)
    agent: Callable[[Any, Any], Any] = [v for v in namespace.values() if callable(v)][-1]
    return agent


def has_line(board: list[int], mark: int) -> bool:
    stones = {divmod(cell, COLUMNS) for cell, stone in enumerate(board) if stone == mark}
    return any(
        all((row + i * down, column + i * right) in stones for i in range(INAROW))
        for row, column in stones
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
    )


def play(agent: Callable[[Any, Any], Any], seat: int, act_timeout: float, bank: float) -> Any:
    board, columns, seconds, mark = [0] * (ROWS * COLUMNS), list[int](), list[float](), 1
    rng = random.Random(SEED)
    while 0 in board and not has_line(board, 3 - mark):
        column = rng.choice([c for c in range(COLUMNS) if board[c] == 0])
        if mark == seat:
            observation = {"board": list(board), "mark": mark, "remainingOverageTime": bank}
            begun = time.perf_counter()
            column = agent(
                {**observation, "step": len(columns)},
                {"rows": ROWS, "columns": COLUMNS, "inarow": INAROW, "actTimeout": act_timeout},
            )
            seconds.append(time.perf_counter() - begun)
            bank -= max(0.0, seconds[-1] - act_timeout)
        row = max(r for r in range(ROWS) if board[r * COLUMNS + column] == 0)
        board[row * COLUMNS + column] = mark
        columns.append(column)
        mark = 3 - mark
    return {"columns": columns, "seconds": seconds, "bank": bank, "won": has_line(board, seat)}


def answer_questions(path: Path) -> None:
    agent: Callable[..., Any] = load
    stones = ROWS * COLUMNS
    for line in sys.stdin:
        observation, configuration = json.loads(line)
        earlier, stones = stones, ROWS * COLUMNS - observation["board"].count(0)
        if stones < earlier:
            agent = load(path)
        sys.stdout.write(f"{json.dumps(agent(observation, configuration))}\n")
        sys.stdout.flush()


def main() -> None:
    name, fault, *game = sys.argv[1:]
    path = Path(name)
    FAULTS[fault]()
    if len(game) == 1:
        time.perf_counter = getattr(time, *game)
        answer_questions(path)
        return
    seat, act_timeout, bank = game
    played = play(load(path), int(seat), float(act_timeout), float(bank))
    sys.stdout.write(json.dumps(played) + "\n")


if __name__ == "__main__":
    main()
