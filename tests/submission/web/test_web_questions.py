"""What a page may ask has limits; whatever is beyond them is refused in one sentence."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from agents.registry import REGISTERED
from envs import ConnectX
from submission.play.game_history import History
from submission.web.questions import (
    MoveQuestion,
    PositionQuestion,
    ReplaysQuestion,
    TreeQuestion,
    ValuesQuestion,
    parse_json,
    read,
)
from submission.web.searching.searches import PictureAsked
from submission.web.setup_form import agent_forms, game_forms

PAGE = "abcdefgh12"
POSITION = {"page": PAGE, "game": "connectx-6x7x4", "moves": "4453"}
MOVE = {**POSITION, "agent": {"name": "mcts", "options": {"simulations": 10}}, "seconds": 1}


def asked(kind: Any, fields: dict[str, Any]) -> Any:
    """What a process is asked for a page's question."""
    return read(kind, fields, strict=kind is not TreeQuestion).asked


def refused(read: Callable[..., object], *asked: Any) -> str:
    with pytest.raises(ValueError, match=r"\w") as error:
        read(*asked)
    sentence = str(error.value)
    assert "\n" not in sentence
    assert len(sentence) < 500
    return sentence


def test_a_move_is_asked_for() -> None:
    question = read(MoveQuestion, MOVE)
    asked = question.asked
    assert question.page == PAGE
    assert asked.position == History(ConnectX(), (3, 3, 4, 2))
    assert (asked.agent, asked.options, asked.seconds) == ("mcts", {"simulations": 10}, 1)


def of(name: str, **options: Any) -> dict[str, Any]:
    """An agent, as a page asks for it."""
    return {"name": name, "options": options}


BEYOND: dict[str, list[Any]] = {
    "page": ["short", "A" * 10, 7],
    "game": ["connectx-21x7x4", "connectx-0x7x4", "chess", "../../etc/passwd"],
    "moves": ["8", "1111111", "4" * 5000, None, "4-4", "1212121"],
    "seconds": [0, 31, float("inf"), True, "1"],
    "agent": [
        *("mcts", {}, {"name": "mcts", "file": "x"}, {"name": "mcts", "options": []}),
        *(of("policy", file="policy.npz"), of("perfect", repertoire="/etc/passwd")),
        *(of("perfect", threads=64), of("perfect", table_megabytes=10**6), of("level", n=11)),
        *(of("mcts", simulations=10**9), of("mcts", simulations=True), of("mcts", nonsense=1)),
        *(of("mcts", exploration="1"), of("mcts", rollout="os.system")),
        of("minimax", ordering=["natural"]),
    ],
    "more": [1],
}


@pytest.mark.parametrize(
    ("field", "value"), [(field, value) for field, values in BEYOND.items() for value in values]
)
def test_what_is_beyond_the_limits_is_refused(field: str, value: object) -> None:
    refused(asked, MoveQuestion, {**MOVE, field: value})


@pytest.mark.parametrize("missing", ["page", "game", "moves", "agent"])
def test_what_is_missing_is_named(missing: str) -> None:
    fields = {name: value for name, value in MOVE.items() if name != missing}
    assert refused(asked, MoveQuestion, fields) == f"{missing} is missing"


def test_a_game_that_is_over_has_no_values_but_is_a_position() -> None:
    over = {**POSITION, "moves": "1212121"}
    assert refused(asked, ValuesQuestion, over) == "the game is over in this position"
    position = {"game": over["game"], "moves": over["moves"]}
    assert read(PositionQuestion, position).position.is_over


@pytest.mark.parametrize(
    "text",
    ["", "null", "[]", "7", "{", '{"a": NaN}', '{"a": 1, "a": 2}', "[" * 100_000, "1" * 5000],
)
def test_what_is_no_json_object_is_refused(text: str) -> None:
    refused(parse_json, text, "the question")


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
    ("read", "kind", "right", "changes"),
    [
        (asked, TreeQuestion, TREE, NO_TREES),
        (read, PictureAsked, PICTURE, NO_PICTURES),
        (read, ReplaysQuestion, REPLAYS, NO_REPLAYS),
    ],
    ids=["tree", "picture", "replays"],
)
def test_trees_pictures_and_replays_have_limits(
    read: Any, kind: Any, right: Any, changes: Any
) -> None:
    read(kind, right)
    for changed in changes:
        refused(read, kind, {**right, **changed})


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
                agent = of(name, **{option["name"]: value})
                assert asked(MoveQuestion, {**MOVE, "agent": agent}).options == agent["options"]
