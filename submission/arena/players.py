"""Players, found by the names that the command line takes, and pairings of them."""

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from hashlib import sha256
from itertools import chain, combinations, count
from pathlib import Path
from tempfile import TemporaryDirectory

from agents.agent import Agent
from agents.registry import REGISTERED, parse_specification
from agents.reporting.input_file import read_content
from envs.board import BoardGame
from submission.bundle.bundle import build_bundle, unbundled_agent
from submission.kaggle import BUILT_IN_AGENTS, Referee
from submission.sandbox.inside.kaggle_folder import MAIN
from submission.sandbox.staging import ARCHIVES, GZIP, SUBMISSIONS, require_source, unpack


class PlayerKind(StrEnum):
    """Where a player comes from."""

    BUILT_IN = "built-in"
    AGENT = "agent"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class Player:
    """A player as a picklable value, which can play in any process."""

    name: str  # as the user named it
    kind: PlayerKind
    source: bytes | None = field(default=None, repr=False)
    """The content of the submission's file or archive; None for one of Kaggle's built-ins."""
    make_agent: Callable[[], Agent] | None = field(default=None, repr=False, compare=False)
    """Makes the agent that the submission plays, for a game in this process; None if unknown."""
    is_trusted: bool = field(default=False, compare=False)
    """Whether its file may play in the process that asks it for moves; see `trusted`."""

    @property
    def sha256(self) -> str | None:
        """The hash of the submission's content, in hexadecimal; None for a built-in."""
        return None if self.source is None else sha256(self.source).hexdigest()

    def require_playable(self, env: BoardGame) -> None:
        """Raise ValueError if it is an agent of ours whose options are for another game."""
        if self.make_agent is not None:
            try:
                self.make_agent().require_playable(env)
            except ValueError as error:
                raise ValueError(f"{self.name}: {error}") from error


def trusted(player: Player) -> Player:
    """The player, with its file marked as the user's own, which our arena need not isolate.

    An archive is still isolated, because its modules may share names with those of another archive.
    """
    is_single_file = player.source is not None and not player.source.startswith(GZIP)
    return replace(player, is_trusted=player.kind is PlayerKind.FILE and is_single_file)


def named_apart(players: Sequence[Player]) -> list[Player]:
    """Number different players that share a name, such as two versions of a function: `agent (2)`.

    Equal players share a name. Kaggle's agents keep theirs, because they are found by name.
    """
    named = {player.name: player for player in players if player.kind is PlayerKind.BUILT_IN}
    apart = []
    for player in players:
        numbers = (f"{player.name} ({number})" for number in count(2))
        name = next(
            name
            for name in chain([player.name], numbers)
            if name not in named or named[name].sha256 == player.sha256
        )
        named[name] = player
        apart.append(replace(player, name=name))
    return apart


def find_player(name: str, referee: Referee = Referee.CONNECTX) -> Player:
    """Find a player by its name; `submission.building` describes what can be a player.

    An agent is bundled as it would be submitted, to play the referee's game. A name that is both
    Kaggle's and ours is Kaggle's; with a colon after it (`random:`, `random:seed=3`) it is ours.

    Raises:
        ValueError: an unknown player or agent option, a file that is no submission, or an agent
            that does not play the game.
        OSError: the file cannot be read.
    """
    if name in BUILT_IN_AGENTS:
        return Player(name, PlayerKind.BUILT_IN)
    if name.partition(":")[0] in REGISTERED:
        agent, options = parse_specification(name)
        bundle = build_bundle(agent, options, game=referee.game).encode()
        return Player(name, PlayerKind.AGENT, bundle, unbundled_agent(agent, options))
    if name.endswith(SUBMISSIONS):
        path = Path(name)
        content = read_content(path, "give the path of a submission file", "the player ")
        _require_python(_source(content, path), path)
        return Player(name, PlayerKind.FILE, content)
    raise ValueError(
        f"unknown player {name!r}: name one of Kaggle's ({', '.join(referee.built_in_agents)}), an "
        f"agent with or without options ({', '.join(REGISTERED)}; mcts:simulations=500,seed=1), "
        "or the path of a submission that ends in .py or .tar.gz"
    )


def _source(content: bytes, path: Path) -> str:
    """The text that Kaggle executes; unpacking an archive proves that it can be unpacked."""
    if path.name.endswith(ARCHIVES):
        with TemporaryDirectory() as folder:
            unpack(content, Path(folder), path)
            return require_source(Path(folder, MAIN), path)
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"the player {path} is not a Python file: save it as UTF-8") from error


def _require_python(source: str, path: Path) -> None:
    if source.startswith("\N{ZERO WIDTH NO-BREAK SPACE}"):
        raise ValueError(
            f"the player {path} begins with a byte order mark, which Kaggle does not skip: save it "
            "as UTF-8 without one"
        )
    try:
        is_empty = not ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ValueError(
            f"the player {path} is not a Python file that can be read ({error}): name a submission "
            "file"
        ) from error
    if is_empty:
        raise ValueError(f"the player {path} is empty: write an agent into it")


@dataclass(frozen=True, slots=True)
class Identity:
    """A player without its code, enough to recognise the same submission."""

    name: str
    kind: PlayerKind
    sha256: str | None
    """Hash of the submission's content, in hexadecimal; None for one of Kaggle's built-ins."""

    @classmethod
    def of(cls, player: Player) -> "Identity":
        """The identity of a player."""
        return cls(player.name, player.kind, player.sha256)


@dataclass(frozen=True, slots=True)
class Pairing:
    """A player, from whose view results are counted, and its opponent."""

    player: Player
    opponent: Player

    @property
    def names(self) -> tuple[str, str]:
        """The names of the player and the opponent."""
        return self.player.name, self.opponent.name


def against_each(player: Player, opponents: Sequence[Player]) -> list[Pairing]:
    """Pair a player with each opponent."""
    return [Pairing(player, opponent) for opponent in opponents]


def round_robin(players: Sequence[Player]) -> list[Pairing]:
    """Pair every player with every other, each pair once."""
    return [Pairing(*pair) for pair in combinations(players, 2)]


def players_of(pairings: Iterable[Pairing]) -> list[Player]:
    """All players, each once, in the order in which they are first named."""
    players = {
        player.name: player for pairing in pairings for player in (pairing.player, pairing.opponent)
    }
    return [*players.values()]
