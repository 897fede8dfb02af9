"""Values of functions that nothing has written, or that were read from files."""

import runpy
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from submission.bundle.functions.function_file import function_file
from submission.kaggle import kaggle_environments
from tests.helpers.checks import check_file
from tests.helpers.written_modules import FREE, answers, module, of_file, require_same_answers


def test_what_was_read_from_files_is_data(modules: Path) -> None:
    weights = np.asfortranarray(np.random.default_rng(0).normal(size=(7, 5)).astype(np.float32))
    np.save("weights.npy", weights)
    np.savez("more.npz", scale=np.array(-2.0), moves=np.array([(1, "a")], dtype="i4,U1"))
    Path("book.json").write_text('{"": 3, "list": [1, null, true, 2.5, Infinity, NaN]}')
    Path("extra.py").write_text(
        "import numpy\ndef load(name):\n    return numpy.load(name)\nROW = load('weights.npy')[0]\n"
    )
    built = require_same_answers(
        modules,
        f"""
import json, os, pickle
from math import inf
from pathlib import Path
import numpy as np
from extra import load, ROW
W = np.load("weights.npy")
W = W / 2
with np.load("more.npz") as more:
    SCALE, MOVES = more["scale"], more["moves"]
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "book.json")) as file:
    BOOK = json.load(file)
class Net:
    def __init__(self): self.weights = self.names = None
    def load(self, path):
        self.weights = load(path)
        self.names = {{(1, 2): {{"a"}}, 2: frozenset(), 3: set(), 4: (5,)}}
    def __call__(self, board): return (self.weights @ board[:5]) * SCALE
net = Net()
net.load("weights.npy")
LAST = Path("book.json").read_bytes()[-1]
def agent(obs, config):
    assert BOOK["list"][:5] == [1, None, True, 2.5, inf] and BOOK["list"][5] != BOOK["list"][5]
    assert MOVES["f1"][0] == "a" and LAST == 125
    assert net.names == {{(1, 2): {{"a"}}, 2: frozenset(), 3: set(), 4: (5,)}}
    worth = net(np.array(obs.board) - 1) + W[:, 1] + ROW[2]
    return max({FREE}, key=lambda k: float(worth[k])) if BOOK[""] == 3 else 99
""",
    )
    for file in modules.glob("*.*"):
        file.unlink()
    assert any(isinstance(answer, int) for answer in answers(of_file(built)))
    assert "npy" not in built.replace('"weights.npy"', "") or "load(" in built


@pytest.mark.parametrize("worth", ["W['worth']", "W[W.files[0]]", "W.f.worth"])
def test_arrays_in_an_open_file_are_data_and_it_stays_open(worth: str, modules: Path) -> None:
    np.savez("weights.npz", worth=np.arange(7))
    text = "import numpy as np\nW = np.load('weights.npz')\n"
    text += f"def agent(obs, config): return max({FREE}, key=lambda k: {worth}[k])"
    mine = module(modules, text)
    with mine.W:
        built = function_file(mine.agent).text
        assert answers(of_file(built)) == answers(mine.agent)
        assert answers(mine.agent)[0] == 6


BY_CHANCE = f"""
import random, time
from collections import deque
import numpy as np
ORDER, SHIFT = deque(random.sample(range(7), 7)), complex(random.random() - 0.5)
W = np.random.normal(size=(42, 7))
class Tuned: luck = random.random()
LUCK, COLUMN = Tuned.luck, np.random.default_rng().normal() + Tuned.luck
Q, seen, BEGUN = {{}}, [], time.time()
def play():
    column = random.randrange(7)
    Q[column] = Q.get(column, 0) + random.random()
for episode in range(20):
    play()
play()
class Layer:
    def __init__(self): self.bias, self.key = np.random.default_rng().normal(size=7), abs
class Net:
    def __init__(self): self.layers, self.asked = [Layer()], 0
net = Net()
def learn(column):
    Q[column] = 1
def agent(obs, config):
    seen.append(obs.step)
    net.asked += 1
    worth = np.array(obs.board) @ W + net.layers[0].bias + SHIFT.real * np.array(ORDER)
    worth[int(7 * LUCK)] += COLUMN
    return max({FREE}, key=lambda k: worth[k] + Q.get(k, 0)) if len(seen) < 60 else 99
"""


def test_what_was_made_by_chance_is_data(modules: Path) -> None:
    """Weights, say, or what was learnt; made anew they would be others."""
    mine = module(modules, BY_CHANCE)
    said = answers(mine.agent)
    built = function_file(mine.agent).text
    assert "seen, BEGUN = {}, [], time.time()" in built
    assert "random.randrange" not in built
    assert f"\nLUCK = {mine.LUCK}\n" in built
    mine.seen.clear()
    assert answers(of_file(built)) == answers(mine.agent) == said


def test_a_partial_function_has_what_chance_has_made_as_data(modules: Path) -> None:
    weighed = f"def weighed(worth, obs, config): return max({FREE}, key=worth.__getitem__)"
    mine = module(modules, f"import numpy as np\nW = np.random.rand(7)\n{weighed}")
    agent = partial(mine.weighed, mine.W)
    assert answers(of_file(function_file(agent).text)) == answers(agent)


def test_clocks_and_sources_of_chance_are_the_files_own(modules: Path) -> None:
    """Written as data, each game would have the same chances, and a clock that has long run out."""
    begun = "BEGUN, RNG, OLD = datetime.now(), np.random.default_rng(), np.random.RandomState()\n"
    text = f"""
from datetime import datetime
import numpy as np
{begun}class Player:
    def __init__(self): self.rng = np.random.default_rng()
    def __call__(self, obs, config):
        late = (datetime.now() - BEGUN).total_seconds() > 1000
        return int(RNG.choice({FREE}) + OLD.choice([0]) + 0 * self.rng.random()) + 9 * late
agent = Player()
"""
    built = function_file(module(modules, text).agent).text
    assert begun in built
    assert "agent = Player()" in built


@pytest.mark.parametrize(
    "reading",
    [
        "from time import perf_counter as clock\nBEGUN = clock()\n",
        "from timeit import default_timer\nBEGUN = default_timer()\n",
        "import time\ntick = time.monotonic\nBEGUN = 1 + tick()\n",
        "import time\nBEGUN = {'start': time.time(), 'moves': [0, time.time_ns()]}\n",
        "import time\nclass BEGUN: start, until = time.time(), 1000 * time.time()\n",
        "import time\ndef BEGUN(now=time.time()): pass\n",
        "import time\nclass Clock:\n    def __init__(self): self.start = time.time()\n"
        "BEGUN = Clock()\n",
    ],
)
def test_a_clock_is_the_files_own_whatever_its_name_and_place(reading: str, modules: Path) -> None:
    text = f"{reading}def agent(obs, config): return {FREE}[BEGUN is None]\n"
    built = function_file(module(modules, text).agent).text
    assert reading.splitlines()[-1] in built
    assert "BEGUN." not in built


@pytest.mark.parametrize(
    ("seeded", "generator"),
    [
        ("random.seed(3)", "random"),
        ("np.random.seed(3)", "np.random"),
        ("RNG = np.random.default_rng(3)", "RNG"),
    ],
)
def test_what_a_seed_does_not_decide_alone_is_data(
    seeded: str, generator: str, modules: Path
) -> None:
    """The file leaves out what else was drawn before."""
    drawn = f"[{generator}.random() for _ in range(7)]"
    text = f"import random\nimport numpy as np\n{seeded}\nDATA = {drawn}\nW = {drawn}\n"
    text += f"def agent(obs, config): return max({FREE}, key=W.__getitem__)\n"
    require_same_answers(modules, text)


@pytest.mark.parametrize(
    "begun",
    [
        "def fill(net):\n    net.w[:] = range(7)\nfill(NET)",
        "NET.learn()",
        "NET = {'t': time.time(), 'w': [0] * 7}\ndef fill(net): net['w'][:] = range(7)\nfill(NET)",
        "Net.count = 0\nROOT = Net()\nNET = [Net()]",
    ],
    ids=["a function", "a method", "a dictionary", "a count of objects"],
)
def test_what_was_learnt_beside_a_clock_is_written(begun: str, modules: Path) -> None:
    """The clock alone is read anew; it had hidden that the file knew nothing of the rest."""
    require_same_answers(
        modules,
        f"""
import time
class Net:
    count = 0
    def __init__(self):
        self.t, self.w, self.number = time.time(), [0] * 7, Net.count
        Net.count += 1
    def learn(self):
        for k in range(7): self.w[k] = k
NET = Net()
{begun}
def agent(obs, config):
    if isinstance(NET, list): return {FREE}[NET[0].number % len({FREE})]
    w = NET["w"] if isinstance(NET, dict) else NET.w
    return max({FREE}, key=lambda k: w[k])
""",
    )


@pytest.mark.parametrize("default", ["dict()", "random.Random(7)", "threading.Lock()", "time()"])
def test_what_a_nested_function_has_at_its_definition_is_made_anew(
    default: str, modules: Path
) -> None:
    """Games may have changed it, it may be no data, or a clock's."""
    text = "import random, threading\nfrom time import time\ndef make():\n"
    text += f"    def agent(obs, config, *, kept={default}): return {FREE}[0]\n    return agent\n"
    agent = module(modules, text).make()
    assert f"kept={default})" in function_file(agent).text


@pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning")
def test_a_trained_network_of_torch_is_data(modules: Path) -> None:
    """Its file had new weights in each game, and the proof took them for the trained ones."""
    pytest.importorskip("torch")
    text = f"""
import torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = torch.nn.Linear(42, 99), torch.nn.Linear(99, 7)
    def forward(self, board): return self.last(torch.relu(self.first(board)))
net = Net()
def agent(obs, config):
    with torch.no_grad(): worth = net(torch.tensor(obs.board, dtype=torch.float32))
    return max({FREE}, key=lambda k: float(worth[k]))
"""
    mine = module(modules, text)
    mine.net.last.bias.data += mine.torch.eye(7)[5]
    built = function_file(mine.agent).text
    assert answers(of_file(built)) == answers(mine.agent)
    assert len(built) < 50_000
    vars(mine)["net"] = mine.torch.jit.script(mine.net)
    with pytest.raises(ValueError, match=r"^agent uses net, a network that torch.jit has compiled"):
        function_file(mine.agent)


def test_what_has_learnt_is_data(modules: Path) -> None:
    """Nothing that the file carries along fills it in. What a path keeps is a cache."""
    text = f"""
from pathlib import Path
class Net:
    def __init__(self): self.worth = [0] * 7
    def fit(self, columns):
        for k in columns: self.worth[k] = k + 1
def give(where, what): where += [what]
CHOICES, net = [], Net()
PLACE = Path("x")
give(CHOICES, max)
str(PLACE)
net.fit([2, 5])
def agent(obs, config): return PLACE and CHOICES[0]({FREE}, key=net.worth.__getitem__)
"""
    built = require_same_answers(modules, text)
    assert "Net()" not in built
    assert "PLACE = Path" in built


LEARNER = f"""
class Bot:
    def __init__(self): self.worth, self.seen = {{}}, 0
    def observe(self, k, worth): self.worth[k] = worth
    def train(self, rounds):
        for k in range(rounds): self.observe(k % 7, k * k % 5)
    def tune(self):
        worth = self.worth
        worth[4] = 9
    def evaluate(self):
        board = [0] * 42
        board[self.act({{"board": board}}, None)] = 1
    def act(self, obs, config):
        self.seen += 1
        self.observe(7 + self.seen, 1)
        return max({FREE}, key=lambda k: self.worth.get(k, 0) * (k + self.seen))
class Callable(Bot):
    def __call__(self, obs, config): return self.act(obs, config)
def learn(): bot.train(20)
def play(player): player.evaluate()
bot = Bot()
"""
"""Games change the same attributes as training."""

CALLING = "\ndef agent(obs, config): return bot.act(obs, config)\n"


@pytest.mark.parametrize(
    ("text", "training"),
    [
        ("bot.train(20)" + CALLING, "\nbot.train(20)\n"),
        ("for rounds in (5, 20):\n    bot.train(rounds)" + CALLING, "\n    bot.train(rounds)\n"),
        ("learn()" + CALLING, "\nlearn()\n"),
        ("bot.tune()\nagent = bot.act", "\nbot.tune()\n"),
        ("agent = Callable()\nagent.tune()", "\nagent.tune()\n"),
    ],
    ids=["a method", "a loop", "a function", "a part of an object", "a callable object"],
)
def test_training_is_kept_although_games_change_the_same(
    text: str, training: str, modules: Path
) -> None:
    """The file played untrained, because all change was put down to games."""
    assert training in require_same_answers(modules, LEARNER + text)


@pytest.mark.parametrize("trial", ["bot.evaluate()", "play(bot)", "bot.act({'board': [0] * 7}, 1)"])
def test_trials_of_an_agent_are_no_training(trial: str, modules: Path) -> None:
    mine = module(modules, f"{LEARNER}{CALLING}{trial}")
    built = function_file(mine.agent)
    assert trial not in built.text
    assert answers(of_file(built.text)) == answers(module(modules, LEARNER + CALLING).agent)


def test_training_by_games_is_kept_without_what_games_leave_behind(modules: Path) -> None:
    """Such an agent was refused."""
    player = f"""
class Table:
    def __init__(self): self.worth, self.asked = {{}}, 0
class Player:
    def __init__(self): self.table, self.history = Table(), []
    def __call__(self, obs, config):
        self.history.append(obs.step)
        self.table.asked += 1
        liked = lambda k: self.table.worth.get(k, 0)
        return max({FREE}, key=lambda k: (liked(k), (k + self.table.asked) % 5, len(self.history)))
player = Player()
def agent(obs, config): return player(obs, config)
"""
    learning = "    player.table.worth[k] = k\n"
    training = f"for k in (5, 2):\n    make('connectx').run([agent, 'random'])\n{learning}"
    made = "from kaggle_environments import make"
    built = function_file(module(modules, f"{made}{player}{training}").agent).text
    fresh = module(modules, f"{player}for k in (5, 2):\n{learning}").agent
    assert answers(of_file(built)) == answers(fresh)


def test_what_a_function_has_trained_is_data(modules: Path) -> None:
    """A table and a share of random moves, as in notebooks: they were those before training."""
    mine = module(
        modules,
        f"""
import random
from collections import defaultdict
from kaggle_environments import make
Q, EPSILON, MEMORY = defaultdict(lambda: [0.0] * 7), 0.5, []
def seen(obs): return tuple(obs["board"][-14:])
def agent(obs, config):
    worth = Q[seen(obs)]
    free = {FREE}
    k = random.choice(free) if random.random() < EPSILON else max(free, key=worth.__getitem__)
    MEMORY.append((seen(obs), k))
    return k
def train(games):
    global EPSILON
    for _ in range(games):
        MEMORY.clear()
        make("connectx").run([agent, "random"])
        for key, k in MEMORY: Q[key][k] += random.random()
    EPSILON = 0.0
train(2)
""",
    )
    table = {key: worth for key, worth in mine.Q.items() if any(worth)}
    built = function_file(mine.agent)
    loaded: dict[str, Any] = {}
    exec(built.text, loaded)
    assert {key: worth for key, worth in loaded["Q"].items() if any(worth)} == table
    assert (loaded["EPSILON"], loaded["MEMORY"]) == (0.0, [])
    assert built.note is not None
    assert "as in the source, because games change them: MEMORY. What train() did" in built.note


@pytest.mark.parametrize(
    ("begun", "worth"),
    [("WORTH = {}", "WORTH"), ("class Worth: table = {}", "Worth.table")],
    ids=["a table", "a class"],
)
def test_what_a_loop_has_trained_by_games_is_data(begun: str, worth: str, modules: Path) -> None:
    """Files were refused: one had the loop's variable as a key, another the class untrained."""
    play = "make('connectx').run([agent, 'random'])"
    text = f"""
from kaggle_environments import make
{begun}
def agent(obs, config): return max({FREE}, key=lambda k: {worth}.get((k,), 0))
for key in [(2,), (5,)]:
    {play}
    {worth} = {{**{worth}, key: key[0]}}
"""
    built = function_file(module(modules, text).agent)
    assert built.note is None
    unplayed = module(modules, text.replace(play, "pass")).agent
    assert answers(of_file(built.text)) == answers(unplayed)


def test_weights_made_by_chance_are_kept_without_what_games_leave_behind(modules: Path) -> None:
    """Its file began with the history of the games before it was built."""
    text = f"""
import random
class Moves:
    def __init__(self): self.steps, self.sign = [], random.choice((-1, 1))
class Net:
    def __init__(self): self.worth, self.moves = [random.random() for _ in range(7)], Moves()
    def __call__(self, obs, config):
        self.moves.steps.append(obs.step)
        return max({FREE}, key=lambda k: self.moves.sign * self.worth[k - len(self.moves.steps)])
net = Net()
def agent(obs, config): return net(obs, config)
"""
    mine = module(modules, text)
    answers(mine.agent)
    built = function_file(mine.agent).text
    mine.net.moves.steps.clear()
    assert answers(of_file(built)) == answers(mine.agent)


SHARING = f"""
def sharing():
    worth = {{}}
    def learn(k, liked): worth[k] = liked
    def agent(obs, config):
        learn(obs.step, 0)
        return max({FREE}, key=lambda k: worth.get(k, 0))
    return learn, agent
learn, agent = sharing()
"""


@pytest.mark.parametrize(
    ("text", "call"),
    [
        (f"{LEARNER}bot.observe(3, 5){CALLING}", "bot.observe(3, 5)"),
        (f"{SHARING}learn(3, 5)", "learn(3, 5)"),
    ],
    ids=["a method", "a closure"],
)
def test_what_may_be_training_or_a_trial_is_noted(text: str, call: str, modules: Path) -> None:
    note = function_file(module(modules, text).agent).note
    assert note is not None
    assert f": `{call}` is left out of the file, because games change the same" in note


def test_containers_and_objects_of_all_kinds_are_written(modules: Path) -> None:
    """Learnt tables, and an object that has read a file, with whatever they consist of."""
    Path("book.json").write_text("[4, 2]")
    mine = module(
        modules,
        f"""
import json, random
from pathlib import Path
from collections import Counter, OrderedDict, defaultdict, deque
from enum import Enum
Side = Enum("Side", "LEFT RIGHT")
float = abs
Q, N, V, LAST = defaultdict(int), Counter(), defaultdict(lambda: [0] * 7), OrderedDict()
LEARNT = {{}}
class Worth:
    def __init__(self): self.value = random.random()
def learn(): LEARNT[3] = Worth()
learn()
SAME = LEARNT[3].value
class Node:
    __slots__ = ("column", "side")
    def __init__(self, column): self.column, self.side = column, Side.LEFT
class Tree:
    def __init__(self):
        self.nodes, self.order = deque(maxlen=2), random.Random(3)
    def load(self, path):
        self.nodes.extend(map(Node, json.loads(Path(path).read_text())))
        return self
tree = Tree().load("book.json")
for k in range(7):
    Q[k] = LAST[k] = V[0][k] = random.random()
    N[k] += random.randrange(9)
def agent(obs, config):
    assert [*LAST] == [*range(7)] and V[1] == [0] * 7 and tree.nodes.maxlen == 2
    assert SAME == LEARNT[3].value
    assert {{node.side for node in tree.nodes}} == {{Side.LEFT}}
    first = [node.column for node in tree.nodes] if Q[9] == 0 else []
    worth = lambda k: (k in first, Q[k] + N[k] + V[0][k] + LAST[k] + tree.order.random())
    return max({FREE}, key=worth)
""",
    )
    built = function_file(mine.agent).text
    said, anew = answers(of_file(built)), answers(mine.agent)
    assert said == anew
    assert any(isinstance(answer, int) for answer in said)


def test_numbers_of_numpy_keep_their_type_where_the_module_does_not_call_it_np(
    modules: Path,
) -> None:
    mine = module(
        modules,
        f"""
import numpy, random
WORTH = {{k: numpy.float64(random.random() - 0.5) for k in range(7)}}
def agent(obs, config):
    return int(max({FREE}, key=lambda k: WORTH[k] / numpy.float64(0)))
""",
    )
    built = function_file(mine.agent).text
    assert answers(of_file(built)) == answers(mine.agent)
    assert "from numpy import float64" in built


ENCLOSING = f"""
import functools, math, re
from functools import partial
import numpy as np
class Order:
    def __init__(self, columns): self.columns = columns
    def pick(self, moves, obs, config): return next(k for k in self.columns if k in moves)
TALLY = []
def free(obs):
    TALLY.append(1)
    return {FREE}
def make(order, weights, key=lambda k: -k):
    seen = {{"count": 0}}
    def depth(n):
        return n if n < 1 else depth(n - 1)
    def agent(obs, config, limit=len(seen), *, key=key):
        '''Plays.
  In its own way.
        '''
        seen["count"] += depth(3) + 1
        best = sorted(free(obs), key=key)
        return best[0] if math.isfinite(weights.sum()) and order[-1] > limit else 99
    return agent
def counting(seen, kept):
    def agent(obs, config):
        seen.append(1)
        return free(obs)[len(kept["seen"]) % len(free(obs))]
    return agent
def held_twice(seen):
    return counting(seen, {{"seen": seen}})
"""


@pytest.mark.parametrize(
    "expression",
    [
        "make([1, float('inf')], np.eye(3))",
        "make((float('inf'),), np.float32(2), key=abs)",
        "make([8], np.arange(6).reshape(2, 3).T, functools.partial(pow, -1))",
        "partial(lambda a, obs, config: a + free(obs)[0], 0)",
        "(lambda order: lambda obs, config: next(k for k in order if k in free(obs)))([*range(7)])",
        "lambda obs, config: free(obs)[0]",
        "lambda obs, config: free(obs)[-1], lambda obs, config: free(obs)[0]",
        "lambda obs, config, k=k: free(obs)[k] for k in (-1, 0)",
        "*reversed([lambda obs, config: 99, lambda obs, config: free(obs)[0] if obs else 9]),",
        "(lambda pick: lambda obs, config: pick(free(obs), obs, config))(Order([*range(7)]).pick)",
        "(lambda tally: lambda obs, config: free(obs)[len(tally) % len(free(obs))])(TALLY)",
        "partial(Order([5, 6, 0, 1, 2, 3, 4]).pick, [0, 1, 2, 3, 4, 5, 6])",
        "partial(lambda a, obs, config: free(obs)[a.match('Aa').end()], re.compile('a', re.I))",
        "partial(lambda places, obs, config: free(obs)[len(places)], (slice(1, 2), ...))",
        "held_twice([])",
        "(lambda p: lambda obs, _: free(obs)[p[0].append(1) or len(p[1]) % 2])([[]] * 2)",
        "(lambda p: lambda obs, _: free(obs)[p[0].put(0, 1) or int(p[1][0])])([np.zeros(1)] * 2)",
        "(lambda p, q: lambda obs, _: free(obs)[p[0].columns.append(1) or len(q.columns) % 2])"
        "(*(lambda one: ([one], one))(Order([])))",
        "(lambda p: lambda obs, _: free(obs)[p[0].append(1) or len(p[1].columns) % 2])"
        "((lambda one: [one.columns, one])(Order([])))",
    ],
)
def test_agents_without_a_name_are_made_again(expression: str, modules: Path) -> None:
    """By what they enclose, which nothing else has defined."""
    mine = module(modules, f"{ENCLOSING}\nplayers = [\n    {expression}\n]\n")
    anew = runpy.run_path("mine.py")["players"][0]
    built = function_file(mine.players[0])
    assert answers(of_file(built.text)) == answers(anew)


def test_a_function_that_has_been_replaced_is_built_as_it_was(modules: Path) -> None:
    mine = module(
        modules,
        "def player(obs):\n    return 1\nfirst = [player]\ndef player(obs):\n    return 2\n",
    )
    for agent, column in ((mine.first[0], 1), (mine.player, 2)):
        name, text, _ = function_file(agent)
        assert (name, of_file(text)({})) == ("player", column)


KEPT_KERNEL = """
import numba
import numpy as np

@numba.njit(cache=True)
def best_column(board, mark):
    best, worth = -1, -1.0
    for column in range(7):
        if board[column] == 0:
            value = 3.0 - abs(3 - column)
            for row in range(6):
                value += 0.5 if board[7 * row + column] == mark else 0.0
            if value > worth:
                best, worth = column, value
    return best

def agent(obs, config):
    return int(best_column(np.array(obs.board, dtype=np.int8), obs.mark))
"""


def moves_of(*players: Any) -> list[int]:
    """The columns of a game on kaggle-environments."""
    env = kaggle_environments().make("connectx", debug=True)
    env.run(list(players))
    assert [state.status for state in env.state] == ["DONE", "DONE"]
    return [step[ply % 2].action for ply, step in enumerate(env.steps[1:])]


def test_a_kernel_of_numba_that_is_kept_is_accepted_and_plays_its_games(modules: Path) -> None:
    file = modules / "bundle.py"
    file.write_text(function_file(module(modules, KEPT_KERNEL).agent).text)
    report = check_file(file, pair_only=True)
    assert report.accepted, report
    original = runpy.run_path("mine.py")["agent"]
    game = moves_of(original, original)
    assert len(game) >= 7
    assert moves_of(str(file), original) == moves_of(original, str(file)) == game
