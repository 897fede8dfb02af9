"""Gymnasium and PettingZoo know the environments, whatever is imported first."""

import json
import pickle
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import gymnasium
import pytest
from gymnasium.envs.registration import EnvSpec

from envs import GYMNASIUM_IDS
from tests.helpers.processes import completed

LIBRARIES = [name for name in ("gymnasium", "pettingzoo") if find_spec(name)]

MAKE_ALL = "for name in envs.GYMNASIUM_IDS: gymnasium.make(name, opponent=None).reset()"
MAKES_BY_NAME = "pettingzoo" in LIBRARIES and hasattr(import_module("pettingzoo"), "make")
"""From 1.27 on."""
OF_PETTINGZOO = (
    "import pettingzoo",
    "for name in envs.GYMNASIUM_IDS: pettingzoo.make('aec', name).reset()",
    "for name in envs.GYMNASIUM_IDS: pettingzoo.spec('aec', name).make().reset()",
    "assert not set(envs.GYMNASIUM_IDS) & set(pettingzoo.parallel_registry)",
)


def run(*statements: str) -> str:
    """What a fresh interpreter prints, with warnings as errors."""
    return completed([sys.executable, "-W", "error", "-c", "\n".join(statements)]).stdout


def test_the_ids() -> None:
    assert GYMNASIUM_IDS[:3] == (
        "connectx/ConnectFour-v0",
        "connectx/ConnectX-v0",
        "connectx/TicTacToe-v0",
    )
    assert len(set(GYMNASIUM_IDS)) == len(GYMNASIUM_IDS)


@pytest.mark.parametrize(
    "imports",
    [
        "import gymnasium, envs",
        "import envs, importlib.util\nassert importlib.util.find_spec('gymnasium')\n"
        "import gymnasium",
        *(
            f"import {order}, gymnasium"
            for order in ("envs, pettingzoo", "pettingzoo, envs")
            if "pettingzoo" in LIBRARIES
        ),
    ],
)
def test_either_may_be_imported_first(imports: str) -> None:
    run(imports, MAKE_ALL, *(OF_PETTINGZOO if MAKES_BY_NAME else ()))


def test_rules_and_searches_neither_load_nor_need_gymnasium() -> None:
    printed = run(
        "import sys, agents, envs",
        "adapters = ('gymnasium', 'pettingzoo', 'envs.learning.single_env',",
        "    'envs.learning.pettingzoo_env', 'envs.learning.vector.vector_env',",
        "    'rich', 'IPython', 'jinja2')  # which looking at results loads",
        "print([name for name in sys.modules if name.startswith(adapters)])",
        "sys.path.clear()",
        "try: import gymnasium",
        "except ModuleNotFoundError: print('is missing')",
    )
    assert printed == "[]\nis missing\n"


def test_libraries_are_imported_whole() -> None:
    """Their finders leave `sys.meta_path`, and the packages keep their resources."""
    run(
        "import sys, inspect, importlib.resources",
        "before = list(sys.meta_path)",
        f"import envs, {', '.join(LIBRARIES)}",
        f"assert len(sys.meta_path) - len(before) == {2 - len(LIBRARIES)}",
        f"for library in ({', '.join(LIBRARIES)},):",
        "    assert inspect.getsource(library)",
        "    assert importlib.resources.files(library).joinpath('__init__.py').is_file()",
    )


@pytest.mark.parametrize("environment_id", GYMNASIUM_IDS)
def test_specifications_survive_json_and_pickle(environment_id: str) -> None:
    env = gymnasium.make(environment_id, opponent="minimax:depth=2", seat="second")
    spec = env.spec
    assert spec is not None
    text = spec.to_json()
    assert json.loads(text)["kwargs"] == {"opponent": "minimax:depth=2", "seat": "second"}
    for twin in (EnvSpec.from_json(text), pickle.loads(pickle.dumps(spec))):
        made = gymnasium.make(twin)
        assert made.spec == spec
        assert made.reset(seed=1)[0].tolist() == env.reset(seed=1)[0].tolist()


def test_a_pettingzoo_that_makes_nothing_by_name_is_left_as_it_is(tmp_path: Path) -> None:
    """Before 1.27 it has no registry."""
    (tmp_path / "pettingzoo").mkdir()
    (tmp_path / "pettingzoo" / "__init__.py").touch()
    for imports in ("import envs, pettingzoo", "import pettingzoo, envs"):
        run(f"import sys\nsys.path.insert(0, {str(tmp_path)!r})", imports)
