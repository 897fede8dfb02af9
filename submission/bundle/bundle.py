"""Builds one self-contained file from an agent's modules."""

import importlib.util
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import is_dataclass
from functools import partial
from inspect import isabstract, signature
from itertools import chain
from math import isfinite
from pathlib import Path
from types import FunctionType

import agents
import envs
import submission
from agents.agent import Agent
from agents.options import agent_help, check_options, unlimited_options
from agents.registry import JsonValue, agent_class, option_texts
from envs.board import BoardGame
from envs.games import GAMES, game_entry
from submission.bundle.closure import close
from submission.bundle.compose import COMPILING, DISTRIBUTION, compose, data_files, own_names
from submission.bundle.hidden_files import hidden_files
from submission.bundle.naming import Symbol
from submission.bundle.source_tree import SourceTree, modules_in
from submission.entry import CONNECT_FOUR


def build_bundle(
    agent: str, options: Mapping[str, JsonValue], source: Path | None = None, game: str = "connectx"
) -> str:
    """Write the text of a submission file: the same text for the same input.

    Limits that the options leave open are lifted: on Kaggle the clock is the limit. Modules beside
    `source` that it imports, and files that options name, become part of the text. For the
    arguments and the errors see `submission.building.build`.
    """
    project = project_folders()
    own = dict[str, Path]()
    if source is None:
        cls = agent_class(agent)
        module = cls.__module__
    else:
        cls = load_user_agent(source, agent)
        module = source.stem
        if module in project:
            raise ValueError(f"{source} is named like a package of this project: rename it")
        own = {**modules_in(source.resolve().parent), module: source.resolve()}
    check_options(agent, cls, options)
    chosen = unlimited_options(cls, options)
    games = _other_games(game)
    _require_playable(agent, cls, chosen, games.values())
    files = data_files(cls, chosen)

    player, agent_symbol = Symbol("submission.entry", "KagglePlayer"), Symbol(module, cls.__name__)
    others = {name: Symbol(rules.__module__, type(rules).__name__) for name, rules in games.items()}
    tree = SourceTree(project, own)
    closure = close(tree, [player, agent_symbol, *others.values()], own_names(files))
    of_the_user = (one for one in closure.definitions if one.module.partition(".")[0] in own)
    for use in chain.from_iterable(map(tree.uses, of_the_user)):
        if FINDING.fullmatch(use.full_name):
            raise use.error(
                f"cannot bundle {use.full_name}, which can find things that the code does not "
                "name: write their names instead"
            )
    written = {key: _literal(value) for key, value in chosen.items()}
    constants = {file.option: file.constant for file in files}
    call = _call(closure.names[agent_symbol], {**written, **constants})
    text = compose(
        closure,
        title=f"A ConnectX agent: {_call(cls.__name__, written)}.",
        summary=agent_help(cls),
        command=_command(agent, options, source, game if games else None),
        player=closure.names[player],
        call=call,
        files=files,
        games={name: closure.names[symbol] for name, symbol in others.items()},
    )
    with hidden_files(agent, "declare it as an option by `agents.options.file_option`"):
        _prove(text, call)
    return text


FINDING = re.compile(
    r"__import__|eval|exec|globals|importlib\.(import_module|resources)\b.*|.*\.__subclasses__"
)
"""Full names of functions and modules that find things which the code does not name."""


def _other_games(game: str) -> dict[str, BoardGame]:
    """A game's rules by OpenSpiel's name for it; empty for ConnectX, which every bundle plays."""
    playable = {name: entry for name, entry in GAMES.items() if entry.open_spiel}
    if game not in [*playable]:  # a list, as not every value can be hashed
        problem = f"Kaggle has no {game}" if game in [*GAMES] else f"unknown game {game!r}"
        raise ValueError(f"{problem}: choose one of {', '.join(playable)}")
    entry = playable[game]
    return {} if entry.open_spiel in (None, CONNECT_FOUR) else {entry.open_spiel: entry.make()}


TRIAL_SECONDS = 0.05


def _require_playable(
    name: str, cls: type[Agent], options: Mapping[str, JsonValue], games: Iterable[BoardGame]
) -> None:
    """Raise ValueError if the agent cannot be made, or gives no move in one of the games."""
    try:
        agent = cls(**options)
    except (ValueError, OSError):
        raise
    except Exception as error:
        raise ValueError(f"{name} cannot be made with these options: {error!r}") from error
    for game in games:
        try:
            agent.act(game, game.initial_state(), TRIAL_SECONDS)
        except Exception as error:
            title = game_entry(game).title.lower()
            raise ValueError(f"{name} does not play {title}: {error}") from error


def unbundled_agent(agent: str, options: Mapping[str, JsonValue]) -> Callable[[], Agent]:
    """A picklable factory of a bundle's agent, including the content of files that options name.

    Raises:
        ValueError: the agent is unknown.
        OSError: a file that an option names cannot be read.
    """
    cls = agent_class(agent)
    chosen = unlimited_options(cls, options)
    contents = {file.option: file.content for file in data_files(cls, chosen)}
    return partial(cls, **{**chosen, **contents})


def is_bundle(path: Path) -> bool:
    """Whether a file was made by this package, judging by its first bytes."""
    with path.open("rb") as file:
        return f"\nMade by {DISTRIBUTION}".encode() in file.read(10_000)


def _call(cls: str, arguments: Mapping[str, str]) -> str:
    """The call that makes an agent of a class; the arguments are source texts."""
    return f"{cls}({', '.join(f'{key}={value}' for key, value in arguments.items())})"


def _literal(value: JsonValue) -> str:
    """The source text of an option's value; `repr` would write some floats as names (`inf`)."""
    is_named = isinstance(value, float) and not isfinite(value)
    return f"float('{value}')" if is_named else repr(value)


def project_folders() -> dict[str, Path]:
    """The folder of each package of the project."""
    return {each.__name__: Path(str(each.__file__)).parent for each in (agents, envs, submission)}


def _command(
    agent: str, options: Mapping[str, JsonValue], source: Path | None, game: str | None
) -> str:
    words = ["connectx", "build", agent]
    if game is not None:
        words += ["--game", game]
    if source is not None:
        words += ["--from", source.name]
    for option in option_texts(options):
        words += ["--option", option]
    return shlex.join(words)


def _prove(text: str, call: str) -> None:
    """Load the file as Kaggle's loader does, check its last callable, and make its agent by a call.

    The file does not start to compile here, because compiling threads would outlive the loading.
    """
    namespace: dict[str, object] = {}
    try:
        exec(compile(text.replace(COMPILING, ""), "submission.py", "exec"), namespace)  # noqa: S102
        last = [name for name, value in namespace.items() if callable(value)][-1]
        eval(call, namespace)  # noqa: S307
    except Exception as error:
        raise ValueError(f"the bundle fails when it is loaded as on Kaggle: {error!r}") from error
    if last != "agent":
        raise ValueError(f"Kaggle would take {last} for the agent: it is the last callable")


UNDER_MAIN = 'put the lines that do so under `if __name__ == "__main__":`'

BEING_RUN = set[Path]()  # the users' modules that are being run to find an agent
BESIDE = set[str]()  # names of the last of them and of modules that it imported from its folder


def load_user_agent(source: Path, name: str) -> type[Agent]:
    """Run a module, and find the agent class of this name in it.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is not a Python file, it fails when it is run, or it has no such agent.
    """
    if not source.is_file():
        raise FileNotFoundError(f"there is no file {source}")
    spec = importlib.util.spec_from_file_location(source.stem, source)
    if source.suffix != ".py" or spec is None or spec.loader is None:
        raise ValueError(f"{source} is not a Python file: its name must end in .py")
    if is_bundle(source):
        raise ValueError(f"{source} was made by `connectx build`: {_as_it_is(source)}")
    if source.resolve() in BEING_RUN:
        raise ValueError(f"it builds itself when it is run: {UNDER_MAIN}")
    module = importlib.util.module_from_spec(spec)
    while BESIDE:  # they may be from another folder, or have changed since
        sys.modules.pop(BESIDE.pop(), None)
    imported, known = {*sys.modules}, sys.modules.get(source.stem)
    sys.modules[source.stem] = module  # dataclasses look up their module there
    folder = source.resolve().parent
    sys.path.insert(0, str(folder))
    BEING_RUN.add(source.resolve())
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[source.stem]
        said = f"fails when it is run: {type(error).__name__}: {error}"
        if isinstance(error, ImportError) and "relative import" in str(error):
            said = "has a relative import: import modules beside it by `from module import NAME`"
        elif isinstance(error, SystemExit):
            said = f"ends Python when it is run: {UNDER_MAIN}"
        raise ValueError(f"{source} {said}") from error
    finally:
        BEING_RUN.remove(source.resolve())
        sys.path.pop(0)
        if known is not None:
            sys.modules[source.stem] = known
        neighbours = modules_in(folder).keys() - imported
        BESIDE.update(each for each in sys.modules if each.partition(".")[0] in neighbours)
    return _checked(source, name, vars(module))


def _checked(source: Path, name: str, members: dict[str, object]) -> type[Agent]:
    own = {
        key: value
        for key, value in members.items()
        if isinstance(value, type | FunctionType) and value.__module__ == source.stem
    }
    functions = [key for key, value in own.items() if isinstance(value, FunctionType)]
    agents = {
        key: value
        for key, value in own.items()
        if isinstance(value, type) and issubclass(value, Agent)
    }
    if not agents and functions:
        raise ValueError(
            f"{source} has no class that inherits from agents.Agent, but a function, "
            f"{functions[-1]}, like a submission: {_as_it_is(source)}"
        )
    if name not in agents:
        listing = ", ".join(agents) or "none"
        raise ValueError(
            f"{source} has no agent {name!r}: it needs a class of this name that inherits from "
            f"agents.Agent; found: {listing}"
        )
    agent = agents[name]
    if not is_dataclass(agent):
        raise ValueError(f"{name} in {source} is not a dataclass: put @dataclass above it")
    if not _can_search(agent):
        raise ValueError(
            f"{name} in {source} cannot choose a move: "
            "define `def search(self, env, state, time_limit=None)` in it"
        )
    return agent


def _as_it_is(source: Path) -> str:
    return f"`connectx check {source}` says whether Kaggle would take it as it is"


def _can_search(agent: type[Agent]) -> bool:
    """Whether a class has a `search` that takes the arguments of `Agent.search`."""
    try:
        signature(agent.search).bind("self", "env", "state", "time_limit")
    except TypeError:
        return False
    return not isabstract(agent)
