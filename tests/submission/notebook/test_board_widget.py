"""The notebook's board, asked as a browser asks it: messages in, views out."""

import sys
from dataclasses import dataclass
from functools import partial
from threading import Event
from typing import Any

import numpy as np
import pytest

import connectx
from agents import Agent, SearchResult, Solver
from envs import ConnectFour, ConnectX, ExplicitTree, TicTacToe, state_from_moves
from tests.helpers.clocks import wait_until

pytest.importorskip("anywidget", reason="the extra `notebook` is not installed")

PATIENCE = 30.0


def click(board: Any, command: str, **content: object) -> None:
    board._handle_custom_msg({"command": command, **content}, [])


def has_gone_on(board: Any, ply: int) -> bool:
    return len(board.view["actions"]) >= ply + 2 or board.view["over"]


@dataclass
class Slow(Agent):
    """Plays the first column when it is told to."""

    def __post_init__(self) -> None:
        self.asked, self.told = Event(), Event()

    def search(self, env: Any, state: Any, time_limit: float | None = None) -> SearchResult[Any]:
        self.asked.set()
        assert self.told.wait(PATIENCE)
        return SearchResult(env.get_available_actions(state)[0], 0.0)


def test_a_game_by_clicks() -> None:
    board = connectx.Board(opponent="greedy", seconds=0.1)
    told: list[str] = []
    board.observe(lambda change: told.append(change["new"]), "moves")
    assert board.view["message"] == "Your move (X)."
    while not board.view["over"]:
        ply = len(board.view["actions"])
        click(board, "play", action=board.view["legal"][0])
        wait_until(partial(has_gone_on, board, ply))
    assert told[0] == "1"
    assert [len(moves) for moves in told] == [*range(1, len(told) + 1)]
    assert board.state == state_from_moves(ConnectFour(), board.moves)
    assert board.view["message"] == "greedy wins (O)."
    assert len(board.view["line"]) >= 4
    assert not board.view["interactive"]
    board.close()


def test_two_persons_and_every_command() -> None:
    board = connectx.Board(TicTacToe(), opponent=None)
    assert board.view["message"] == "Player 1 (X) is to move."
    for action in (4, 0, 8):
        click(board, "play", action=action)
    assert board.moves == "519"
    assert board.view["place"] == "cell"
    assert str(board).splitlines()[0] == "O . ."
    click(board, "undo")
    assert board.moves == "51"
    click(board, "play", action=4)
    assert board.view["message"].startswith("illegal action 4")
    click(board, "new_game")
    assert (board.moves, board.view["undoable"]) == ("", False)
    click(board, "undo")
    assert board.view["message"] == "there is no move of yours to take back."
    click(board, "toggle_values")
    assert board.values
    for nonsense in ({"action": "x"}, {"action": None}, {}):
        click(board, "play", **nonsense)
    click(board, "dance")
    assert board.moves == ""
    board.moves = "4,6,5"
    with pytest.raises(ValueError, match="move 2 is 4"):
        board.moves = "44"
    with pytest.raises(ValueError, match="illegal action 3"):
        board.play(3)
    assert board.moves == "465"
    board.close()


def test_neither_clicks_while_the_opponent_thinks_nor_late_replies_are_played() -> None:
    slow = Slow()
    board = connectx.Board(opponent=slow)
    board.play(3)
    assert slow.asked.wait(PATIENCE)
    assert board.view["message"] == "Slow (O) is thinking …"
    click(board, "play", action=2)
    assert board.moves == "4"
    board.undo()
    board.seat = 2
    board.moves = "44"
    slow.told.set()
    wait_until(lambda: board.moves == "441")
    board.close()


def test_undo_takes_the_reply_back_too_and_never_what_was_given() -> None:
    board = connectx.Board(opponent="greedy", seconds=0.1, seat=2, moves="4453")
    wait_until(lambda: len(board.moves) == 5)
    with pytest.raises(ValueError, match="there is no move of yours to take back"):
        board.undo()
    board.play(0)
    wait_until(lambda: len(board.moves) == 7)
    board.undo()
    assert len(board.moves) == 5
    click(board, "swap_seats")
    assert board.seat == 1
    wait_until(lambda: len(board.moves) == 6 or board.view["interactive"])
    board.close()


def test_values_are_those_of_the_solver_for_the_position_that_is_shown() -> None:
    env, moves = ConnectFour(), "4444435352335533222262"
    board = connectx.Board(opponent=None, moves="4", values=True)
    wait_until(lambda: board.view["values"] is not None)
    board.moves = moves
    assert not board.view["values"]
    wait_until(
        lambda: all(v["exact"] for v in (board.view["values"] or {0: {"exact": 0}}).values())
    )
    scores = Solver(env).scores(state_from_moves(env, moves))
    assert board.view["values"].keys() == scores.keys()
    for action, bounds in scores.items():
        value = board.view["values"][action]
        assert {"win": 1, "draw": 0, "loss": -1}[value["kind"]] == bounds.outcome
        assert value["best"] == (bounds.lower == max(b.lower for b in scores.values()))
    click(board, "toggle_values")
    assert board.view["values"] is None
    board.close()


def test_a_cell_puts_out_the_picture_and_then_the_widget(monkeypatch: pytest.MonkeyPatch) -> None:
    out: list[dict[str, Any]] = []
    monkeypatch.setattr("submission.web.board_widget.display", lambda form, **_: out.append(form))
    board = connectx.Board(opponent=None, moves="12")
    board._ipython_display_()
    picture, widget = out
    assert "<svg" in picture["text/html"]
    assert "X O" in picture["text/plain"]
    assert "application/vnd.jupyter.widget-view+json" not in picture
    assert widget["application/vnd.jupyter.widget-view+json"]["model_id"] == board.model_id
    assert "X O" in repr(board)
    board.close()


def misplaces(observation: Any, configuration: Any) -> int:
    return 99


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"env": ExplicitTree([1, 2])}, "a board takes one of the games connectx, connectfour, t"),
        ({"env": ConnectX(21, 7, 4)}, "a board has at most 20 rows and columns"),
        ({"opponent": "nobody"}, "unknown agent 'nobody'"),
        ({"opponent": "mcts:depth=3"}, "depth"),
        ({"opponent": 3}, "3 is not an agent"),
        ({"env": TicTacToe(), "opponent": misplaces}, "a submission plays only ConnectX"),
        ({"seat": 3}, "the seat must be 1 or 2, not 3"),
        ({"seconds": 0}, "seconds must be from 0.01 to 60, not 0"),
        ({"seconds": float("nan")}, "seconds must be from 0.01 to 60"),
        ({"seconds": "1"}, "seconds must be from 0.01 to 60, not '1'"),
        ({"moves": "48"}, "move 2 is 8: legal: 1, 2, 3, 4, 5, 6, 7"),
    ],
)
def test_what_cannot_be_played_is_refused(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        connectx.Board(**arguments)


@dataclass
class Wrong(Agent):
    """Answers by an action that may not exist; by an error where it has none."""

    action: int | None

    def search(self, env: Any, state: Any, time_limit: float | None = None) -> SearchResult[Any]:
        if self.action is None:
            raise KeyError("best")
        return SearchResult(self.action, 0.0)


@pytest.mark.parametrize(
    ("opponent", "sentence"),
    [
        (misplaces, "misplaces failed"),
        (Wrong(None), "Wrong has failed (KeyError: 'best')."),
        (Wrong(9), "action 9"),
    ],
)
def test_what_is_wrong_with_an_opponent_is_told(opponent: Any, sentence: str) -> None:
    seconds: Any = np.float32(0.5)
    board = connectx.Board(opponent=opponent, seconds=seconds)
    board.play(3)
    wait_until(lambda: "thinking" not in board.view["message"])
    assert sentence in board.view["message"]
    board.undo()
    assert board.view["message"] == "Your move (X)."
    board.close()


def test_without_anywidget_one_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "submission.web.board_widget", raising=False)
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(ModuleNotFoundError, match="needs anywidget: install the extra `notebook`"):
        _ = connectx.Board
    assert "Board" in dir(connectx)
