"""Each style becomes a file that is accepted and plays the games of its original on Kaggle."""

import runpy
from pathlib import Path
from typing import Any

import pytest

from submission.bundle.functions.function_file import function_file
from submission.kaggle import kaggle_environments
from tests.helpers.checks import check_file
from tests.helpers.competitor_styles import BOOK, STYLES
from tests.helpers.written_modules import module


def moves_of(*players: Any) -> list[int]:
    """The columns of a game on kaggle-environments."""
    env = kaggle_environments().make("connectx", debug=True)
    env.run(list(players))
    assert [state.status for state in env.state] == ["DONE", "DONE"]
    return [
        next(state.action for state in step if state.observation.mark == 1 + (ply % 2))
        for ply, step in enumerate(env.steps[1:])
    ]


def anew() -> Any:
    """The original as its module defines it, as a function of two arguments."""
    agent = runpy.run_path("mine.py")["agent"]
    return lambda observation, configuration: agent(observation, configuration)


@pytest.mark.parametrize("text", STYLES.values(), ids=STYLES)
def test_a_style_becomes_a_file_that_plays_its_games(text: str, modules: Path) -> None:
    (modules / "book.json").write_text(BOOK)
    bundle = function_file(module(modules, text).agent)
    (modules / "bundle.py").write_text(bundle.text)
    report = check_file(modules / "bundle.py")
    assert report.accepted, report
    file = str(modules / "bundle.py")
    game = moves_of(anew(), anew())
    assert len(game) >= 7
    assert moves_of(file, anew()) == game
    assert moves_of(anew(), file) == game
