"""Episodes of OpenSpiel's Connect Four, as Kaggle's Game Arena plays it, read for reviews.

Those of `open_spiel_episodes.json` are from `env.toJSON()` of kaggle-environments 1.33.2, without
what is not read; with OpenSpiel (`make test-extras`) others are played.
"""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

import connectx
from envs.board import moves_text
from submission.arena.game_record import GameRecord, Result
from submission.kaggle import Referee, environment_of, kaggle_environments
from submission.reviewing.replays import read_agent_log, read_replays

EPISODES = json.loads(
    Path(__file__).with_name("open_spiel_episodes.json").read_text(encoding="utf-8")
)


def written(folder: Path, episode: dict[str, Any]) -> Path:
    path = folder / "episode-5-replay.json"
    path.write_text(json.dumps(episode), encoding="utf-8")
    return path


def record_of(folder: Path, episode: dict[str, Any]) -> GameRecord:
    (record,) = read_replays(written(folder, episode)).records
    return record


@pytest.mark.parametrize(
    ("name", "moves", "result", "opening"),
    [
        ("won", "4455667", Result.WIN, 0),
        ("illegal", "445", Result.OPPONENT_FAILED, 0),
        ("illegal at first", "", Result.PLAYER_FAILED, 0),
        ("error", "44", Result.PLAYER_FAILED, 0),
        ("error, not strict", "44", Result.PLAYER_FAILED, 0),
        ("error of the second, not strict", "4", Result.OPPONENT_FAILED, 0),
        ("opening", "4434556", Result.WIN, 3),
        ("5x4x3", "12121", Result.WIN, 0),
    ],
)
def test_an_episode_is_read(
    tmp_path: Path, name: str, moves: str, result: Result, opening: int
) -> None:
    record = record_of(tmp_path, EPISODES[name])
    assert (moves_text(record.columns), record.result) == (moves, result)
    assert (len(record.opening), record.in_seats) == (opening, ("Mine", "Theirs"))


def test_the_rules_are_the_episodes_own(tmp_path: Path) -> None:
    file = read_replays(written(tmp_path, EPISODES["5x4x3"]))
    rules = file.configuration
    assert (rules.rows, rules.columns, rules.inarow, rules.act_timeout) == (5, 4, 3, 3600)
    assert (rules.referee, file.episode) == (Referee.OPEN_SPIEL_CONNECT_FOUR, 5)


def test_a_review_judges_its_moves(tmp_path: Path) -> None:
    """4455 leaves the row of the first player open on both sides; nobody chose the opening."""
    review = connectx.review(written(tmp_path, EPISODES["won"]), "Theirs", progress=False)
    (game,) = review.games
    assert [ply.ply for ply in game.plies] == [1, 3, 5]
    assert [ply.ply for ply in game.given_away] == [3]
    opened = connectx.review(written(tmp_path, EPISODES["opening"]), "Mine", progress=False)
    assert [ply.ply for ply in opened.games[0].plies] == [4, 6]


@pytest.mark.parametrize(
    "damage",
    [
        lambda episode: episode["configuration"].pop("openSpielGameParameters"),
        lambda episode: episode["steps"].pop(3),
        lambda episode: episode["steps"].pop(),
        lambda episode: episode["info"].update(initialActions=[7]),
        lambda episode: episode["info"].update(initialActions="x"),
        lambda episode: episode["steps"][2][0]["observation"].update(observationString="{"),
        lambda episode: episode["steps"][2][0]["observation"].update(observationString='{"board"}'),
        lambda episode: episode.update(rewards=None, statuses=["DONE"]),
    ],
)
def test_a_damaged_episode_is_refused(
    tmp_path: Path, damage: Callable[[dict[str, Any]], object]
) -> None:
    episode = json.loads(json.dumps(EPISODES["won"]))
    damage(episode)
    with pytest.raises(ValueError, match=r"is damaged|ends before its game does"):
        read_replays(written(tmp_path, episode))


def test_the_answer_before_the_game_is_a_part_of_the_first_move(tmp_path: Path) -> None:
    log = [[{"duration": 3.0, "stderr": "set up"}], [{"duration": 0.5}], [{}], [{"duration": 1.0}]]
    path = tmp_path / "episode-5-agent-0-logs.json"
    path.write_text(json.dumps(log), encoding="utf-8")
    read = read_agent_log(path, 1)
    assert read.after_setting_up().seconds == (3.5, 1.0)
    assert read.after_setting_up().errors == ((0, "set up"),)
    review = connectx.review(written(tmp_path, EPISODES["won"]), "Mine", progress=False)
    assert review.games[0].log == read.after_setting_up()


class RandomPlayer:
    """Plays on OpenSpiel's environments, and remembers its columns."""

    def __init__(self, seed: int) -> None:
        self._rng = Random(seed)
        self.played: list[int] = []

    def act(self, observation: Any, configuration: Any) -> dict[str, int]:
        if not observation.get("legalActions"):
            return {"submission": -1}
        self.played.append(self._rng.choice(observation["legalActions"]))
        return {"submission": self.played[-1]}


def test_any_game_that_was_played_is_read(tmp_path: Path) -> None:
    pytest.importorskip("pyspiel")
    environment_of(Referee.OPEN_SPIEL_CONNECT_FOUR)
    for seed in range(5):
        player = RandomPlayer(seed)
        env = kaggle_environments().make(
            "open_spiel_connect_four", {"includeLegalActions": True, "strictMode": True}
        )
        env.info["TeamNames"] = ["Mine", "Theirs"]
        env.run([player.act, player.act])
        record = record_of(tmp_path, env.toJSON())
        assert [*record.columns] == player.played
        results = {1: Result.WIN, 0: Result.DRAW, -1: Result.LOSS}
        assert record.result is results[env.toJSON()["rewards"][0]]
