"""Games read from results files and from episodes, with Kaggle's environment as the source."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import connectx
from envs.board import parse_moves
from submission.arena.game_record import GameConfiguration, GameRecord, Result
from submission.reviewing.replays import ReplayFile, log_beside, read_agent_log, read_replays
from tests.helpers.episodes import NUMBER, episode_of, write_episode, write_log
from tests.helpers.refusals import is_sentence, nested

pytestmark = pytest.mark.usefixtures("workers_in_threads")

WON_BY_FIRST = "4455667"
DRAWN_2X2 = "1122"
SIZES = {"rows": 6, "columns": 7, "inarow": 4}


def test_an_episode_is_read(tmp_path: Path) -> None:
    file = read_replays(write_episode(episode_of(WON_BY_FIRST), tmp_path))
    record = GameRecord(
        player="Mine",
        opponent="Theirs",
        game=0,
        seed=0,
        seat=1,
        opening=(),
        columns=tuple(parse_moves(WON_BY_FIRST)),
        statuses=("DONE", "DONE"),
        rewards=(1, -1),
        result=Result.WIN,
        durations=((), ()),
    )
    name = f"episode-{NUMBER}-replay.json"
    assert file == ReplayFile(name, GameConfiguration(), (record,), episode=NUMBER)


NO_COLUMN, RAISED = "INVALID: it did not choose a column with room", "ERROR: it raised an exception"
FAILED = Result.PLAYER_FAILED


@pytest.mark.parametrize(
    ("moves", "sizes", "plies", "result", "cause"),
    [
        ("12121212", (6, 7, 4), 7, Result.WIN, None),
        ("71212121", (6, 7, 4), 8, Result.LOSS, None),
        (DRAWN_2X2, (2, 2, 3), 4, Result.DRAW, None),
        ("1212121", (5, 12, 4), 7, Result.WIN, None),
        # What follows is left out, for it was not carried out.
        ("1111111", (6, 7, 4), 6, FAILED, NO_COLUMN),
        ("9", (6, 7, 4), 0, FAILED, NO_COLUMN),
        ("44", (6, 7, 4), 2, FAILED, RAISED),
        ("4", (6, 7, 4), 1, Result.OPPONENT_FAILED, RAISED),
    ],
)
def test_the_result_is_from_the_first_seat(
    tmp_path: Path,
    moves: str,
    sizes: tuple[int, int, int],
    plies: int,
    result: Result,
    cause: str | None,
) -> None:
    env = episode_of(moves, None, **dict(zip(SIZES, sizes, strict=True)))
    file = read_replays(write_episode(env, tmp_path))
    (record,) = file.records
    assert file.configuration == GameConfiguration(*sizes)
    assert [*record.columns] == [int(digit) - 1 for digit in moves[:plies]]
    assert (record.result, record.cause) == (result, cause)
    assert [*record.statuses] == env.toJSON()["statuses"]
    assert [*record.rewards] == env.toJSON()["rewards"]
    assert record.in_seats == ("first", "second"), "an episode of one's own has no team names"


def test_a_results_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    match = connectx.evaluate(
        "greedy", "random", games=4, arena="own", workers=1, results=path, progress=False
    )
    rules = match.settings.configuration
    assert read_replays(path) == ReplayFile(path.name, rules, match.records, match)


# --- files that are refused


def changed(env: Any, **changes: object) -> str:
    return json.dumps({**env.toJSON(), **changes})


def test_what_is_no_episode_is_refused(tmp_path: Path) -> None:
    env = episode_of(WON_BY_FIRST)
    whole = json.dumps(env.toJSON())
    steps = env.toJSON()["steps"]
    cases = {
        "": "is neither a results file nor a whole episode",
        "hello": "is neither a results file nor a whole episode",
        "[1]": "is neither a results file nor a whole episode",
        whole[: len(whole) // 2]: "is neither a results file nor a whole episode",
        '{"format": "something"}\n': "must begin with the format",
        "{}": "is not an episode; only those of connectx",
        changed(env, name="tictactoe"): "is an episode of 'tictactoe'; only those of connectx",
        changed(env, steps=steps[:4]): "ends before its game does",
        changed(env, statuses=["ACTIVE", "INACTIVE"]): "ends before its game does",
        changed(env, steps=[*steps[:2], *steps[4:]]): "is damaged",
        changed(env, steps=[[]]): "is damaged",
        changed(env, steps=7): "is damaged",
        changed(env, configuration={}): "is damaged",
        changed(env, configuration={"rows": 999, "columns": 7, "inarow": 4}): "must be from 1 to",
        changed(env, configuration={**SIZES, "actTimeout": "2"}): "its actTimeout is '2'",
        changed(env, configuration={**SIZES, "actTimeout": 0}): "its actTimeout is 0",
        changed(env, statuses=["DONE"]): "is damaged",
        changed(env, name="\x1b" * 100_000): r"is an episode of '\\x1b\\x1b",
        changed(env, name=[]): "is not an episode; only those of connectx",
        changed(env, configuration={**SIZES, "rows": "\x1b" * 100_000}): r"sizes are \('\\x1b",
        changed(env, configuration={**SIZES, "actTimeout": [[9] * 9_999]}): "its actTimeout is ",
    }
    path = tmp_path / "episode.json"
    for text, message in cases.items():
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match=message) as error:
            read_replays(path)
        assert is_sentence(error.value)
        assert str(path) in str(error.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda each: st.lists(each, max_size=3) | st.dictionaries(st.text(max_size=5), each),
    max_leaves=8,
)
FIELDS = ("steps", "configuration", "statuses", "info", "name")


@pytest.fixture(scope="module")
def whole() -> dict[str, Any]:
    episode: dict[str, Any] = episode_of(DRAWN_2X2, rows=2, columns=2).toJSON()
    return episode


@given(field=st.sampled_from(FIELDS), value=JSON)
@settings(max_examples=60)
def test_any_other_content_is_read_or_refused_in_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, whole: dict[str, Any], field: str, value: object
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.json"
    path.write_text(json.dumps({**whole, field: value}), encoding="utf-8")
    refusal = str(path)
    try:
        assert len(read_replays(path).records) == 1
    except ValueError as error:
        refusal = str(error)
    assert str(path) in refusal
    assert "\n" not in refusal


# --- logs


def test_a_log_has_the_times_and_the_errors_of_one_seat(tmp_path: Path) -> None:
    env = episode_of("44")  # the first seat has no third move
    first = read_agent_log(write_log(env, tmp_path, 0), seat=1)
    assert len(first.seconds) == 2
    assert first.errors == ((1, "StopIteration"),)
    assert all(0 <= seconds < 1 for seconds in first.seconds)
    second = read_agent_log(write_log(env, tmp_path, 1), seat=2)
    assert (len(second.seconds), second.errors) == (1, ())
    assert second.overtime(0.0) == sum(second.seconds)


def test_logs_of_both_seats_in_one_file_and_of_one_alone_are_read(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    entry = {"duration": 0.5, "stdout": "", "stderr": ""}
    other = {"duration": 2.5, "stdout": "", "stderr": "warning\n"}
    path.write_text(json.dumps([[], [entry, {}], [None, other], [entry, other]]))
    assert read_agent_log(path, 1).seconds == (0.5, 0.5)
    assert read_agent_log(path, 2).seconds == (2.5, 2.5)
    assert read_agent_log(path, 2).overtime(2.0) == 1.0
    path.write_text(json.dumps([[entry], [], [other]]))
    for seat in (1, 2):
        assert read_agent_log(path, seat).seconds == (0.5, 2.5)
        assert read_agent_log(path, seat).errors == ((1, "warning"),)
    path.write_text(json.dumps([entry, other]))
    assert read_agent_log(path, 2).seconds == (0.5, 2.5)


DURATIONS = [
    f'[[{{"duration": {duration}}}]]'
    for duration in ("-1", "NaN", "1e999", "9" * 999, '"' + r"\u001b" * 99_999 + '"', nested(900))
]


@pytest.mark.parametrize(
    "text", ["", "{}", "[1]", '[[{"duration": "x"}]]', '[[{"stderr": ""}]]', *DURATIONS]
)
def test_what_is_no_log_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "log.json"
    path.write_text(text)
    with pytest.raises(ValueError, match="is not an agent's log") as refusal:
        read_agent_log(path, 1)
    assert is_sentence(refusal.value)
    with pytest.raises(OSError, match=r"cannot read .*other\.json"):
        read_agent_log(tmp_path / "other.json", 1)


@pytest.mark.parametrize(
    "name",
    [
        "episode-{episode}-agent-{agent}-logs.json",
        "{episode}-{agent}-logs.json",
        "episode-{episode}-{agent}-logs.json",
        "{episode}.{agent}.json",
        "{episode}-{agent}",
        "{episode}_{agent}.json",
    ],
)
def test_a_log_is_found_by_its_name(tmp_path: Path, name: str) -> None:
    episode = tmp_path / "replay.json"
    episode.write_text("{}")
    for number, agent in ((123, 0), (123, 1), (1234, 0), (1123, 1)):
        (tmp_path / name.format(episode=number, agent=agent)).write_text("[]")
    for seat in (1, 2):
        expected = tmp_path / name.format(episode=123, agent=seat - 1)
        assert log_beside(episode, 123, seat) == expected
        assert log_beside(tmp_path / "episode-123-replay.json", None, seat) == expected
        assert log_beside(episode, 99, seat) is None
        assert log_beside(episode, None, seat) is None
