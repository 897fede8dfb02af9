"""What a results file says of its games: who meets whom, and under what."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from submission.evaluating.evaluation import Identity, Versions
from submission.evaluating.game_record import GameRecord
from submission.evaluating.pairing import Pairing, players_of
from submission.evaluating.settings import Settings

FORMAT = "connectx results, version 1"


@dataclass(frozen=True, slots=True)
class ResultsHeader:
    """All that games must have in common to be counted together."""

    players: tuple[Identity, ...]
    """Everybody who plays, each once."""
    pairings: tuple[tuple[str, str], ...]
    """The names of the player and the opponent of each."""
    settings: Settings
    versions: Versions

    @classmethod
    def of(cls, pairings: Sequence[Pairing], settings: Settings) -> "ResultsHeader":
        """The header of the games that `evaluate` plays with these arguments."""
        return cls(
            players=tuple(map(Identity.of, players_of(pairings))),
            pairings=tuple(pairing.names for pairing in pairings),
            settings=settings,
            versions=Versions.current(),
        )

    def to_dict(self) -> dict[str, Any]:
        """The header for JSON."""
        return {"format": FORMAT, **asdict(self)}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "ResultsHeader":
        """The header whose `to_dict` went through JSON.

        Raises:
            KeyError, TypeError, ValueError: a field is missing, or of another type.
        """
        return cls(
            players=tuple(map(Identity.from_dict, document["players"])),
            pairings=tuple((player, opponent) for player, opponent in document["pairings"]),
            settings=Settings.from_dict(document["settings"]),
            versions=Versions(**document["versions"]),
        )

    def announces(self, record: GameRecord) -> bool:
        """Whether a game is one of those that were asked for."""
        return record.pairing in self.pairings and record.game in range(self.settings.games)

    def differences(self, earlier: "ResultsHeader") -> Iterator[str]:
        """Why games of this header cannot be counted with those of an earlier one, in clauses.

        Another number of games and other pairings are no reason.
        """
        now = self._conditions()
        for name, before in earlier._conditions().items():
            if now[name] != before:
                yield f"it was begun with {name} {_shown(before)}, not {_shown(now[name])}"
        identities = {player.name: player for player in self.players}
        for player in earlier.players:
            if player != identities.get(player.name, player):
                yield f"the content of {player.name} has changed"

    def _conditions(self) -> dict[str, object]:
        """What must be the same for all games, by name."""
        conditions = {field.name: getattr(self.settings, field.name) for field in fields(Settings)}
        del conditions["games"]
        configuration = conditions.pop("configuration")
        return {**conditions, **asdict(configuration), **asdict(self.versions)}


def _shown(condition: object) -> str:
    return "none" if condition is None else str(condition)
