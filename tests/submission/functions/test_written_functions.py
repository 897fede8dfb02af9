"""A function becomes a file that plays the same as its module does when it is run anew."""

import re
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, example, given, reject, settings
from hypothesis import strategies as st

from submission.bundle.functions.function_file import function_file
from tests.helpers.written_modules import FREE, answers, module, of_file, require_same_answers

WRITTEN = {
    "the list of a module's public names is a list": f"""
__all__ = ["agent"]
def agent(obs, config):
    return {FREE}[-len(__all__)]
""",
    "what cannot go into a file stays out of one that plays without it": f"""
LOG = []
def note(path): LOG.append(path)
note(__file__)
try:
    note(get_ipython())
except NameError:
    pass
def agent(obs, config):
    LOG.append(obs["step"])
    return {FREE}[0]
""",
    "helpers are called like builtins, above and below": f"""
def min(moves):
    return 3 if 3 in moves else max(moves, 2)
def agent(obs, config):
    return min({FREE})
def max(moves, depth):
    return moves[-1] if depth == 0 else max(moves[:-1] or moves, depth - 1)
""",
    "local names are those of other things": """
c, column, board, k = object(), print, open, 5
def agent(observation):
    c = [column for column in range(7) if observation["board"][column] == 0]
    board = {k: -k for k in c}
    return min(board, key=lambda k: board[k])
""",
    "a string with a blank line, and numbers that no literal writes": f"""
from math import inf
LINES = '''a
{"   "}
b'''
INF = float("inf")
NOT = float("nan")
def agent(obs, config):
    best, chosen = -INF, None
    for k in {FREE}:
        if -abs(k - len(LINES) + 5) > best and best < inf and NOT != NOT:
            best, chosen = -abs(k - len(LINES) + 5), k
    return chosen
""",
    "functions of libraries by all kinds of imports": f"""
from random import choice as pick, randrange
from cmath import *
from math import *
import os.path
import numpy as np, random
from numpy.random import randint
from time import perf_counter
def agent(obs, config):
    free = {FREE}
    chosen = [pick(free), free[randrange(len(free))], free[floor(randint(len(free)))]]
    assert isinstance(sqrt(4), float) and phase(-1) == pi
    assert os.path.join("a", "b") and pi > 3 and perf_counter() > 0
    return chosen[np.random.randint(3)] if random.random() < 0.9 else sqrt(4)
""",
    "decorators, annotations, defaults and aliases": """
from __future__ import annotations
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias
if TYPE_CHECKING:
    from unknown import Observation
Board: TypeAlias = "tuple[int, ...]"
DEPTH: int = 3
class Move(NamedTuple):
    column: int
    worth: float = 0.5
@dataclass(frozen=True)
class Order:
    columns: list[int] = field(default_factory=lambda: [3, 2, 4, DEPTH - 2, 5, 0, 6])
@lru_cache(maxsize=None)
def first(board: Board, order: tuple[int, ...] = tuple(Order().columns), *, skip=len([])) -> Move:
    return Move(next(k for k in order[skip:] if board[k] == 0))
def agent(obs: Observation, config: "Struct") -> int:
    return first(tuple(obs.board)).column
""",
    "a class with a class": f"""
import enum
class Side(enum.IntEnum):
    LEFT = 0
    RIGHT = -1
class Base:
    side = Side.LEFT
    def __init__(self, moves): self.moves = moves
    def choose(self): return self.moves[self.side]
class Right(Base):
    side = Side.RIGHT
def agent(obs, config):
    return Right({FREE}).choose()
""",
    "what is filled in by statements": """
ORDER = []
for k in range(7):
    ORDER.append(6 - k)
ORDER[0], ORDER[1] = ORDER[1], ORDER[0]
WORTH = dict.fromkeys(range(7), 0)
WORTH.update({5: 2})
WORTH[4] = 1
A = 1; B = 2
C, (D, *E) = 3, (4, 5, 6)
NUMBERS = iter([7, 8, 9])
next(NUMBERS)
NINE = (next(NUMBERS), next(NUMBERS))[1]
if A > 5:
    LIMIT = 1
else:
    LIMIT = 9
LIMIT += A
LIMIT = LIMIT * 2
try:
    import quicker_than_numpy as fast
except ImportError:
    fast = None
with open(__import__("os").devnull) as nothing:
    TEXT = nothing.read()
def agent(obs, config):
    assert (A, B, C, D, E, LIMIT, fast, TEXT) == (1, 2, 3, 4, [5, 6], 20, None, "")
    assert NINE == 9
    return max((k for k in ORDER if obs.board[k] == 0), key=WORTH.get)
""",
    "what is filled in by calls, also of a function that makes data as well": """
ORDER, CODES, TABLE, net = [], {}, {}, None
def setup():
    global net
    net = [3, 1]
    prepare(CODES)
def prepare(codes):
    ORDER.extend([5, 6, 0])
    codes["a"] = 1
    CODES["b"] = 2
setup()
def fill(k): TABLE[k] = -k
def made():
    fill(3)
    return [4, 2]
REST = made()
fill(2)
def agent(obs, config):
    assert CODES == {"a": 1, "b": 2} and TABLE == {3: -3, 2: -2}
    return next(k for k in [*ORDER, *net, *REST] if obs.board[k] == 0)
""",
    "decorators that register": f"""
from functools import singledispatch
NAMED, ALL = {{}}, []
def named(name):
    def register(made):
        NAMED[name] = made
        return made
    return register
def counted(made):
    ALL.append(made)
    return made
class Registry:
    def register(self, made): self.made = made
registry = Registry()
@named("last")
def last(free): return free[-1]
@counted
@named("first")
class First:
    def __call__(self, free): return free[0]
@singledispatch
def worth(column): return 0
@worth.register
def _(column: int): return 1
@registry.register
def middle(free): return free[len(free) // 2]
def agent(obs, config):
    free = {FREE}
    assert worth(1) == 1 and worth("") == 0 and ALL == [NAMED["first"]]
    return [NAMED["last"], registry.made, ALL[0]()][len(free) % 3](free)
""",
    "an object of a class that `type` makes": f"""
OPTIONS = type("Options", (), {{"first": -1}})()
def agent(obs, config): return {FREE}[OPTIONS.first]
""",
    "functions that methods enter": f"""
import time
class Rules:
    named = {{}}
    def __init__(self): self.all, self.seconds = [], 0
    def __call__(self, rule): self.all.append(rule); return rule
    @classmethod
    def called(cls, name):
        def enter(rule): cls.named[name] = rule; return rule
        return enter
    def timed(self, rule):
        def asked(*given):
            begin = time.perf_counter()
            answer = rule(*given)
            self.seconds += time.perf_counter() - begin
            return answer
        return asked
rules = Rules()
@rules
def first(free): return free[0]
@Rules.called("last")
def last(free): return free[-1]
@rules.timed
def middle(free): return free[len(free) // 2]
@rules.timed
def report(): print(rules.seconds)
def agent(obs, config):
    return [*rules.all, Rules.named["last"], middle][len({FREE}) % 3]({FREE})
""",
    "classes that a metaclass enters": f"""
TABLE = {{}}
class Listed(type):
    known = []
    def __new__(meta, *parts):
        made = super().__new__(meta, *parts)
        meta.known.append(made)
        return made
    def __init__(cls, *parts): TABLE[cls.__name__] = cls
class First(metaclass=Listed):
    def move(self, free): return free[0]
class Last(First):
    def move(self, free): return free[-1]
def agent(obs, config):
    assert [each.__name__ for each in Listed.known] == ["First", "Last"]
    return TABLE["Last"]().move({FREE})
""",
    "classes that a metaclass enters in a table alone": f"""
TABLE = {{}}
class Listed(type):
    def __init__(cls, *parts): TABLE[cls.__name__] = cls
class Last(metaclass=Listed):
    def move(self, free): return free[-1]
def agent(obs, config): return TABLE["Last"]().move({FREE})
""",
    "classes that enter themselves": f"""
import logging
from dataclasses import dataclass
log, TABLE = logging.getLogger(__name__), {{}}
class Player:
    known = []
    def __init_subclass__(cls, last=False):
        cls.known.append(cls)
        if last: TABLE["last"] = cls
class First(Player):
    def move(self, free): return free[0]
@dataclass
class Last(First, last=True):
    offset: int = -1
    def move(self, free): return free[self.offset]
class Unrelated(dict):
    def clear(self): TABLE.clear()
def agent(obs, config):
    assert log.name and [each.__name__ for each in Player.known] == ["First", "Last"]
    return TABLE["last"]().move({FREE})
""",
    "containers and objects of one's own classes, also one that holds itself": f"""
from enum import Enum
from typing import NamedTuple
class Side(Enum):
    LEFT, RIGHT = 0, -1
class Order:
    def __init__(self, side): self.side, self.above, self.depth = side, self, 2
class Step(NamedTuple):
    column: int
class Worths(dict):
    def __missing__(self, key): return -key
def forward(free): return free
WORTH, ORDERS, FORWARD = {{Side.LEFT: 2}}, {{"a": Order(Side.RIGHT)}}, [forward]
FIRST, STEPS, WORTHS = Step(3), [Step(6), Step(4)], Worths({{5: 9}})
def agent(obs, config):
    order, free = ORDERS["a"], FORWARD[0]({FREE})
    assert isinstance(order, Order) and FORWARD[0] is forward
    steps = [step.column for step in (FIRST, *STEPS) if step.column in free]
    last = free[WORTH.get(order.side, order.side.value)]
    best = max(free, key=lambda k: WORTHS[k] * order.above.depth)
    return [*steps, best][0] if len(free) % 2 else last
""",
    "names that are defined several times": f"""
SIZE = 3
def order(): return list(range(SIZE))
ORDER = order()
SIZE = 6
SIZE: int
def best(moves): return moves[0]
FIRST = best
def best(moves): return moves[-1]
from random import choice
import random
random.seed(3)
choice = max
def agent(obs, config):
    free = {FREE}
    assert ORDER == [0, 1, 2] and order() == [0, 1, 2, 3, 4, 5] and choice(1, 2) == 2
    return FIRST(free) if len(free) > 5 else best(free)
""",
    "values that games change": f"""
import random
dice = random.Random(5)
history, calls, cache, last = [], 0, {{}}, None
same_history = history
class Player:
    ever = []
    def __init__(self): self.seen = []
    def move(self, free):
        self.seen.append(free)
        self.ever.append(free)
        return free[len(self.seen) % len(free)]
def remember(call, memory={{}}):
    memory[call] = len(memory)
    return memory
player = Player()
def agent(obs, config, memory=[]):
    global calls, started, last
    calls += 1
    assert last is None or calls > 1
    last = calls
    history.append(calls)
    memory.append(calls)
    agent.moves += 1
    if "started" not in globals():
        started = 0
    started += 1
    cache[calls] = player.move({FREE})
    assert len(history) == len(memory) == agent.moves == len(cache) and started == calls
    assert same_history is history
    assert len(player.ever) == len(player.seen) == len(remember(calls))
    chosen = cache[calls] if calls % 2 else dice.choice({FREE})
    return chosen if calls < 60 else 99
agent.moves = 0
""",
    "objects that games change": f"""
import random
from dataclasses import dataclass, field
from threading import Lock
class Node:
    __slots__ = ("above", "below", "visits")
    def __init__(self, above): self.above, self.below, self.visits = above, [], 0
@dataclass(slots=True)
class Table:
    seen: dict = field(default_factory=dict)
class Search:
    asked = 0
    def __init__(self):
        self.table, self.order, self.lock, self.root = Table(), random.Random(3), Lock(), None
    def move(self, free):
        Search.asked += 1
        if self.root is None: self.root = Node(None)
        self.root.below.append(Node(self.root))
        with self.lock: self.table.seen[Search.asked] = self.order.random()
        return free[len(self.table.seen) % len(free)] if Search.asked < 60 else 99
def count(handed): handed["asked"] = handed.get("asked", 0) + 1
root, search, handed = None, Search(), {{}}
def agent(obs, config):
    global root
    root = root or Node(None)
    root.visits += 1
    count(handed)
    assert root.visits == handed["asked"] == len(search.table.seen) + 1
    return search.move({FREE})
""",
    "the agent stands above what it uses": f"""
import random as chance
def agent(obs, config):
    return helper({FREE})
def helper(moves):
    return moves[chance.randrange(len(moves))]
class Last:
    def __call__(self): ...
""",
    "the agent is decorated": f"""
import functools
def checked(function):
    @functools.wraps(function)
    def inner(obs, config):
        column = function(obs, config)
        return column if obs.board[column] == 0 else {FREE}[0]
    return inner
@checked
def agent(obs, config):
    return 6
""",
    "another thing is called agent": f"""
def agent(obs, config): return mine({FREE})
def mine(moves): return moves[0]
mine.agent = agent
""",
}

CALLED = f"""
from functools import partial
def place(moves, obs, config):
    return next(k for k in moves if obs.board[k] == 0)
class Player:
    order = (6, 5, 4, 3, 2, 1, 0)
    def __init__(self, order=(1, 2, 3, 4, 5, 6, 0)): self.first, self.asked = order, 0
    def __call__(self, obs, config):
        self.asked += 1
        return self.pick(obs, config) if self.asked < 60 else 99
    def pick(self, obs, config): return place(self.first, obs, config)
    def act(self, obs, config): return place(self.order, obs, config)
class Last(Player):
    def pick(self, obs, config): return {FREE}[-1]
def make(order):
    asked = []
    def inner(obs, config):
        asked.append(1)
        return place(order, obs, config) if len(asked) < 60 else 99
    return inner
agent = """
WRITTEN |= {
    f"the agent is {kind}": f"{CALLED}{agent}\ndef other(): ...\n"
    for kind, agent in {
        "a lambda": f"lambda obs, config: {FREE}[-1]",
        "a partial function": "partial(place, [5, 4, 3, 2, 1, 0, 6])",
        "an object": "Player()",
        "an object whose class inherits how it is called": "Last()",
        "a method": "Player().act",
        "a function that encloses values": "make([4, 3, 2, 1, 0, 5, 6])",
    }.items()
}


@pytest.mark.parametrize("text", WRITTEN.values(), ids=WRITTEN)
def test_what_was_written_plays_the_same(text: str, modules: Path) -> None:
    require_same_answers(modules, text)


def test_what_a_decorator_only_wraps_stays_out(modules: Path) -> None:
    text = WRITTEN["functions that methods enter"]
    assert "def report" in text
    assert "def report" not in function_file(module(modules, text).agent).text


@pytest.mark.skipif(sys.version_info < (3, 14), reason="annotations are evaluated at once")
def test_annotations_that_kaggles_python_would_evaluate_too_early_stay_texts(modules: Path) -> None:
    text = f"""
import typing
if typing.TYPE_CHECKING:
    from unknown import Observation
class Node:
    def child(self) -> Node: return self
    def moves(self, free: Moves): return Moves(free)
class Moves(list): pass
def agent(obs{{}}, config): return Node().child().moves({FREE})[-1]
"""
    for observation in ("", ": Observation"):
        built = require_same_answers(modules, text.format(observation))
        assert "\nfrom __future__ import annotations\n" in built


@pytest.mark.parametrize("top", ["import sys", "from sys import setrecursionlimit; import sys"])
def test_the_recursion_limit_comes_along_and_paths_of_modules_do_not(
    top: str, modules: Path
) -> None:
    call = "setrecursionlimit" if top.startswith("from") else "sys.setrecursionlimit"
    text = f"{top}\nsys.path.append(__file__)\n{call}(4321)\ndef agent(obs): return {FREE}[0]"
    before = sys.getrecursionlimit()
    try:
        built = function_file(module(modules, text).agent).text
        sys.setrecursionlimit(before)
        of_file(built)
        assert sys.getrecursionlimit() == 4321
    finally:
        sys.setrecursionlimit(before)


def test_modules_of_ones_own_and_of_the_project_come_along(modules: Path) -> None:
    (modules / "tools").mkdir()
    Path("tools/__init__.py").write_text("")
    Path("tools/order.py").write_text("from .sizes import *\nORDER = [SIZE - 1, *range(SIZE)]\n")
    Path("tools/sizes.py").write_text("SIZE = 7\nprint('loaded')\n")
    Path("scores.py").write_text("import tools.order as o\ndef max(m): return m[o.ORDER[0] % 2]\n")
    built = require_same_answers(
        modules,
        """
import sys
try:
    from scores import max
except ImportError:
    sys.path.append("/kaggle_simulations/agent")
    from scores import max
import tools.order
from agents import make_agent
from envs import ConnectX
def agent(obs, config):
    env = ConnectX(config.rows, config.columns, config.inarow)
    state = env.from_board(obs.board, obs.mark)
    assert tools.order.ORDER[1] == 0 and make_agent("greedy").act(env, state) in range(7)
    return max([*env.get_available_actions(state), 0])
""",
    )
    assert not re.search(r"^(from|import) (agents|envs|scores|tools)\b", built, re.MULTILINE)


@pytest.mark.parametrize("value", ["scores.seen", "met"])
def test_what_another_module_of_ones_own_keeps_may_change_in_games(
    value: str, modules: Path
) -> None:
    """However it is named, the file begins with it as it was before any game."""
    Path("scores.py").write_text("seen = []\n")
    agent = module(
        modules,
        f"""
import scores
from scores import seen as met
def agent(obs, config):
    {value}.append(obs.step)
    return {FREE}[len({value}) % len({FREE})]
""",
    ).agent
    said = answers(agent)
    built = function_file(agent).text
    assert answers(of_file(built)) == said != answers(agent)


MATCHING = """
match {{"first": {0}, "others": [{0}, {0} + 1], "rest": 0}}:
    case {{"first": int(real=_) as first, "others": [_, *others], **rest}}: pass
def found(free):
    global first
    match free:
        case [first, *others]: pass
    return first, others, rest
"""
BESIDE: dict[str, tuple[dict[str, str], str]] = {
    "a star brings along modules that are imported anyway": (
        {"scores": "import random\nfrom numpy import random as chance\ndef worth(k): return k % 3"},
        f"""
import random
from numpy import random as chance
from scores import *
random.seed(1)
chance.seed(2)
TABLE = [random.random() + chance.random() for _ in range(7)]
def agent(obs, config):
    return max({FREE}, key=lambda k: worth(k) + TABLE[k])
""",
    ),
    "a package imports its own parts": (
        {
            "tools/__init__": "from . import sizes\nfrom .order import last",
            "tools/order": "def last(moves): return moves[-1]",
            "tools/sizes": "# coding: latin-1\nSIZE = 'ü'",
        },
        f"""
import tools
import tools.order
import tools.sizes
def agent(obs, config):
    assert tools.sizes.SIZE == "ü" and tools.last is tools.order.last
    return tools.last({FREE})
""",
    ),
    "a decorator fills a table of its module": (
        {"table": "TABLE = []\ndef listed(made):\n    TABLE.append(made)"},
        f"""
from table import TABLE, listed
@listed
def last(moves): return moves[-1]
def agent(obs, config): return TABLE[0]({FREE})
""",
    ),
    "names that patterns capture clash": (
        {"other": MATCHING.format(5)},
        f"""
import other
{MATCHING.format(1)}
def agent(obs, config):
    assert (others, rest, other.others, other.rest) == ([2], {{"rest": 0}}, [6], {{"rest": 0}})
    free = {FREE}
    column, *_ = other.found(free[1:] or free)
    assert found([column - 1])[0] == first == other.first - 1
    return column
""",
    ),
}


@pytest.mark.parametrize(("beside", "text"), BESIDE.values(), ids=BESIDE)
def test_what_stands_in_modules_beside_it_plays_the_same(
    beside: dict[str, str], text: str, modules: Path
) -> None:
    for name, content in beside.items():
        path = modules / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{content}\n", encoding="latin-1" if "latin-1" in content else "utf-8")
    require_same_answers(modules, text)


# --- any module

DATA = ("a", "b", "max", "TABLE")
PREPARING = ("f", "hash")
PLAYING = ("h", "len")
STATEMENTS = (
    "{n} = [{k}]",
    "{n} = [*{m}, {k}]",
    "{n} += [{k}]",
    "{n}.append({k})",
    "{n} = {n} + {m}",
    "{n} = {m} = [{k}]",
    "{n}, *{m} = [[{k}], {k}]",
    "{n} = [{k}]; {m} = [*{n}]",
    "{n}[0], {m}[-1] = {k}, -{k}",
    "for {n} in [[{k}]]:\n    {m}.append({k})",
    "if {n}[0] > {k}:\n    {m} = [{k}]\nelse:\n    {n} += [-{k}]",
    "try:\n    {n} = [{m}[{k}]]\nexcept IndexError:\n    pass",
    "[{n} := [{k}] for {m} in {m}]",
    "from string import digits as {n}\n{n} = [*{n}]",
    "del {n}[0]",
    "@(lambda made: [*made(), {k}])\ndef {n}():\n    return [*{m}]",
    "def {f}(x=None):\n    return [*{n}, x]",
    "def {f}({n}=[{k}]):\n    {m}.append({k})\n    return {n}",
    "def {f}():\n    global {n}\n    {n} = [{k}]\n    return {m}",
    "{n} = {f}()",
    "{f}()",
    "{f}({f}())",
    "def {h}():\n    {n}.append({k})\n    return [*{m}, {n}]",
    "def {h}():\n    {n} = {m}\n    return [{n} for {m} in [*{m}]] + {n}",
    "{h} = lambda {n}={n}: [*{n}, *{m}]",
    "class {h}:\n    {n} = {n}\n    def __call__(self, {m}=len): return self.{n}\n{h} = {h}()",
    "[agent(None, None) for {m} in [*{n}]]",
)
AGENT = """
def agent(obs, config):
    global calls
    said = []
    for read in [{reads}]:
        try:
            calls = calls + 1 if "calls" in globals() else 1
            said.append(read())
        except (NameError, TypeError) as error:
            said.append(type(error))
    return repr([said, calls])
"""


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Modules that define names, define them anew, and change what they mean."""
    one_of: Callable[[tuple[str, ...]], str] = lambda names: draw(st.sampled_from(names))  # noqa: E731
    count = draw(st.integers(1, 14))
    lines = [f"{name} = [{number}]" for number, name in enumerate((*DATA, "agent"))]
    for k in range(count):
        statement = one_of(STATEMENTS)
        n, m = one_of(DATA), one_of(DATA)
        lines.append(statement.format(n=n, m=m, f=one_of(PREPARING), h=one_of(PLAYING), k=k))
    read = draw(st.sets(st.sampled_from((*DATA, *PLAYING)), min_size=1))
    reads = [f"lambda: {name}{'()' * (name in PLAYING)}" for name in sorted(read)]
    agent = AGENT.format(reads=", ".join(reads))
    place = draw(st.integers(len(DATA) + 1, len(lines)))
    return "\n".join([*lines[:place], agent, *lines[place:]])


CHANGED_BY_ITS_OTHER_NAME = """
def agent(obs, config):
    a.append(5)
    return repr(a)
a = b = [0]
b += [1]
b = [3]
"""


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(texts())
@example(CHANGED_BY_ITS_OTHER_NAME)
def test_no_module_makes_a_file_that_plays_otherwise(text: str) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "mine.py")
        path.write_text(text)
        try:
            mine = runpy.run_path(str(path))
        except Exception:
            reject()
        mine["agent"](None, None)
        try:
            built = function_file(mine["agent"]).text
        except ValueError:
            return  # refused in a sentence
        path.write_text(text.replace("agent(None, None)", "None"))  # without games
        anew, file = runpy.run_path(str(path)), of_file(built)
    for _ in range(3):
        assert file(None, None) == anew["agent"](None, None), built


NAMELESS = """
from dataclasses import dataclass
from functools import partial
def place(column, obs, config, *, again=None): return column
class Bot:
    def __init__(self, column): self.column = column
    def __call__(self, obs, config): return self.column
@dataclass
class Deep(Bot):
    column: int
    note: str = ""
players = [Bot(1), Deep(2), Deep(3, "<b>"), partial(place, 4, again="no")]
players += [partial(place, 5, again=[0] * 99), partial(Deep(2)), lambda obs, config: 6]
"""


def test_players_without_a_name_are_told_apart_by_what_they_were_made_with(modules: Path) -> None:
    players = module(modules, NAMELESS).players
    assert [function_file(each).name for each in players] == [
        *("Bot", "Deep(column=2, note='')", "Deep", "place(4, again='no')", "place"),
        *("Deep(column=2, note='')()", "agent"),
    ]
