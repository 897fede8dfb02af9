"""Random programs that train an agent: its file begins as if no game had been played.

The oracle is the same program without its games.
"""

import random
from pathlib import Path
from string import Template
from typing import NamedTuple

import numpy as np
import pytest

from submission.bundle.functions.function_file import function_file
from tests.helpers.written_modules import FREE, answers, module, of_file


class Kind(NamedTuple):
    """How a value $v is made, trained, changed in games and shown; $s is a number."""

    made: str
    trained: str  # i counts the rounds
    played: str
    shown: str
    is_rebound: bool = False  # so that functions declare it `global`


CHANCE = [  # what games change of such a value is not known
    Kind("$v = np.random.randn(3)", "$v[i] += random.random()", "", "$v.tolist()"),
    Kind("$v = [random.random() for _ in range(3)]", "$v[i] += random.random()", "", "$v"),
]
KINDS = [
    Kind("$v = {}", "$v[i] = i * $s", "$v['g', len($v)] = $s", "sorted(map(repr, $v.items()))"),
    Kind("$v = defaultdict(int)", "$v[i] += i * $s", "$v[-1] += $s", "sorted($v.items())"),
    Kind("$v = Counter()", "$v[i] += $s", "$v[-1] += $s", "sorted($v.items())"),
    Kind("$v = deque(maxlen=9)", "$v.append(i * $s)", "$v.append($s)", "[*$v]"),
    Kind("$v = $s", "$v += i", "$v += $s", "$v", is_rebound=True),
    Kind("$v = np.zeros(4)", "$v[i] += i * $s", "$v[0] += $s", "$v.tolist()"),
    Kind("$v = np.zeros(4)", "$v = $v + i", "$v = $v + $s", "$v.tolist()", is_rebound=True),
    Kind("$v = Net()", "$v.learn(i * $s)", "$v.see($s)", "($v.worth, $v.seen, $v.weights)"),
    Kind("$v = Net()", "$v.learn(random.random())", "$v.see($s)", "($v.worth, $v.seen)"),
    Kind("$v = Net()", "$v.part.learn(i * $s)", "$v.part.see($s)", "($v.part.worth, $v.part.seen)"),
    Kind("$v = Net()", "$v.worth = random.random()", "$v.seen += [$s]", "($v.worth, $v.seen)"),
    Kind("$v = [Part(), Part(), Part()]", "$v[i].learn($s)", "$v[0].see($s)",
         "[(each.worth, each.seen) for each in $v]"),
    Kind("class $v: table, n = {}, 0", "$v.table[i] = i * $s; $v.n += i", "$v.table['g'] = $s",
         "($v.n, sorted(map(repr, $v.table.items())))"),
    Kind("$v = {'a': [], 'b': Part()}", "$v['a'].append(i); $v['b'].worth += i * $s",
         "$v['b'].see($s)", "($v['a'], $v['b'].worth, $v['b'].seen)"),
]  # fmt: skip

HEAD = """
import random
from collections import Counter, defaultdict, deque
import numpy as np
class Part:
    def __init__(self): self.worth, self.seen = 0, []
    def learn(self, worth): self.worth += worth
    def see(self, what): self.seen.append(what)
class Net(Part):
    def __init__(self):
        super().__init__()
        self.weights, self.part = [random.random() for _ in range(3)], Part()
def play():
    for step in range(GAMES): agent({"board": [0] * 42, "mark": 1, "step": step}, None)
"""
TRAININGS = [
    "def train(n):\n$declared    for i in range(n):\n        pass\n$indented\ntrain(3)\n",
    "for i in range(3):\n    pass\n$body\n",
    "if True:\n    for i in range(3):\n        pass\n$indented\n",
    "i = 0\n$lines\ni = 1\n$lines\ni = 2\n$lines\n",
]


def program(chance: random.Random) -> tuple[str, bool]:
    """A program whose agent answers by all its values, and whether games change trained ones."""
    made, trained, played, shown = list[str](), list[str](), list[str](), list[str]()
    declared, is_ambiguous = {"train": "", "agent": ""}, False
    for number in range(chance.randint(1, 3)):
        kind = chance.choice([*KINDS, *CHANCE])
        role = "train" if kind in CHANCE else chance.choice(["train", "play", "both", "neither"])
        words = {"v": f"value_{number}", "s": chance.randint(1, 9)}
        texts = [Template(text).substitute(words) for text in kind[:4]]
        made.append(texts[0])
        trained += texts[1:2] * (role in ("train", "both"))
        played += texts[2:3] * (role in ("play", "both"))
        shown.append(texts[3])
        if kind.is_rebound:
            declared["train"] += f"    global {words['v']}\n" * (role in ("train", "both"))
            declared["agent"] += f"    global {words['v']}\n" * (role in ("play", "both"))
        is_ambiguous |= role == "both"
    trained = ["play()"] * chance.randint(0, 1) + trained
    training = Template(chance.choice(TRAININGS)).substitute(
        declared=declared["train"],
        lines="\n".join(trained),
        body="".join(f"    {line}\n" for line in trained),
        indented="".join(f"        {line}\n" for line in trained),
    )
    agent = (
        f"def agent(obs, config):\n{declared['agent']}"
        + "".join(f"    {line}\n" for line in played)
        + f"    free, seen = {FREE}, repr([{', '.join(shown)}])\n"
        "    return free[sum(map(ord, seen)) % len(free)]\n"
    )
    last = "play()\n" * chance.randint(0, 1)
    return HEAD + "\n".join(made) + f"\n{agent}{training}{last}", is_ambiguous


@pytest.mark.parametrize("seed", [*range(24), 142])
def test_a_file_begins_as_if_no_game_had_been_played(seed: int, modules: Path) -> None:
    """Or a note says that something may be missing, where games change what was trained."""
    text, is_ambiguous = program(random.Random(seed))
    built = function_file(begun(seed, modules, text.replace("GAMES", "3")))
    assert is_ambiguous or built.note is None
    if built.note is None:
        unplayed = begun(seed, modules, text.replace("GAMES", "-1"))
        assert answers(of_file(built.text)) == answers(unplayed)


def begun(seed: int, folder: Path, text: str) -> object:
    random.seed(seed)
    np.random.seed(seed)
    return module(folder, text).agent
