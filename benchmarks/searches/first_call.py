"""Times a first answer in a process of its own: `python -m benchmarks.searches.first_call KERNELS`.

Prints the seconds until the answer, including imports and compilation.
"""

import sys
from collections.abc import Callable
from functools import partial
from time import perf_counter

LATE = "4427612253772523425455634741753716666313"
"""Two plies before the end of a game, so that solving it takes no time."""


def no_kernels() -> None:
    """Import Numba itself, which every kernel needs."""
    from envs.compiled.jit import compiles

    compiles()


def solver() -> None:
    """Solve a position with the exact solver."""
    from agents.solver.solver import Solver
    from envs.board import state_from_moves
    from envs.connectx import ConnectFour

    env = ConnectFour()
    Solver(env).score(state_from_moves(env, LATE))


def act(specification: str) -> None:
    """Choose an agent's move on the empty board."""
    from agents.registry import agent_from_text
    from envs.connectx import ConnectFour

    env = ConnectFour()
    agent_from_text(specification).act(env, env.initial_state())


KERNELS: dict[str, Callable[[], None]] = {
    "numba alone": no_kernels,
    "solver": solver,
    "alphabeta": partial(act, "alphabeta:depth=1"),
    "alphabeta, no weights": partial(act, "alphabeta:depth=1,weights=none"),
    "mcts": partial(act, "mcts:simulations=1"),
    "mcts, no weights": partial(act, "mcts:simulations=1,weights=none"),
    "alphazero": partial(act, "alphazero:simulations=1"),
}


if __name__ == "__main__":
    start = perf_counter()
    KERNELS[sys.argv[1]]()
    print(perf_counter() - start)
