"""A move's trap in words, and the output of `connectx explain --agent perfect`.

A trap counts the replies that give something away and those that keep the result. The output adds
the result of the position and the source of the move. Columns are counted from 0.
"""

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
from agents.solver.analysis import BEST_STYLE, Analysis, ReachedPosition, analyse, render_result
from agents.solver.score_words import in_words
from agents.solver.solver import Solver
from agents.solver.solver_engine import is_solvable
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
class ToldTrap:
    """The results of the opponent's replies to a move after which the opponent need not lose.

    Results are exact, from the view of the opponent, who is to reply: a win, a draw or a loss,
    regardless of its distance.
    """

    is_won: bool  # whether the opponent can win; else the best result is a draw
    keeping: tuple[int, ...]  # the columns that keep it, from left to right; at least one
    drawing: tuple[int, ...]  # the columns that turn a win into a draw
    losing: tuple[int, ...]  # the columns that lose the game

    @property
    def giving_away(self) -> int:
        """The number of replies that give something away, less than the number of columns."""
        return len(self.drawing) + len(self.losing)

    @property
    def sentence(self) -> str:
        """What the move does, as a sentence without its subject.

        For example "sets a trap: 6 replies lose the win, 1 keeps it". If nothing can be given away
        it is a clause with a subject, "every reply keeps the draw".
        """
        prize = "the win" if self.is_won else "the draw"
        if not self.giving_away:
            replies = "the only reply" if len(self.keeping) == 1 else "every reply"
            return f"{replies} keeps {prize}"
        if self.losing:
            groups = [(self.drawing, "only draw{s}"), (self.losing, "lose{s}")]
            groups.append((self.keeping, f"keep{{s}} {prize}"))
        else:
            groups = [(self.drawing, "lose{s} the win"), (self.keeping, "keep{s} it")]
        first, *others = [(len(columns), verb) for columns, verb in groups if columns]
        clauses = [_clause(*first, " reply" if first[0] == 1 else " replies")]
        clauses += [_clause(*other) for other in others]
        return f"sets a trap: {', '.join(clauses)}"


def told_trap(solver: Solver, state: BoardState, column: int, clock: Clock) -> ToldTrap | None:
    """Judge the opponent's replies to a move; TimeUp if not all were judged in time.

    None if the opponent has nothing to give away: the game is over, or lost for them.
    """
    child = solver.env.get_next_state(state, column)
    results: dict[int, int] = {}
    for reply in solver.env.get_available_actions(child):
        clock.check()
        result = solver.after(child, reply, clock.left, within=(-1, 1)).outcome
        if result is None:
            raise TimeUp
        results[reply] = result
    best = max(results.values(), default=-1)
    if best < 0:
        return None
    of_result = {
        result: tuple(reply for reply, found in results.items() if found == result)
        for result in (-1, 0, 1)
    }
    return ToldTrap(best > 0, of_result[best], of_result[0] if best > 0 else (), of_result[-1])


def _clause(number: int, verb: str, noun: str = "") -> str:
    """A clause such as `3 replies lose`; `{s}` in the verb is the ending of the singular."""
    return f"{number}{noun} {verb.format(s='s' if number == 1 else '')}"


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
