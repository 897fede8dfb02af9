"""Users' modules from which functions are built, and the answers of both."""

import importlib
import random
import runpy
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from envs import ConnectFour
from submission.bundle.functions.function_file import function_file
from submission.bundle.functions.proof import RULES
from submission.kaggle import kaggle_environments

FREE = "[k for k in range(7) if obs['board'][k] == 0]"
"""The expression for the columns that a function may play."""


def module(folder: Path, text: str) -> ModuleType:
    (folder / "mine.py").write_text(text, encoding="utf-8")
    importlib.invalidate_caches()
    sys.modules.pop("mine", None)  # of another test
    return importlib.import_module("mine")


def answers(agent: Any) -> list[object]:
    """The answers of an agent for Kaggle in two games, one from each seat."""
    kaggle = kaggle_environments()
    env, chance, said = ConnectFour(), random.Random(1), list[object]()
    for mark in (1, 2):
        state = env.initial_state()
        while actions := env.get_available_actions(state):
            if env.current_player(state) == mark:
                random.seed(7)
                np.random.seed(7)
                fields = {"board": env.to_board(state), "mark": mark, "step": len(said)}
                asked = [kaggle.utils.structify(each) for each in (fields, RULES.for_players())]
                count = agent.__code__.co_argcount if hasattr(agent, "__code__") else 2
                try:
                    said.append(agent(*asked[:count]))
                except Exception as error:
                    said.append(type(error))
            state = env.get_next_state(state, chance.choice(actions))
    return said


def of_file(text: str) -> Any:
    """The agent of a file, loaded as by Kaggle."""
    return kaggle_environments().agent.get_last_callable(text)


def require_same_answers(folder: Path, text: str) -> str:
    """Build a module's agent after it has played; the file must play like a fresh module."""
    agent = module(folder, text).agent
    answers(agent)
    built = function_file(agent).text
    anew = runpy.run_path(str(folder / "mine.py"))["agent"]
    said = answers(of_file(built))
    assert said == answers(anew)
    assert any(isinstance(answer, int) for answer in said)
    return built
