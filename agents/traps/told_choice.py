"""The output of `connectx explain --agent perfect`: the result, the move's source, the replies."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from agents.agent import Clock, TimeUp
from agents.book.opening_book import shipped_book_of
from agents.book.repertoire import promising_moves
from agents.perfect import PerfectAgent
from agents.reporting.board_text import board_picture
from agents.solver.analysis import BEST_STYLE, Analysis, analyse, render_result
from agents.solver.reached_position import ReachedPosition
from agents.solver.score_words import in_words
from agents.solver.solver import Solver
from agents.solver.solver_engine import is_solvable
from agents.traps.told_trap import ToldTrap, told_trap
from envs.bitboard import board_masks
from envs.board import BoardGame, BoardState

MOST_SECONDS = 30.0  # for the scores of all moves, and as long for the replies to all moves
SIGHT = "sight"  # the source of a move that needs neither a book nor a search
SOURCES = {
    "traps": "by heart: its book of traps has the position",
    "repertoire": "by heart: its repertoire has the position",
    SIGHT: "at sight: two plies of look-ahead leave no other move",
    "search": "by search",
}
"""The sources of `PerfectAgent.source`, and `SIGHT`, in words."""
NO_REPLIES, UNKNOWN = "-", "?"
"""In the table: the opponent has nothing to give away; the replies were not judged in time."""


@dataclass(frozen=True)
class ToldChoice:
    """A choice of the perfect agent, with the reasons for it."""

    analysis: Analysis  # the position and its legal moves, with scores for the player to move
    column: int  # the agent's choice, from 0
    source: str  # the source of the move, one of `SOURCES`
    traps: Mapping[int, ToldTrap | None]
    """By legal column, from 0, the results of the replies; None if the move ends the game or wins
    it for the player to move. A column that was not judged in time is left out."""

    @property
    def sentence(self) -> str | None:
        """The trap set by the chosen move; None if there is none, or it is not known."""
        trap = self.traps.get(self.column)
        if trap is None:
            return None
        lead = "Column" if trap.giving_away else "After column"
        return f"{lead} {self.column + 1} {trap.sentence}."


def told_choice(agent: PerfectAgent, env: BoardGame, state: BoardState) -> ToldChoice:
    """Let the agent choose a move, and judge the replies to each legal move."""
    if not is_solvable(env):
        raise ValueError(
            f"perfect explains its choice only on ConnectX boards that it solves, not on {env!r}: "
            "choose another agent"
        )
    solver = Solver(env, agent.table_megabytes, agent.threads, shipped_book_of(env))
    # This waits until the solver is compiled.
    analysis = analyse(solver, ReachedPosition(env, "", state), MOST_SECONDS)
    source = agent.source(env, state)
    board = board_masks(*env.size)
    if source != "search" and len(promising_moves(board, state)) == 1:
        source = SIGHT
    chosen = agent.act(env, state)
    traps: dict[int, ToldTrap | None] = {}
    clock = Clock(MOST_SECONDS)
    for column in analysis.columns:
        with suppress(TimeUp):
            traps[column] = told_trap(solver, state, column, clock)
    return ToldChoice(analysis, chosen, source, traps)


def render_choice(told: ToldChoice, room: int) -> RenderableType:
    """The board, the result, the choice, a line for each legal move, and the trap in a sentence."""
    position = told.analysis.position
    return Group(
        board_picture(position.env, position.state, room),
        "",
        *render_result(told.analysis),
        Text(f"perfect plays column {told.column + 1}, {SOURCES[told.source]}."),
        _table(told),
        *([] if told.sentence is None else [Text(told.sentence)]),
    )


def _table(told: ToldChoice) -> Table:
    """The result of each legal move for the player to move, and the replies to it."""
    table = Table(box=SIMPLE_HEAD, collapse_padding=True, pad_edge=False)
    table.add_column("column", justify="right")
    table.add_column("with best play")
    table.add_column("replies that keep the result", justify="right")
    table.add_column("that give it away", justify="right")
    env, _, state = told.analysis.position
    for column, bounds in told.analysis.columns.items():
        keeping, giving_away = NO_REPLIES, NO_REPLIES
        if column not in told.traps:
            keeping, giving_away = UNKNOWN, UNKNOWN
        elif (trap := told.traps[column]) is not None:
            keeping, giving_away = str(len(trap.keeping)), str(trap.giving_away)
        style = BEST_STYLE if column == told.column else ""
        meaning = in_words(env, state, bounds)
        table.add_row(str(column + 1), meaning, keeping, giving_away, style=style)
    return table
