"""The games: pure rules behind one small protocol that every search plays by."""

from envs.board import BoardGame, BoardState
from envs.connectx import ConnectFour, ConnectX
from envs.notation import parse_moves, state_from_moves
from envs.protocol import Action, Env, State
from envs.render import board_svg, board_text
from envs.tic_tac_toe import TicTacToe

__all__ = [
    "Action",
    "BoardGame",
    "BoardState",
    "ConnectFour",
    "ConnectX",
    "Env",
    "State",
    "TicTacToe",
    "board_svg",
    "board_text",
    "parse_moves",
    "state_from_moves",
]
