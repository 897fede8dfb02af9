"""Each style becomes a file that is accepted and plays the games of its original on Kaggle."""

import runpy
from pathlib import Path
from typing import Any

import pytest

from submission.bundle.functions.function_file import function_file
from submission.kaggle import kaggle_environments
from tests.helpers.checks import check_file
from tests.helpers.written_modules import module

STYLES = {
    "a book read from a file": """
import json
import os

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "book.json")) as file:
    BOOK = {tuple(line["moves"]): line["answer"] for line in json.load(file)}

played = []

def agent(obs, config):
    if sum(1 for cell in obs.board if cell) < 2:
        played.clear()
    answer = BOOK.get(tuple(played), 3)
    if obs.board[answer]:
        answer = next(c for c in (3, 2, 4, 1, 5, 0, 6) if obs.board[c] == 0)
    played.append(answer)
    return answer
""",
    "a kernel of Numba that is kept": """
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
""",
}
"""Agents as competitors write them, each a module with a player `agent`.

Chance has a seed and no clock changes a move, so two games of the same agents are equal.
"""

BOOK = '[{"moves": [], "answer": 3}, {"moves": [3], "answer": 2}, {"moves": [3, 2], "answer": 2}]'


def moves_of(*players: Any) -> list[int]:
    """The columns of a game on kaggle-environments."""
    env = kaggle_environments().make("connectx", debug=True)
    env.run(list(players))
    assert [state.status for state in env.state] == ["DONE", "DONE"]
    return [step[ply % 2].action for ply, step in enumerate(env.steps[1:])]


def anew() -> Any:
    """The original as its module defines it, as a function of two arguments."""
    agent = runpy.run_path("mine.py")["agent"]
    return lambda observation, configuration: agent(observation, configuration)


@pytest.mark.parametrize("text", STYLES.values(), ids=STYLES)
def test_a_style_becomes_a_file_that_plays_its_games(text: str, modules: Path) -> None:
    (modules / "book.json").write_text(BOOK)
    file = modules / "bundle.py"
    file.write_text(function_file(module(modules, text).agent).text)
    report = check_file(file, pair_only=True)
    assert report.accepted, report
    one, other = anew(), anew()
    game = moves_of(one, other)
    assert len(game) >= 7
    assert moves_of(str(file), other) == moves_of(one, str(file)) == game
