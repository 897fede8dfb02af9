"""What a page may ask has limits; whatever is beyond them is refused in one sentence."""

import json
from functools import partial
from typing import Any

import pytest

from agents.registry import REGISTERED
from submission.web.questions import (
    PositionQuestion,
    ReplaysQuestion,
    move_question,
    parse_json,
    read,
    tree_question,
    values_question,
)
from submission.web.searching.searches import PictureAsked
from submission.web.setup_form import agent_forms, game_forms

PAGE = "abcdefgh12"
POSITION = {"page": PAGE, "game": "connectx-6x7x4", "moves": "4453"}
MOVE = {**POSITION, "agent": {"name": "mcts", "options": {"simulations": 10}}, "seconds": 1}


def refused(question: Any, fields: dict[str, Any]) -> str:
    with pytest.raises(ValueError, match=r"\w") as error:
        question(fields)
    sentence = str(error.value)
    assert "\n" not in sentence
    assert len(sentence) < 500
    return sentence


def test_a_move_is_asked_for() -> None:
    page, asked = move_question(MOVE)
    assert page == PAGE
    assert asked.position == ("connectx-6x7x4", (3, 3, 4, 2))
    assert (asked.agent, asked.options, asked.seconds) == ("mcts", {"simulations": 10}, 1)


@pytest.mark.parametrize(
    "changed",
    [
        {"page": "short"},
        {"page": "A" * 10},
        {"page": 7},
        {"game": "connectx-21x7x4"},
        {"game": "connectx-0x7x4"},
        {"game": "chess"},
        {"game": "../../etc/passwd"},
        {"moves": "8"},
        {"moves": "1111111"},
        {"moves": "4" * 5000},
        {"moves": None},
        {"moves": "4-4"},
        {"moves": "1212121"},
        {"seconds": 0},
        {"seconds": 31},
        {"seconds": float("inf")},
        {"seconds": True},
        {"seconds": "1"},
        {"agent": "mcts"},
        {"agent": {}},
        {"agent": {"name": "policy", "options": {"file": "policy.npz"}}},
        {"agent": {"name": "perfect", "options": {"repertoire": "/etc/passwd"}}},
        {"agent": {"name": "perfect", "options": {"threads": 64}}},
        {"agent": {"name": "perfect", "options": {"table_megabytes": 10**6}}},
        {"agent": {"name": "mcts", "options": {"simulations": 10**9}}},
        {"agent": {"name": "mcts", "options": {"simulations": True}}},
        {"agent": {"name": "mcts", "options": {"exploration": "1"}}},
        {"agent": {"name": "mcts", "options": {"rollout": "os.system"}}},
        {"agent": {"name": "mcts", "options": {"nonsense": 1}}},
        {"agent": {"name": "mcts", "options": []}},
        {"agent": {"name": "mcts", "file": "x"}},
        {"agent": {"name": "level", "options": {"n": 11}}},
        {"agent": {"name": "minimax", "options": {"ordering": ["natural"]}}},
        {"more": 1},
    ],
)
def test_what_is_beyond_the_limits_is_refused(changed: dict[str, Any]) -> None:
    refused(move_question, {**MOVE, **changed})


@pytest.mark.parametrize("missing", ["page", "game", "moves", "agent"])
def test_what_is_missing_is_named(missing: str) -> None:
    fields = {name: value for name, value in MOVE.items() if name != missing}
    assert refused(move_question, fields) == f"{missing} is missing"


def test_a_game_that_is_over_has_no_values_but_is_a_position() -> None:
    over = {**POSITION, "moves": "1212121"}
    assert refused(values_question, over) == "the game is over in this position"
    position = {"game": over["game"], "moves": over["moves"]}
    assert read(PositionQuestion, position).position.is_over


@pytest.mark.parametrize(
    "text",
    ["", "null", "[]", "7", "{", '{"a": NaN}', '{"a": 1, "a": 2}', "[" * 100_000, "1" * 5000],
)
def test_what_is_no_json_object_is_refused(text: str) -> None:
    refused(lambda fields: parse_json(fields["text"], "the question"), {"text": text})


TREE = {**POSITION, "agent": "alphabeta", "options": '{"depth": 3}', "nodes": "30"}
PICTURE = {"page": PAGE, "step": 5, "root": [3], "nodes": 60}
REPLAYS = {"file": 1, "offset": 0, "count": 200, "result": "win"}
NO_TREES = [
    {"agent": "perfect"},
    *({"options": text} for text in ("{", "[1]", '{"simulations": 1e9}', '{"engine": "fast?"}')),
    *({"nodes": nodes} for nodes in ("0", "9999", "x")),
]
NO_PICTURES = [{"step": 0}, {"step": 1.5}, {"root": "3"}, {"root": [-1]}, {"root": [0] * 500}]
NO_REPLAYS = [
    *({"file": -1}, {"file": "games.jsonl"}, {"count": 201}, {"count": 0}, {"offset": -1}),
    *({"result": "lost"}, {"failed": "yes"}, {"player": 3}),
]


@pytest.mark.parametrize(
    ("question", "right", "changes"),
    [
        (tree_question, TREE, NO_TREES),
        (partial(read, PictureAsked), PICTURE, NO_PICTURES),
        (partial(read, ReplaysQuestion), REPLAYS, NO_REPLAYS),
    ],
    ids=["tree", "picture", "replays"],
)
def test_trees_pictures_and_replays_have_limits(question: Any, right: Any, changes: Any) -> None:
    question(right)
    for changed in changes:
        refused(question, {**right, **changed})


def test_the_form_offers_every_agent_and_takes_what_it_offers() -> None:
    forms = {form["name"]: form for form in agent_forms()}
    assert list(forms) == list(REGISTERED)
    assert json.loads(json.dumps(game_forms()))[0]["sizes"]["rows"]["most"] == 20
    for name, form in forms.items():
        for option in form["options"]:
            default = option["default"]
            assert option["help"]
            if option["type"] == "choice":
                assert default in option["choices"]
            if option["type"] in {"integer", "number"} and default is not None:
                assert option["least"] <= default <= option["most"]
            nothing = [None] if option["nullable"] else []
            for value in (default, *option.get("choices", ()), *nothing):
                agent = {"name": name, "options": {option["name"]: value}}
                assert move_question({**MOVE, "agent": agent})[1].options == agent["options"]
