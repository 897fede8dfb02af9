import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submission.evaluating.evaluation import FORMAT, Ending, Evaluation, Identity, Versions
from submission.evaluating.game_record import GameConfiguration, GameRecord, Result
from submission.evaluating.players import PlayerKind
from tests.game_records import OPPONENT_FAILED, PLAYER_FAILED, WIN, evaluation_of

seats = st.integers(1, 2)
statuses = st.sampled_from(["DONE", "ERROR", "INVALID", "TIMEOUT"])
rewards = st.sampled_from([None, -1, 0, 1])
seconds = st.lists(st.floats(0, 1e4)).map(tuple)
records = st.builds(
    GameRecord,
    opponent=st.text(),
    game=st.integers(0),
    seed=st.integers(0),
    seat=seats,
    columns=st.lists(st.integers(0)).map(tuple),
    statuses=st.tuples(statuses, statuses),
    rewards=st.tuples(rewards, rewards),
    result=st.sampled_from(Result),
    durations=st.tuples(seconds, seconds),
    cause=st.none() | st.text(),
    stderr=st.lists(st.text()).map(tuple),
)
identities = st.builds(Identity, st.text(), st.sampled_from(PlayerKind), st.none() | st.text())
evaluations = st.builds(
    Evaluation,
    player=identities,
    opponents=st.lists(identities, max_size=3).map(tuple),
    configuration=st.builds(
        GameConfiguration,
        rows=st.integers(1),
        columns=st.integers(1),
        inarow=st.integers(1),
        act_timeout=st.floats(0.001, 1e6),
    ),
    seed=st.integers(0),
    games=st.integers(1),
    versions=st.builds(Versions, st.text(), st.text(), st.text()),
    ending=st.sampled_from(Ending),
    records=st.lists(records, max_size=5).map(tuple),
)


@given(evaluations)
def test_json_gives_back_the_evaluation(evaluation: Evaluation) -> None:
    assert Evaluation.from_json(evaluation.to_json()) == evaluation


def test_json_is_plain_also_where_elo_is_infinite() -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    document = json.loads(evaluation_of(WIN).to_json(), parse_constant=refuse)
    (summary,) = document["summaries"]
    assert summary["elo"]["value"] == "inf"
    assert float(summary["elo"]["low"]) < 0
    assert summary["score"]["value"] == 1.0


def test_json_holds_who_played_and_every_game() -> None:
    document = json.loads(evaluation_of(WIN, PLAYER_FAILED, OPPONENT_FAILED).to_json())
    assert document["player"] == {"name": "hero", "kind": "file", "sha256": "0" * 64}
    assert document["versions"].keys() == {"package", "kaggle_environments", "python"}
    assert [game["result"] for game in document["records"]] == [
        "win",
        "player failed",
        "opponent failed",
    ]
    assert document["records"][1]["rewards"] == [None, 0]


def test_current_versions_are_those_installed() -> None:
    versions = Versions.current()
    assert versions.kaggle_environments.startswith("1.")
    assert versions.python.startswith("3.")


def changed(field: str, value: object) -> str:
    document = json.loads(evaluation_of(WIN).to_json())
    return json.dumps({**document, field: value})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must be JSON"),
        ("[]", "must have the format"),
        ('{"steps": []}', "must have the format"),
        (changed("format", FORMAT.replace("1", "2")), "not 'connectx evaluation, version 2'"),
        (changed("records", [{}]), "damaged"),
        (changed("ending", "exploded"), "damaged"),
        (changed("configuration", {"rows": "six"}), "damaged"),
        (changed("opponents", None), "damaged"),
    ],
)
def test_other_files_are_refused_in_one_sentence(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as refusal:
        Evaluation.from_json(text)
    assert "connectx evaluate --json" in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_only_ctrl_c_is_an_interruption() -> None:
    evaluation = evaluation_of(WIN)
    interrupted = {ending: replace(evaluation, ending=ending).interrupted for ending in Ending}
    assert interrupted == {
        Ending.COMPLETE: False,
        Ending.INTERRUPTED: True,
        Ending.WORKER_DIED: False,
    }
