"""A trap in words: how many replies to a move give something away, and how many keep the result.

Columns are counted from 0.
"""

from dataclasses import dataclass

from agents.agent import Clock, TimeUp
from agents.solver.solver import Solver
from envs.board import BoardState


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
