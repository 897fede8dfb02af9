"""A round robin as a ladder: who is stronger, by how much, and how sure that is."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from agents.stats import Estimate
from submission.evaluating.evaluation import Evaluation
from submission.evaluating.game_record import GameRecord
from submission.ranking.encounters import encounters_of
from submission.ranking.ratings import rate
from submission.ranking.standing import Standing, standing_of


@dataclass(frozen=True, slots=True)
class Rung:
    """A player's place."""

    player: str
    elo: Estimate
    """Above the anchor, with the 95 % interval; limits that the games do not set are infinite."""
    above_next: float | None
    """How probable it is that the player is stronger than the next one; None for the last."""
    standing: Standing
    against: tuple[Standing, ...]
    """What the player did against each player of the ladder; nothing against itself."""


@dataclass(frozen=True, slots=True)
class Ladder:
    """The players of a round robin, the strongest first."""

    evaluation: Evaluation
    anchor: str
    """The player whose rating is 0."""
    rungs: tuple[Rung, ...]


def require_round_robin(names: Sequence[str], anchor: str | None) -> None:
    """See to it that players with these names can play a round robin.

    Raises:
        ValueError: fewer than two, one that is named twice, or an anchor that does not play.
    """
    if len(names) < 2:
        raise ValueError("a ladder takes at least two players: name more of them")
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{name!r} is named twice: name each player once")
    require_anchor(anchor, names)


def require_anchor(anchor: str | None, names: Sequence[str]) -> None:
    """Check that the one whose rating is 0 plays.

    Raises:
        ValueError: nobody has that name.
    """
    if anchor is not None and anchor not in names:
        raise ValueError(
            f"the anchor {anchor!r} is not among the players: name one of {', '.join(names)}"
        )


def make_ladder(evaluation: Evaluation, anchor: str | None) -> Ladder:
    """Rate the players of a round robin.

    Args:
        evaluation: the games; fewer than were asked for after an interrupt.
        anchor: whose rating is 0; None takes the player in the middle.

    Raises:
        ValueError: the anchor is none of the players.
        ModuleNotFoundError: choix is not installed.
    """
    names = [player.name for player in evaluation.players]
    require_anchor(anchor, names)
    ratings = rate(
        len(names),
        encounters_of(names, evaluation.records),
        anchor=None if anchor is None else names.index(anchor),
        seed=evaluation.settings.seed,
    )
    order = sorted(range(len(names)), key=lambda player: -ratings.elo[player].value)
    ranked = [names[player] for player in order]
    above_next = [float(ratings.superiority[pair]) for pair in pairwise(order)]
    return Ladder(
        evaluation=evaluation,
        anchor=names[ratings.anchor],
        rungs=tuple(
            Rung(
                player=name,
                elo=ratings.elo[player],
                above_next=above,
                standing=standing_of(name, evaluation.records),
                against=_against(name, ranked, evaluation.records),
            )
            for player, name, above in zip(order, ranked, [*above_next, None], strict=True)
        ),
    )


def _against(
    name: str, ranked: Sequence[str], records: Sequence[GameRecord]
) -> tuple[Standing, ...]:
    return tuple(
        standing_of(name, [record for record in records if {*record.pairing} == {name, other}])
        for other in ranked
    )
