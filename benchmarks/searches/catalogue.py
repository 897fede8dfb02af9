"""Lists the searches that are timed beside peers and published figures, and reports on them."""

from collections.abc import Callable, Sequence
from functools import partial
from statistics import median
from typing import Any

from rich.table import Table

from agents.agent import Agent
from agents.alpha_beta_agent import AlphaBetaAgent
from agents.mcts_agent import MCTSAgent
from agents.minimax import MinimaxAgent
from benchmarks.results import Report, table
from benchmarks.searches import peers
from benchmarks.timings import (
    Measurement,
    Peer,
    Workload,
    missing_peers,
    peer_table,
    spread,
)
from envs.board import BoardGame
from envs.connectx import ConnectFour
from envs.tic_tac_toe import TicTacToe

PUBLISHED_BY = (
    "G. Crassous, Tree Search algorithms for solving games, "
    "as measured on two shared cores with Python 3.11"
)
PUBLISHED_MINIMAX = {4: 0.120, 6: 5.340}
"""Seconds by depth, for Connect Four."""
PUBLISHED_ALPHA_BETA = {4: 0.008, 6: 0.138, 8: 1.520}
"""Seconds by depth, for Connect Four."""
PLAIN_DEPTHS = (8, 10)
"""Depths, for Connect Four, of plain alpha-beta, which does the same as OpenSpiel's."""
PUBLISHED_MCTS = 3600
"""Simulations per second, for Connect Four."""

SIMULATIONS = 25_000
"""For each compiled MCTS."""
REFERENCE_SIMULATIONS = 2000
"""For each MCTS in plain Python."""
EXPLORATION = 1.4
"""The exploration constant of all MCTS workloads except our fully enhanced agent's."""

GOAL = 10
"""How many times faster than the published figures our searches should be."""

CONNECT_FOUR = ConnectFour()
FOUR, TIC_TAC_TOE = "connect_four", "tic_tac_toe"
"""OpenSpiel's names of the games."""


def workloads() -> list[Workload]:
    """Everything that is timed, each with its own agents; no search uses a heuristic.

    A number in a name is the depth in plies, in Connect Four. A run of ours returns the search's
    result; a run of a peer returns the value from player 1's view or, for a Monte Carlo search, the
    action.
    """
    return [
        search(
            "tic-tac-toe minimax",
            MinimaxAgent(depth=None),
            open_spiel(peers.open_spiel_minimax, TIC_TAC_TOE, 9),
            env=TicTacToe(),
        ),
        search(
            "tic-tac-toe alpha-beta",
            AlphaBetaAgent(time_limit=None, iterative_deepening=False),
            open_spiel(peers.open_spiel_alpha_beta, TIC_TAC_TOE, 9),
            env=TicTacToe(),
        ),
        *(
            search(
                f"minimax {depth}",
                MinimaxAgent(depth, heuristic="zero"),
                open_spiel(peers.open_spiel_minimax, FOUR, depth),
                published=published,
            )
            for depth, published in PUBLISHED_MINIMAX.items()
        ),
        # First at the full depth at once; then as the agent plays, with iterative deepening.
        *(alpha_beta(depth, iterative_deepening=False) for depth in PUBLISHED_ALPHA_BETA),
        *(alpha_beta(depth, "deepening {}") for depth in PUBLISHED_ALPHA_BETA),
        *map(plain_alpha_beta, PLAIN_DEPTHS),
        # In plain Python, as for every other game.
        alpha_beta(8, "alpha-beta {}, reference", iterative_deepening=False, engine="reference"),
        plain_uct("MCTS", SIMULATIONS, "compiled"),
        # As the agent plays without a network: solver, decisive moves, decisive playouts.
        search(
            "MCTS, all",
            MCTSAgent(SIMULATIONS, rollout="decisive", keep_tree=False, seed=1, engine="compiled"),
            cpp_mcts(SIMULATIONS),
            simulations=SIMULATIONS,
        ),
        plain_uct(
            "MCTS, reference",
            REFERENCE_SIMULATIONS,
            "reference",
            open_spiel(peers.open_spiel_mcts, FOUR, REFERENCE_SIMULATIONS, EXPLORATION),
        ),
    ]


def search(
    name: str,
    agent: Agent,
    *beside: Peer,
    env: BoardGame = CONNECT_FOUR,
    published: float | None = None,
    simulations: int | None = None,
) -> Workload:
    """A search of ours from the initial state."""
    run = partial(agent.search, env, env.initial_state())
    return Workload(name, run, beside, published, simulations)


def alpha_beta(depth: int, name: str = "alpha-beta {}", **options: Any) -> Workload:
    """Alpha-beta beside OpenSpiel and easyAI at this depth."""
    return search(
        name.format(depth),
        AlphaBetaAgent(depth, time_limit=None, heuristic="zero", **options),
        open_spiel(peers.open_spiel_alpha_beta, FOUR, depth),
        *(
            Peer(called, "easyAI", partial(peers.easy_ai_alpha_beta, depth, table))
            for called, table in (("easyAI", False), ("easyAI, table", True))
        ),
        published=PUBLISHED_ALPHA_BETA[depth],
    )


def plain_alpha_beta(depth: int) -> Workload:
    """Alpha-beta without ordering, killer moves and table, which OpenSpiel's lacks."""
    agent = AlphaBetaAgent(
        depth,
        time_limit=None,
        heuristic="zero",
        ordering="natural",
        iterative_deepening=False,
        killer_moves=False,
        table_size=0,
    )
    return search(
        f"alpha-beta {depth}, plain",
        agent,
        open_spiel(peers.open_spiel_alpha_beta, FOUR, depth),
        Peer("OpenSpiel C++", "open_spiel", partial(peers.open_spiel_cpp_alpha_beta, FOUR, depth)),
    )


def plain_uct(name: str, simulations: int, engine: str, *others: Peer) -> Workload:
    """UCT with uniform playouts, without the enhancements that OpenSpiel's lacks."""
    agent = MCTSAgent(
        simulations,
        exploration=EXPLORATION,
        rollout="uniform",
        solver=False,
        decisive_moves=False,
        keep_tree=False,
        seed=1,
        engine=engine,
    )
    return search(
        name,
        agent,
        *others,
        cpp_mcts(simulations),
        published=simulations / PUBLISHED_MCTS,
        simulations=simulations,
    )


def cpp_mcts(simulations: int) -> Peer:
    """OpenSpiel's plain UCT in C++."""
    run = partial(peers.open_spiel_cpp_mcts, FOUR, simulations, EXPLORATION)
    return Peer("OpenSpiel C++", "open_spiel", run)


def open_spiel(run: Callable[..., float], *arguments: Any) -> Peer:
    """A search of OpenSpiel's Python package."""
    return Peer("OpenSpiel", "open_spiel", partial(run, *arguments))


def search_report(measurements: Sequence[Measurement]) -> Report:
    """The measurements, and the missing peers."""
    return [
        "Beside peers: processor time of a search; k/s: 1000 simulations a second",
        peer_table("work", measurements, figure),
        f"Beside {PUBLISHED_BY}; goal: {GOAL} times faster",
        published_table(measurements),
        *missing_peers(measurements),
    ]


def published_table(measurements: Sequence[Measurement]) -> Table:
    """Our searches beside the published figures."""
    rows = table("work", "ours", "published", "times faster", "goal", words=("work", "goal"))
    for measurement in measurements:
        published = measurement.workload.published
        if published is not None:
            factors = [published / seconds for seconds in measurement.ours.seconds]
            rows.add_row(
                measurement.workload.name,
                figure(measurement.workload, measurement.ours.median),
                figure(measurement.workload, published),
                spread(factors),
                "reached" if median(factors) >= GOAL else "missed",
            )
    return rows


def figure(workload: Workload, seconds: float) -> str:
    """A time, or a rate if simulations are counted."""
    if workload.count is None:
        return f"{1000 * seconds:.1f} ms"
    return f"{workload.count / seconds / 1000:.1f} k/s"


def search_timings(measurement: Measurement) -> dict[str, object]:
    """All timings: processor seconds per search, by round."""
    return {
        "work": measurement.workload.name,
        "simulations": measurement.workload.count,
        "published_seconds": measurement.workload.published,
        "seconds": {
            timings.name: timings.seconds for timings in (measurement.ours, *measurement.peers)
        },
    }
