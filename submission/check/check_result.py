"""The outcome of a check, JSON-able through `dataclasses.asdict`."""

from dataclasses import asdict, dataclass
from typing import Any

from submission.checking.diagnosis import Fault
from submission.checking.observed_game import Versions
from submission.upload import upload_command


@dataclass(frozen=True, slots=True)
class GameResult:
    """One game that was played."""

    name: str
    """Size and seat, as in `6x7x4 on seat 1`."""
    decides: bool
    """Whether Kaggle plays such games, so that the submission has to pass it."""
    act_timeout: float
    """Seconds for a move."""
    moves: int
    """How many moves the submission made."""
    longest: float | None
    """Seconds of its longest move; None without moves."""
    is_complete: bool
    """False for a game that was stopped when it had shown enough."""
    fault: Fault | None


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds, over the games that decide."""

    loading: float
    """The longest time of loading the file."""
    first_move: float
    """The longest first move, loading included."""
    mean: float
    """Of all moves."""
    percentile_99: float
    longest: float
    longest_later: float | None
    """The longest move other than a seat's first; None without such."""
    bank: float
    """What a game's moves may take beyond their limit, in all."""
    bank_taken: float
    """The most that one game took of it."""

    @property
    def bank_left(self) -> float:
        """The least that was left of the bank, at least 0."""
        return max(0.0, self.bank - self.bank_taken)


@dataclass(frozen=True, slots=True)
class CheckReport:
    """All that a check has found."""

    path: str
    size: int
    """Bytes."""
    standard_imports: tuple[str, ...] | None
    """None, as `other_imports`, where the source could not be parsed."""
    other_imports: tuple[str, ...] | None
    """Modules that are not Python's own."""
    versions: Versions
    """What the games were played with."""
    speed: float
    """The share of one core that the submission had, with all that it started; 1 is no limit."""
    agent: str | None
    """The callable that Kaggle takes; None where the file could not be loaded."""
    timing: Timing | None
    """None where no move was made."""
    games: tuple[GameResult, ...]
    planned: int
    """How many games there would have been; a fault or the lack of time leaves some out."""
    warnings: tuple[str, ...]
    stderr: str
    """The end of what the submission wrote to standard error."""

    @property
    def accepted(self) -> bool:
        """Whether Kaggle would accept the submission: it passed every game that decides."""
        return all(game.fault is None for game in self.games if game.decides)

    @property
    def upload_command(self) -> str:
        """The command that submits the file to Kaggle's competition."""
        return upload_command(self.path, "MESSAGE")

    def to_json(self) -> dict[str, Any]:
        """All fields, `accepted` and `upload_command`, as what `json.dumps` takes."""
        return {
            "accepted": self.accepted,
            "upload_command": self.upload_command,
            **asdict(self),
        }
