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
    "one ply of numpy": """
import random
import numpy as np

def drop_piece(grid, column, mark):
    after = grid.copy()
    row = max(r for r in range(after.shape[0]) if after[r][column] == 0)
    after[row][column] = mark
    return after

def windows(grid, inarow):
    rows, columns = grid.shape
    for r in range(rows):
        for c in range(columns):
            for dr, dc in ((0, 1), (1, 0), (1, 1), (-1, 1)):
                if 0 <= r + (inarow - 1) * dr < rows and c + (inarow - 1) * dc < columns:
                    yield [grid[r + k * dr][c + k * dc] for k in range(inarow)]

def get_heuristic(grid, mark, inarow):
    score = 0
    for window in windows(grid, inarow):
        own, free = window.count(mark), window.count(0)
        if own + free == inarow:
            score += {inarow: 1e6, inarow - 1: 1}.get(own, 0)
        elif window.count(3 - mark) == inarow - 1 and free:
            score -= 100
    return score

def agent(obs, config):
    grid = np.asarray(obs.board).reshape(config.rows, config.columns)
    valid = [c for c in range(config.columns) if obs.board[c] == 0]
    scores = {
        c: get_heuristic(drop_piece(grid, c, obs.mark), obs.mark, config.inarow) for c in valid
    }
    best = [c for c in valid if scores[c] == max(scores.values())]
    return random.Random(len(valid) + sum(obs.board)).choice(best)
""",
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
    "a kernel of Numba": """
import numba
import numpy as np

@numba.njit
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
