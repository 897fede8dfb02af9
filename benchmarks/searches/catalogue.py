"""The workloads, with their peers and the published figures."""

from collections.abc import Callable
from functools import partial

from agents.alpha_beta_agent import AlphaBetaAgent
from agents.mcts_agent import MCTSAgent
from agents.minimax import MinimaxAgent
from benchmarks.searches import peers
from benchmarks.searches.search_times import Peer, Workload
from envs.connectx import ConnectFour
from envs.tic_tac_toe import TicTacToe

PUBLISHED_BY = (
    "G. Crassous, Tree Search algorithms for solving games, "
    "as measured on two shared cores with Python 3.11"
)
PUBLISHED_MINIMAX = {4: 0.120, 6: 5.340}
"""Seconds by depth, on Connect Four."""
PUBLISHED_ALPHA_BETA = {4: 0.008, 6: 0.138, 8: 1.520}
"""Seconds by depth, on Connect Four."""
PLAIN_DEPTHS = (8, 10)
"""Plies; on Connect Four, where OpenSpiel's alpha-beta and ours are the same."""
PUBLISHED_MCTS = 3600
"""Simulations per second, on Connect Four."""

SIMULATIONS = 25_000
"""Of each compiled MCTS."""
REFERENCE_SIMULATIONS = 2000
"""Of each MCTS in plain Python."""
EXPLORATION = 1.4
"""The exploration constant of all MCTS workloads but that of our agent with all it has."""


def workloads() -> list[Workload]:
    """Everything that is timed, with agents of its own; no search uses a heuristic.

    A number in a name is the depth in plies, on Connect Four.
    """
    return [
        *tic_tac_toe(),
        *(connect_four_minimax(depth) for depth in PUBLISHED_MINIMAX),
        *(connect_four_alpha_beta(depth) for depth in PUBLISHED_ALPHA_BETA),
        *(connect_four_deepening(depth) for depth in PUBLISHED_ALPHA_BETA),
        *(connect_four_plain_alpha_beta(depth) for depth in PLAIN_DEPTHS),
        connect_four_reference_alpha_beta(depth=8),
        connect_four_mcts(),
        connect_four_full_mcts(),
        connect_four_reference_mcts(),
    ]


def tic_tac_toe() -> list[Workload]:
    """Tic-tac-toe solved: its full tree, and what alpha-beta leaves of it."""
    return [
        Workload(
            "tic-tac-toe minimax",
            TicTacToe(),
            MinimaxAgent(depth=None),
            peers=(open_spiel(partial(peers.open_spiel_minimax, "tic_tac_toe", depth=9)),),
        ),
        Workload(
            "tic-tac-toe alpha-beta",
            TicTacToe(),
            AlphaBetaAgent(time_limit=None, iterative_deepening=False),
            peers=(open_spiel(partial(peers.open_spiel_alpha_beta, "tic_tac_toe", depth=9)),),
        ),
    ]


def connect_four_minimax(depth: int) -> Workload:
    """Every line of play to a fixed depth."""
    return Workload(
        f"minimax {depth}",
        ConnectFour(),
        MinimaxAgent(depth, heuristic="zero"),
        peers=(open_spiel(partial(peers.open_spiel_minimax, "connect_four", depth)),),
        published=PUBLISHED_MINIMAX[depth],
    )


def connect_four_alpha_beta(depth: int) -> Workload:
    """Alpha-beta as the agent has it, but at its full depth at once."""
    return Workload(
        f"alpha-beta {depth}",
        ConnectFour(),
        AlphaBetaAgent(depth, time_limit=None, heuristic="zero", iterative_deepening=False),
        peers=connect_four_alpha_beta_peers(depth),
        published=PUBLISHED_ALPHA_BETA[depth],
    )


def connect_four_deepening(depth: int) -> Workload:
    """Alpha-beta as the agent plays it: depths 1, 2, 3 … searched in turn."""
    return Workload(
        f"deepening {depth}",
        ConnectFour(),
        AlphaBetaAgent(depth, time_limit=None, heuristic="zero"),
        peers=connect_four_alpha_beta_peers(depth),
        published=PUBLISHED_ALPHA_BETA[depth],
    )


def connect_four_plain_alpha_beta(depth: int) -> Workload:
    """Alpha-beta without what OpenSpiel's lacks: ordering, killer moves, table."""
    return Workload(
        f"alpha-beta {depth}, plain",
        ConnectFour(),
        AlphaBetaAgent(
            depth,
            time_limit=None,
            heuristic="zero",
            ordering="natural",
            iterative_deepening=False,
            killer_moves=False,
            table_size=0,
        ),
        peers=(
            open_spiel(partial(peers.open_spiel_alpha_beta, "connect_four", depth)),
            Peer(
                "OpenSpiel C++",
                "open_spiel",
                partial(peers.open_spiel_cpp_alpha_beta, "connect_four", depth),
            ),
        ),
    )


def connect_four_reference_alpha_beta(depth: int) -> Workload:
    """Alpha-beta in plain Python, which plays every other game."""
    return Workload(
        f"alpha-beta {depth}, reference",
        ConnectFour(),
        AlphaBetaAgent(
            depth,
            time_limit=None,
            heuristic="zero",
            iterative_deepening=False,
            engine="reference",
        ),
        peers=connect_four_alpha_beta_peers(depth),
        published=PUBLISHED_ALPHA_BETA[depth],
    )


def connect_four_alpha_beta_peers(depth: int) -> tuple[Peer, ...]:
    """OpenSpiel and easyAI at this depth."""
    return (
        open_spiel(partial(peers.open_spiel_alpha_beta, "connect_four", depth)),
        easy_ai("easyAI", partial(peers.easy_ai_alpha_beta, depth, table=False)),
        easy_ai("easyAI, table", partial(peers.easy_ai_alpha_beta, depth, table=True)),
    )


def connect_four_mcts() -> Workload:
    """UCT with uniform playouts and nothing else, compiled."""
    return Workload(
        "MCTS",
        ConnectFour(),
        plain_uct(SIMULATIONS, "compiled"),
        peers=(open_spiel_cpp_mcts(SIMULATIONS),),
        published=SIMULATIONS / PUBLISHED_MCTS,
        simulations=SIMULATIONS,
    )


def connect_four_reference_mcts() -> Workload:
    """The same in plain Python, which plays every other game."""
    search = partial(peers.open_spiel_mcts, "connect_four", REFERENCE_SIMULATIONS, EXPLORATION)
    return Workload(
        "MCTS, reference",
        ConnectFour(),
        plain_uct(REFERENCE_SIMULATIONS, "reference"),
        peers=(open_spiel(search), open_spiel_cpp_mcts(REFERENCE_SIMULATIONS)),
        published=REFERENCE_SIMULATIONS / PUBLISHED_MCTS,
        simulations=REFERENCE_SIMULATIONS,
    )


def connect_four_full_mcts() -> Workload:
    """MCTS as the agent plays it without a network: solver, decisive moves, decisive playouts."""
    return Workload(
        "MCTS, all",
        ConnectFour(),
        MCTSAgent(SIMULATIONS, rollout="decisive", keep_tree=False, seed=1, engine="compiled"),
        peers=(open_spiel_cpp_mcts(SIMULATIONS),),
        simulations=SIMULATIONS,
    )


def plain_uct(simulations: int, engine: str) -> MCTSAgent:
    """Our agent without what OpenSpiel's lacks."""
    return MCTSAgent(
        simulations,
        exploration=EXPLORATION,
        rollout="uniform",
        solver=False,
        decisive_moves=False,
        keep_tree=False,
        seed=1,
        engine=engine,
    )


def open_spiel_cpp_mcts(simulations: int) -> Peer:
    """OpenSpiel's plain UCT in C++."""
    search = partial(peers.open_spiel_cpp_mcts, "connect_four", simulations, EXPLORATION)
    return Peer("OpenSpiel C++", "open_spiel", search)


def open_spiel(search: Callable[[], float]) -> Peer:
    """A search of OpenSpiel's Python package."""
    return Peer("OpenSpiel", "open_spiel", search)


def easy_ai(name: str, search: Callable[[], float]) -> Peer:
    """A search of easyAI's."""
    return Peer(name, "easyAI", search)
