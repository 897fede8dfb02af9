"""The table of games that the command line, Gymnasium, training and the tests use.

`register_game` adds a game of your own. So does an entry point of an installed package that names
the game's class: in the group `connectx.games`, `pop = "my_module:Pop"`.
"""

import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from inspect import Parameter, signature
from typing import Any, NamedTuple

from envs.board import BoardGame
from envs.connectx import ConnectFour, ConnectX
from envs.learning.registration import Listed, register_listed
from envs.protocol import class_advice
from envs.testing import check_game
from envs.tic_tac_toe import TicTacToe


class Place(NamedTuple):
    """What a move's number, counted from 1, refers to: a column or a cell."""

    name: str
    used_up: str  # the adjective for a place that takes no more stones


COLUMN = Place("column", "full")
CELL = Place("cell", "taken")


@dataclass(frozen=True)
class GameEntry:
    """A game in the table."""

    name: str  # the name on the command line: `--game tictactoe`
    title: str  # the displayed name
    rules: type[BoardGame]
    """The class. Its constructor takes only sizes of the board, each with a default.

    If two games of the table are the same at some size, one class inherits from the other, so that
    a policy trained for one plays both.
    """
    place: Place
    gymnasium_ids: tuple[str, ...] = ()  # also the ids of the PettingZoo environments
    open_spiel: str | None = None
    """The name in OpenSpiel; kaggle-environments puts `open_spiel_` before it."""

    @property
    def sizes(self) -> Mapping[str, int]:
        """The sizes that can be chosen, with their defaults, in the order of the constructor.

        Each is one of `rows`, `columns` and `inarow`, and at least 1.
        """
        parameters = signature(self.rules).parameters
        return {name: parameter.default for name, parameter in parameters.items()}

    def make(self, **sizes: int) -> BoardGame:
        """Make the game; a size that is not given is the default.

        Raises:
            ValueError: a size is not a whole number of at least 1.
        """
        return self.rules(**sizes)

    def sizes_of(self, game: BoardGame) -> tuple[int, ...]:
        """Return the constructor's arguments for a game of the size of `game`."""
        return tuple(getattr(game, name) for name in self.sizes)


GAMES: dict[str, GameEntry] = {
    entry.name: entry
    for entry in (
        GameEntry(
            "connectx",
            "ConnectX",
            ConnectX,
            COLUMN,
            ("connectx/ConnectFour-v0", "connectx/ConnectX-v0"),
            "connect_four",
        ),
        GameEntry("connectfour", "Connect Four", ConnectFour, COLUMN, open_spiel="connect_four"),
        GameEntry(
            "tictactoe", "Tic-tac-toe", TicTacToe, CELL, ("connectx/TicTacToe-v0",), "tic_tac_toe"
        ),
    )
}
"""The games by their names. Gymnasium's Connect Four is ConnectX, so that it takes sizes."""

OTHER_GAMES: dict[str, type] = {}  # classes of registered games without a board, by name

OURS = tuple(GAMES)
SIZES = {"rows", "columns", "inarow"}
ENTRY_POINTS = "connectx.games"
TRIAL_GAMES = 10  # random games that test a newly registered game


def register_game(name: str, rules: type, title: str | None = None) -> None:
    """Register a game of your own, with Gymnasium and PettingZoo as `connectx/CLASS-v0`.

    A subclass of `BoardGame` is added to `GAMES`: it has compiled vector environments, can be
    trained, and is known to the command line in this process. An entry point (see above) registers
    a game in every process. Registering a name again replaces its class, as when a notebook's cell
    is run again.

    Args:
        name: lower-case letters and digits, as in `--game pop`.
        rules: the class. The constructor of a board takes only sizes, any of `rows`, `columns` and
            `inarow`, each with a default. Any other class has the five methods of
            `envs.protocol.Env` and, for the environments, `actions` and `encode`
            (`envs.learning.numbered_games`); its constructor's arguments have defaults, too.
        title: the displayed name; by default that of the class.

    Raises:
        ValueError: the name is taken or has other characters, or the class does not meet these
            conditions; the message says which one.
    """
    if not isinstance(name, str) or not re.fullmatch("[a-z0-9]+", name) or name in OURS:
        fault = "is taken by a game of this package" if name in OURS else "is not allowed"
        raise ValueError(f"the name {name!r} {fault}: choose another name, of a-z and 0-9")
    if not isinstance(rules, type):
        raise ValueError(f"{rules!r} is not a class: give the class of the game")
    for other, known in _registered():
        if other != name and known.__name__ == rules.__name__:
            raise ValueError(f"the class of {other} is also called {known.__name__}: rename yours")
    game = _made(rules)
    try:
        check_game(game, games=TRIAL_GAMES)
    except (AssertionError, AttributeError) as error:
        raise ValueError(f"{rules.__name__} breaks the contract of a game: {error}") from error
    listed = Listed(name, rules.__name__)
    if isinstance(game, BoardGame):
        is_of_cells = all(cells & (cells - 1) == 0 for cells in game.action_cells)
        place = CELL if is_of_cells else COLUMN
        GAMES[name] = GameEntry(name, title or rules.__name__, rules, place, listed.gymnasium_ids)
        OTHER_GAMES.pop(name, None)
    else:
        from envs.learning.numbered_games import NumberedGame  # rules alone need no gymnasium

        check_game(NumberedGame(game), games=TRIAL_GAMES)
        OTHER_GAMES[name] = rules
        GAMES.pop(name, None)
    register_listed([listed])


def _made(rules: type) -> Any:
    parameters = signature(rules).parameters.values()
    if issubclass(rules, BoardGame) and not {each.name for each in parameters} <= SIZES:
        raise ValueError(
            f"{rules.__name__} has arguments other than rows, columns and inarow: remove them"
        )
    several = Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD
    if any(each.default is each.empty for each in parameters if each.kind not in several):
        raise ValueError(f"give each argument of {rules.__name__} a default")
    try:
        return rules()
    except TypeError as error:
        raise ValueError(f"{rules.__name__} cannot be made: {error}") from error


def _registered() -> list[tuple[str, type]]:
    boards = ((entry.name, entry.rules) for entry in GAMES.values())
    return [*boards, *OTHER_GAMES.items()]


@cache
def _offered() -> Mapping[str, Any]:
    """The entry points of installed packages, by the names of their games."""
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=ENTRY_POINTS)}


def listed_games() -> list[Listed]:
    """All games, including those whose modules have not been loaded yet."""
    boards = (Listed(each.name, each.rules.__name__, each.gymnasium_ids) for each in GAMES.values())
    others = (Listed(name, rules.__name__) for name, rules in OTHER_GAMES.items())
    offered = (Listed(name, point.attr) for name, point in _offered().items())
    return [*{each.name: each for each in (*offered, *others, *boards)}.values()]


@cache
def load_games() -> None:
    """Register the games of installed packages; a game that fails is left out with a warning."""
    for name in _offered().keys() - GAMES.keys() - OTHER_GAMES.keys():
        point = _offered()[name]
        try:
            register_game(name, point.load())
        except Exception as error:  # another author's module may raise anything
            warnings.warn(f"the game {name} ({point.value}) is left out: {error}", stacklevel=2)


def rules_of(name: str, suffix: str, module: str) -> type:
    """Find a game's class from its environment's `name` in a module: class name and `suffix`.

    Raises:
        AttributeError: no game of that name is registered.
    """

    def named() -> list[type]:
        return [rules for _, rules in _registered() if f"{rules.__name__}{suffix}" == name]

    if name.endswith(suffix) and not named():
        load_games()
    if not named():
        raise AttributeError(
            f"module {module!r} has no attribute {name!r}: no game of that name is registered"
        )
    return named()[0]


def game_entry(game: BoardGame) -> GameEntry:
    """Find the entry of a game.

    Raises:
        ValueError: its class is not in the table (a subclass may have other rules than its base),
            or a class is given in place of a game.
    """
    if isinstance(game, type):
        raise ValueError(class_advice(game))
    load_games()
    for entry in GAMES.values():
        if type(game) is entry.rules:
            return entry
    raise ValueError(
        f"{game!r} is not one of the games {', '.join(GAMES)}: envs.register_game(name, class) "
        "adds one whose class inherits from BoardGame"
    )


def game_id(game: BoardGame) -> str:
    """Name a game with its sizes, as in `connectx-6x7x4` (rows, columns, stones in a row).

    A game of fixed size has no numbers, as in `tictactoe`.
    """
    entry = game_entry(game)
    sizes = "x".join(map(str, entry.sizes_of(game)))
    return f"{entry.name}-{sizes}" if sizes else entry.name


def game_from_id(text: str, largest: int | None = None) -> BoardGame:
    """Make the game that `game_id` names, with sizes of at most `largest`; None is no limit.

    Raises:
        ValueError: no such id, or a size that is too small or too large.
    """
    load_games()
    written = re.fullmatch(r"([a-z0-9]+)(?:-(\d{1,4}(?:x\d{1,4})*))?", text, re.ASCII)
    entry = GAMES.get(written[1]) if written else None
    numbers = written[2].split("x") if written and written[2] else []
    if entry is None or len(numbers) != len(entry.sizes):
        raise ValueError(f"no game is called {text!r}: write one like connectx-6x7x4 or tictactoe")
    chosen = dict(zip(entry.sizes, map(int, numbers), strict=True))
    for size, number in chosen.items():
        if largest is not None and number > largest:
            raise ValueError(f"{size} must be at most {largest}, not {number}")
    return entry.make(**chosen)
