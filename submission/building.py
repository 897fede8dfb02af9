"""Makes submissions from agents and functions, and players from anything that can play.

A player is the name of one of Kaggle's agents or of ours, optionally with options
(`mcts:simulations=500,seed=1`); the path of a submission, a `.py` file or a `.tar.gz` with
`main.py` at its top; an agent; a `Submission`; or a function of Kaggle's observation and
configuration.
"""

import os
import weakref
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from inspect import getsourcefile
from pathlib import Path
from typing import Any, TypeAlias

import submission
from agents.agent import Agent
from agents.options import agent_options, require_path
from agents.registry import (
    REGISTERED,
    JsonValue,
    joined_options,
    make_agent,
    option_texts,
    parse_specification,
    plain_options,
)
from agents.reporting.output_file import replace_text, require_writable
from envs.connectx import ConnectFour
from submission.arena.players import Player, PlayerKind, find_player, named_apart, trusted
from submission.bundle.bundle import build_bundle, is_bundle
from submission.bundle.functions.function_file import function_file
from submission.checking.check_report import CheckReport
from submission.grading.grade import Grade
from submission.kaggle import Referee
from submission.match.match import Match
from submission.match.schedule import Arena
from submission.reports import size_in_words
from submission.sandbox.folders import owned_folder
from submission.sandbox.staging import SUBMISSIONS

DEFAULT_OUTPUT = Path("submission.py")


class Submission:
    """The text of a submission file, to be saved, checked, evaluated or graded.

    Args:
        source: the text.
        name: the agent's name in tables.
        note: a sentence for the user who builds it, or None.
    """

    def __init__(self, source: str, name: str, note: str | None = None) -> None:
        self.source = source
        self.name = name
        self.note = note
        self.is_saved = False
        self._path: Path | None = None

    @property
    def path(self) -> Path:
        """Where it was saved; before that, a temporary file that is removed with this object."""
        if self._path is None:
            stack = ExitStack()
            weakref.finalize(self, stack.close)
            self._path = stack.enter_context(owned_folder()) / DEFAULT_OUTPUT
            replace_text(self._path, self.source)
        return self._path

    def save(self, path: str | Path = DEFAULT_OUTPUT, *, force: bool = False) -> Path:
        """Write the file.

        Args:
            path: where to write; a file that this package has not made is not overwritten.
            force: overwrite even such a file.

        Raises:
            OSError: the path is such a file, or cannot be written.
        """
        path = require_path("path", path)
        require_writable(path)
        if path.exists() and not force and not is_bundle(path):
            raise FileExistsError(
                f"{path} already exists and was not made by `connectx build`: write to another "
                "file, or overwrite it with --force (from Python, force=True)"
            )
        replace_text(path, self.source)
        self._path, self.is_saved = path, True
        return path

    def check(self, **options: Any) -> CheckReport:
        """Say whether Kaggle would accept it; see `check`."""
        return submission.check(self, **options)

    def evaluate(
        self, against: "PlayerLike | Sequence[PlayerLike]" = ("random", "negamax"), **options: Any
    ) -> Match:
        """Play against others; see `evaluate`."""
        return submission.evaluate(self, against, **options)

    def grade(self, **options: Any) -> Grade:
        """Compare its moves with exact scores; see `grade`."""
        return submission.grade(self, **options)

    def __repr__(self) -> str:
        size = size_in_words(len(self.source.encode()))
        return f"<submission of {self.name}, {size}>{f' {self.note}' if self.note else ''}"


PlayerLike: TypeAlias = str | Path | Agent | Submission | Player | Callable[..., Any]


def build(
    agent: str | Agent | Callable[..., Any],
    *,
    source: str | Path | None = None,
    game: str = "connectx",
    **options: Any,
) -> Submission:
    """Bundle an agent into one self-contained file.

    Args:
        agent: the name of one of our agents, optionally with options (`level:n=7`), or with
            `source`, of a class in that file; or an agent object; or a function of Kaggle's
            observation and configuration, which is written to a file with everything that it
            uses; that file has to play the same.
        source: a file with a class that inherits `agents.Agent`.
        game: a game that the file plays besides ConnectX: `tictactoe`.
        options: options of the named agent, as `connectx agents` lists them.

    Raises:
        ValueError: unknown agent, option or game, or something that cannot be bundled.
        OSError: a file cannot be read.
    """
    if "output" in options:
        raise ValueError("build writes no file: add .save(path) to what it returns")
    if isinstance(agent, str | Path):
        name, named = parse_specification(str(agent))
        if name.endswith(SUBMISSIONS):
            raise ValueError(
                f"{name} is a file and not the name of an agent: `connectx check {name}` says "
                f"whether Kaggle would take it, and `connectx build NAME --from {name}` bundles a "
                "class of it"
            )
        chosen = joined_options(named, options)
        text = build_bundle(
            name, chosen, None if source is None else require_path("source", source), game
        )
        note = _note(name, chosen) if source is None and game == "connectx" else None
        return Submission(text, _specification(name, chosen), note)
    if source is not None or options:
        raise ValueError("a source and options are only for an agent given by its name: name one")
    if isinstance(agent, Agent):
        return _bundled(agent, game)
    if game != "connectx":
        raise ValueError("a game can be chosen only for an agent: leave it out for a function")
    name, text, note = function_file(agent)
    return Submission(text, name, note)


def _note(name: str, options: dict[str, JsonValue]) -> str | None:
    """A note if a registered agent's weights do not fit Kaggle's board."""
    try:
        make_agent(name, **options).require_playable(ConnectFour())
    except ValueError as error:
        return f"On Kaggle's board all its moves will be makeshift: {error}."
    try:
        if options.get("weights") is not None:
            make_agent("policy", weights=options["weights"]).require_playable(ConnectFour())
    except ValueError as error:
        return f"On Kaggle's board it searches without its network: {error}."
    return None


def as_player(player: PlayerLike, referee: Referee = Referee.CONNECTX) -> Player:
    """The player for a name, a path, an agent, a submission or a function.

    Raises:
        ValueError, OSError: it is no player, or its file cannot be read.
    """
    match player:
        case Player():
            return player
        case str() | Path():
            return find_player(os.fspath(player), referee)
        case Agent() if name := _registered_name(player):
            return find_player(_specification(name, _chosen_options(player)), referee)
    made = submission_of(player, referee.game)
    return Player(made.name, PlayerKind.FILE, made.source.encode())


def entrants_of(
    players: Sequence[PlayerLike], referee: str, arena: str, trust: bool
) -> list[Player]:
    """The players of a match, with distinct names for versions of one function.

    Raises:
        ValueError, OSError: as `as_player`; or files are trusted in Kaggle's arena.
    """
    entrants = named_apart([as_player(each, Referee(referee)) for each in players])
    if not trust:
        return entrants
    if Arena(arena) is not Arena.OWN:
        raise ValueError("trusted files can play only in the arena own: add --arena own to --trust")
    return [trusted(entrant) for entrant in entrants]


def submission_of(player: PlayerLike, game: str) -> Submission:
    """The submission made from a function, or from an agent or its name to play this game."""
    if isinstance(player, Submission):
        return player
    if isinstance(player, str | Agent):
        return build(player, game=game)
    return build(player)  # type: ignore[arg-type]


def _bundled(agent: Agent, game: str) -> Submission:
    """The bundle of an agent: one of ours, or one whose class is defined in a file."""
    options = _chosen_options(agent)
    if name := _registered_name(agent):
        return build(name, game=game, **options)
    name, file = type(agent).__name__, None
    with suppress(OSError, TypeError):  # a class defined in a notebook or at a prompt
        file = getsourcefile(type(agent))
    if file is None or not Path(file).is_file():
        raise ValueError(
            f"the class {name} is not in a file: put it into one, in a notebook by `%%writefile "
            f"mine.py`, and call connectx.build({name!r}, source='mine.py')"
        )
    return build(name, source=file, game=game, **options)


def _chosen_options(agent: Agent) -> dict[str, Any]:
    """The options of an agent that differ from their defaults."""
    chosen = {
        option.name: value
        for option in agent_options(type(agent))
        if (value := getattr(agent, option.name)) != option.default
    }
    return plain_options(chosen)


def _registered_name(agent: Agent) -> str | None:
    return next((name for name, cls in REGISTERED.items() if cls is type(agent)), None)


def _specification(name: str, options: dict[str, Any]) -> str:
    words = option_texts(dict(sorted(options.items())))
    return f"{name}:{','.join(words)}" if words else name
