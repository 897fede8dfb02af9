"""`connectx play`: a whole game through the terminal, every typing error, and a way out."""

import shlex
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from signal import SIGINT
from time import sleep

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from agents import make_agent
from agents.reporting.board_text import board_picture
from envs import BoardGame, ConnectFour, ConnectX, TicTacToe, state_from_moves
from envs.board import moves_text
from envs.games import game_entry
from submission.play.game_history import Command, History, read_move
from submission.play.opponent import find_opponent, move_values
from submission.play.session import Session, best_moves, value_text
from tests.helpers.brute_force import BruteForce
from tests.helpers.flat_boards import EVERY_GAME, every_game
from tests.helpers.processes import running_command
from tests.helpers.shell import Outcome, Shell
from tests.helpers.strategies import Position, late_positions
from tests.helpers.systems import needs_posix

Play = Callable[..., Outcome]


@pytest.fixture
def play(shell: Shell) -> Play:
    """Plays with these answers typed, one a line."""
    return lambda *words, typed=(): shell.run("play", *words, stdin="\n".join([*typed, ""]))


@st.composite
def histories(draw: st.DrawFn) -> History:
    """A history in which the game goes on, begun anywhere."""
    env = draw(st.sampled_from([*EVERY_GAME, ConnectX(4, 5, 3)]))
    history = History(env, (), 0)
    for choice in draw(st.lists(st.integers(0, 99), max_size=8)):
        legal = env.get_available_actions(history.state)
        following = history.after(legal[choice % len(legal)])
        if following.is_over:
            break
        history = following
    opening = draw(st.integers(0, len(history.actions)))
    return History(env, history.actions, opening)


@pytest.mark.parametrize(
    ("words", "typed", "lines"),
    [
        (
            "greedy --moves 121212",
            "1",
            "You win (X).|The moves were 1212121. To go on from before the last one:|"
            "  connectx solve 121212| .  .  .  .  .  .  .|[X] .  .  .  .  .  .",
        ),
        ("level:n=4,seed=1 --moves 121212", "7", "level 4 plays column 2.|level 4 wins (O)."),
        ("greedy --moves 121212", "7", "greedy plays column 2.|greedy wins (O)."),
        (
            "greedy --moves 121212 --seat 2",
            "",
            "You are O and greedy is X; X begins. Type help to see what else you can type.|"
            "greedy plays column 1.|greedy wins (X).",
        ),
        (
            "random --game tictactoe --moves 12354687",
            "9",
            "The game is a draw.|  connectx explain --moves 12354687 --game tictactoe",
        ),
        ("random", "values", "random estimates no values, except of moves that end the game"),
        # O is to move; cell 3 stops X, all others lose.
        (
            "minimax:depth=none --game tictactoe --moves 152 --seat 2",
            "values hint",
            "  cell 3  +0.000  best|  cell 4  -1.000 a loss|  cell 9  -1.000 a loss|"
            "minimax would play cell 3.",
        ),
        (
            "greedy --moves 44",
            "1 undo undo quit",
            "there is no move of yours to take back.|The moves were 44. To go on from there:",
        ),
        ("greedy --rows 5 --columns 10", "6 quit", "  connectx solve 66 --rows 5 --columns 10"),
    ],
)
def test_what_is_said(play: Play, words: str, typed: str, lines: str) -> None:
    outcome = play(*words.split(), typed=typed.split())
    assert (outcome.status, outcome.stderr) == (0, "")
    said = [line.rstrip() for line in outcome.stdout.splitlines()]
    assert {*lines.split("|")} <= {*said}


def test_an_agent_that_cannot_play_the_board_is_refused_before_the_game(play: Play) -> None:
    outcome = play("policy", "--rows", "5", typed=["4"])
    assert (outcome.status, outcome.stdout) == (2, "")
    assert "cannot play ConnectX(rows=5" in outcome.stderr


@pytest.mark.parametrize("words", ["--game tictactoe --moves 15", "--rows 11 --columns 12"])
def test_only_what_can_be_solved_leads_to_solve(play: Play, words: str) -> None:
    outcome = play("greedy", *words.split(), typed=["6", "quit"])
    assert "connectx explain --moves " in outcome.stdout
    assert "connectx solve" not in outcome.stdout


def test_the_board_stands_in_the_terminal_as_it_is() -> None:
    wide = ConnectX(2, 10, 3)
    assert board_picture(wide, state_from_moves(wide, "10,10,1")).plain.splitlines() == [
        "  .   .   .   .   .   .   .   .   .   O ",
        "  X   .   .   .   .   .   .   .   .   X ",
        "  1   2   3   4   5   6   7   8   9  10",
    ]
    cells = TicTacToe()
    assert board_picture(cells, state_from_moves(cells, "15293")).plain.splitlines() == [
        "[X][X][X]",
        " 4  O  6 ",
        " 7  8  O",
    ]


@given(late_positions(st.just(ConnectX(3, 13, 3)), most_free_cells=30), st.integers(5, 60))
@settings(max_examples=30)
def test_a_board_too_wide_for_the_terminal_is_shown_in_parts(position: Position, room: int) -> None:
    env, state = position
    parts = board_picture(env, state, room).plain.split("\n\n")
    assert all(len(line) <= room for part in parts for line in part.splitlines())
    whole = board_picture(env, state).plain.splitlines()
    rows = zip(*(part.splitlines() for part in parts), strict=True)
    assert ["".join(row).split() for row in rows] == [line.split() for line in whole]


def test_no_line_of_a_wide_board_is_wrapped(monkeypatch: pytest.MonkeyPatch) -> None:
    output = StringIO()
    terminal = Console(file=output, width=40)
    monkeypatch.setattr(sys, "stdin", StringIO())
    env = ConnectX(5, 30, 4)
    Session(terminal, find_opponent("greedy", env), 1, 1.0).play(History(env, (0, 29), 2))
    board = output.getvalue().split("else you can type.")[1].split("Your move")[0]
    numbers = [line.split() for line in board.splitlines() if "." not in line and line.strip()]
    columns = [int(number) for line in numbers for number in line if number.isdigit()]
    assert columns == [*range(1, 31)]
    assert board.count("X") == board.count("O") == 1


SUBMISSION = "def agent(observation, configuration):\n    return {}\n"
FIRST_FREE = "observation.board.index(0)"


def test_a_submission_is_an_opponent(play: Play, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(SUBMISSION.format(FIRST_FREE))
    outcome = play("mine.py", typed=["4", "hint", "values", "4", "undo", "4", "4", "4"])
    assert outcome.status == 0
    assert "You are X and mine.py is O" in outcome.stdout
    assert outcome.stdout.count("mine.py plays column 1.") == 4
    assert "mine.py would play column 1." in outcome.stdout
    assert "mine.py estimates no values" in outcome.stdout
    assert "You win (X)." in outcome.stdout
    assert "connectx play mine.py --moves 414141" in outcome.stdout


@pytest.mark.parametrize(
    ("returned", "told"),
    [
        ("1 / 0", "mine.py failed with ERROR: ZeroDivisionError: division by zero."),
        ("7", "mine.py failed with INVALID: the agent returned column 7, which does not exist"),
        ("from . import", "mine.py is not a Python file"),
    ],
)
def test_a_submission_that_fails_is_told_in_plain_words(
    play: Play, tmp_path: Path, returned: str, told: str
) -> None:
    (tmp_path / "mine.py").write_text(SUBMISSION.format(returned))
    outcome = play("mine.py", "--seat", "2", typed=["4"])
    assert told in outcome.stdout + outcome.stderr
    assert "Traceback" not in outcome.stdout + outcome.stderr
    if outcome.status == 0:
        assert "To fix it, " in outcome.stdout
        assert "The game is not over." in outcome.stdout


FOUR, TIC_TAC_TOE = (ConnectFour(), "444444"), (TicTacToe(), "15")


@pytest.mark.parametrize(
    ("position", "typed", "answer"),
    [
        (FOUR, " 1 ", 0),
        (FOUR, "01", 0),
        (FOUR, "UNDO", Command.UNDO),
        (FOUR, "help\n", Command.HELP),
        (FOUR, "q", Command.QUIT),
        (FOUR, " Q", Command.QUIT),
        (FOUR, "", "nothing was typed"),
        (FOUR, "x", "'x' is neither a column nor a command"),
        (FOUR, "-1", "'-1' is neither a column nor a command"),
        (FOUR, "3.5", "'3.5' is neither a column nor a command"),
        (FOUR, "٣", "'٣' is neither a column nor a command"),
        (FOUR, "²", "'²' is neither a column nor a command"),
        (FOUR, "0", "there is no column 0"),
        (FOUR, "8", "there is no column 8"),
        (FOUR, "4" * 5000, "there is no column 444"),
        (FOUR, "4", "column 4 is full: type one of 1, 2, 3, 5, 6, 7, or help"),
        (TIC_TAC_TOE, "5", "cell 5 is taken: type one of 2, 3, 4, 6, 7, 8, 9, or help"),
        (TIC_TAC_TOE, "10", "there is no cell 10"),
    ],
)
def test_what_is_typed_is_understood_or_its_fault_named(
    position: tuple[BoardGame, str], typed: str, answer: int | str
) -> None:
    env, moves = position
    state = state_from_moves(env, moves)
    if isinstance(answer, int | Command):
        assert read_move(env, state, typed) == answer
        return
    with pytest.raises(ValueError, match="or help") as refusal:
        read_move(env, state, typed)
    assert str(refusal.value).startswith(answer)


def test_after_a_typing_error_the_question_comes_again(play: Play) -> None:
    outcome = play("greedy", "--moves", "444444", typed=["", "8", "4", "Quit"])
    for complaint in ("nothing was typed", "there is no column 8", "column 4 is full"):
        assert f"{complaint}: type one of 1, 2, 3, 5, 6, 7, or help." in outcome.stdout
    assert outcome.stdout.count("Your move (X), column 1 to 7:") == 4
    assert "The moves were 444444." in outcome.stdout


def test_help_names_every_word(play: Play) -> None:
    listing = play("greedy", typed=["help"]).stdout.splitlines()
    for word in Command:
        assert any(line.startswith(f"{word} ") for line in listing)


@given(histories(), st.integers(0, 8))
def test_undo_gives_the_position_before_the_move(history: History, choice: int) -> None:
    person = history.state.player
    legal = history.env.get_available_actions(history.state)
    moved = history.after(legal[choice % len(legal)])
    assert moved.before_last_turn_of(person) == history
    if not moved.is_over:
        replied = moved.after(history.env.get_available_actions(moved.state)[0])
        assert replied.before_last_turn_of(person) == history


@given(histories())
def test_the_opening_is_never_taken_back(history: History) -> None:
    opening = History(history.env, history.actions, len(history.actions))
    for player in (1, 2):
        with pytest.raises(ValueError, match="no move of yours"):
            opening.before_last_turn_of(player)


@given(late_positions(st.builds(TicTacToe), most_free_cells=6))
@settings(max_examples=20)
def test_values_are_those_of_the_player_to_move(position: Position) -> None:
    env, state = position
    exact = BruteForce(env)
    values = move_values(make_agent("minimax", depth=None), env, state, time_limit=10)
    sign = 1 if state.player == 1 else -1
    assert values == {
        action: sign * exact.action_value(state, action)
        for action in env.get_available_actions(state)
    }
    best = max(sign * exact.action_value(state, a) for a in values)
    assert {exact.action_value(state, action) * sign for action in best_moves(values)} == {best}


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.0, "+1.000 a win"), (-1.0, "-1.000 a loss"), (0.99996, "+0.999"), (-0.5, "-0.500")],
)
def test_only_what_is_proven_reads_as_a_win_or_a_loss(value: float, text: str) -> None:
    assert value_text(value) == text


@every_game
def test_each_game_is_played_to_its_end_and_leads_on(game: BoardGame, play: Play) -> None:
    """The person always takes the first legal move; the command that it ends with leads back."""
    entry, state, actions, typed = game_entry(game), game.initial_state(), [], []
    while legal := game.get_available_actions(state):
        action = legal[0] if state.player == 1 else make_agent("greedy").act(game, state)
        if state.player == 1:
            typed.append(str(action + 1))
        actions.append(action)
        state = game.get_next_state(state, action)
    ended = play("greedy", "--game", entry.name, typed=typed)
    assert ended.status == 0
    assert f"Your move (X), {entry.place.name} 1 to {len(game.action_cells)}: " in ended.stdout
    verdicts = {1: "You win (X).", 2: "greedy wins (O).", None: "The game is a draw."}
    assert verdicts[game.winner(state)] in ended.stdout
    assert f"The moves were {moves_text(actions)}." in ended.stdout
    command = next(line for line in ended.stdout.splitlines() if "connectx play" in line)
    again = play(*shlex.split(command)[2:], typed=["quit"])
    person_was_last = state.player == 2
    left = actions[:-1] if person_was_last else actions  # greedy makes its last move again
    assert f"The moves were {moves_text(left)}." in again.stdout


class Interrupted(StringIO):
    """A standard input at which Ctrl-C is pressed."""

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
        raise KeyboardInterrupt


@pytest.mark.parametrize("stdin", [StringIO(), Interrupted()], ids=["end", "Ctrl-C"])
def test_who_types_nothing_leaves_the_game(shell: Shell, stdin: StringIO) -> None:
    outcome = shell.run("play", "greedy", stdin=stdin)
    assert outcome.status == 0
    assert "The game is not over.\nNo move was made." in outcome.stdout


@needs_posix
def test_ctrl_c_leaves_a_game_in_which_a_submission_thinks(tmp_path: Path) -> None:
    (tmp_path / "sleeps.py").write_text(SUBMISSION.format("__import__('time').sleep(99)"))
    with running_command("play", "sleeps.py", "--seat", "2", folder=tmp_path) as process:
        assert any("1  2  3" in line for line in process.stdout)  # the board is shown
        sleep(1)
        process.send_signal(SIGINT)
        assert process.wait(timeout=30) == 0
        assert "The game is not over.\nNo move was made." in process.stdout.read()
        assert process.stderr.read().strip() == ""
