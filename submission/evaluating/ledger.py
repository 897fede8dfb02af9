"""The games of an evaluation so far, and which pairings have been decided."""

from collections.abc import Iterable, Sequence

from submission.evaluating.arenas.game_specification import GameSpecification
from submission.evaluating.game_record import GameRecord
from submission.evaluating.judging.sequential_test import Decision, SequentialTest
from submission.evaluating.judging.sprt import Sprt


class Ledger:
    """Takes the games of some pairings in any order.

    Args:
        pairings: the names of the player and the opponent of each; each pairing once.
        sprt: the test that decides a pairing; None decides none.
    """

    def __init__(self, pairings: Iterable[tuple[str, str]], sprt: Sprt | None) -> None:
        self._games: dict[tuple[str, str], dict[int, GameRecord]] = {
            names: {} for names in pairings
        }
        self._tests = {} if sprt is None else {names: SequentialTest(sprt) for names in self._games}

    def add(self, record: GameRecord) -> None:
        """Take a game.

        Raises:
            ValueError: its pairing is not among those of the evaluation, or it is there already.
        """
        games = self._games.get(record.pairing)
        if games is None:
            raise ValueError(f"{record.player} against {record.opponent} is not to be played")
        if record.game in games:
            raise ValueError(
                f"game {record.game} of {record.player} against {record.opponent} was played twice"
            )
        games[record.game] = record
        if self._tests:
            self._tests[record.pairing].add(record)

    def needs(self, specification: GameSpecification) -> bool:
        """Whether this game is still to be played."""
        names = specification.pairing.names
        return specification.game not in self._games[names] and self._decision(names) is None

    @property
    def decisions(self) -> dict[tuple[str, str], Decision]:
        """What the sequential test says of the pairings that it has decided."""
        decisions = {names: self._decision(names) for names in self._games}
        return {names: decision for names, decision in decisions.items() if decision is not None}

    @property
    def records(self) -> tuple[GameRecord, ...]:
        """The games by pairing and number; of a decided pairing, those that decided it.

        Games that were under way by then are left out, so that the number of workers changes
        nothing.
        """
        return tuple(
            games[number]
            for names, games in self._games.items()
            for number in self._counted(names, sorted(games))
        )

    def _decision(self, names: tuple[str, str]) -> Decision | None:
        return self._tests[names].decision if self._tests else None

    def _counted(self, names: tuple[str, str], numbers: Sequence[int]) -> Sequence[int]:
        decision = self._decision(names)
        return numbers if decision is None else range(decision.games)
