"""The games: pure rules behind one small protocol, the only interface that a search uses."""

from typing import Any

from envs.board import BoardGame, BoardState, parse_moves, state_from_moves
from envs.compiled import wide_words as wide_words
from envs.connectx import ConnectFour, ConnectX
from envs.explicit_tree import ChanceNode, ExplicitTree, MaxNode, MinNode, parse_tree
from envs.games import GAMES, listed_games, register_game
from envs.learning.registration import register_environments
from envs.protocol import CHANCE, Action, Env, GameOfChance, State
from envs.render import board_svg, board_text
from envs.shown_position import show
from envs.tic_tac_toe import TicTacToe

GYMNASIUM_IDS = register_environments(
    (name for entry in GAMES.values() for name in entry.gymnasium_ids), listed_games
)
"""The ids of the package's environments for `gymnasium.make` and `pettingzoo.make`."""

__all__ = [
    "CHANCE",
    "GYMNASIUM_IDS",
    "Action",
    "BoardGame",
    "BoardState",
    "ChanceNode",
    "ConnectFour",
    "ConnectX",
    "Env",
    "ExplicitTree",
    "GameOfChance",
    "MaxNode",
    "MinNode",
    "State",
    "TicTacToe",
    "board_svg",
    "board_text",
    "parse_moves",
    "parse_tree",
    "register_game",
    "show",
    "state_from_moves",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("connectx-agents")
    raise AttributeError(f"module 'envs' has no attribute {name!r}")
