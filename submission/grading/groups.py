"""The kinds of positions that a grade is told for."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from submission.grading.answer import Answer
from submission.grading.figures import Figures, figures
from submission.grading.solved_position import Outcome, Phase, SolvedPosition

HARD = "hard"
TACTICAL = "tactical"
ALL = "all"
OUTCOME_NAMES = {Outcome.WIN: "won", Outcome.DRAW: "drawn", Outcome.LOSS: "lost"}


@dataclass(frozen=True, slots=True)
class Group:
    """The figures of one kind of positions."""

    name: str
    figures: Figures


def by_kind(answers: Sequence[Answer]) -> list[Group]:
    """By phase, by outcome, hard, tactical, and all; kinds without a position are left out."""
    kinds = [*(phase.value for phase in Phase), *OUTCOME_NAMES.values(), HARD, TACTICAL, ALL]
    members: dict[str, list[Answer]] = {kind: [] for kind in kinds}
    for answer in answers:
        for kind in _kinds(answer.position):
            members[kind].append(answer)
    return _grouped(members)


def by_ply(answers: Sequence[Answer]) -> list[Group]:
    """By the plies played."""
    members: dict[str, list[Answer]] = {}
    for answer in sorted(answers, key=lambda answer: answer.position.ply):
        members.setdefault(str(answer.position.ply), []).append(answer)
    return _grouped(members)


def _grouped(answers: Mapping[str, Sequence[Answer]]) -> list[Group]:
    return [Group(name, figures(members)) for name, members in answers.items() if members]


def _kinds(position: SolvedPosition) -> Iterator[str]:
    """The names of the kinds that a position belongs to."""
    yield position.phase.value
    yield OUTCOME_NAMES[position.outcome]
    if position.is_hard:
        yield HARD
    if position.is_tactical:
        yield TACTICAL
    yield ALL
