"""Positions that others grade with: their lines, their scores, and the two figures quoted of them.

The notebook that refmoves1k came with is the authority for its lines and figures
(kaggle.com/petercnudde/scoring-connect-x-agents); BitBully is for the scores.
"""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envs import state_from_moves
from envs.board import moves_text
from submission.grading.published_sets import PublishedSet, game_to, read_positions_to_ask
from submission.grading.solved_positions import GAME, SHIPPED_POSITIONS, PositionSet, SolvedPosition
from tests.helpers.bitbully_judge import Judge
from tests.helpers.published_positions import published_positions
from tests.helpers.refusals import is_sentence
from tests.helpers.shell import Shell
from tests.helpers.strategies import quiet_game

EXAMPLE = (
    '{"board": [0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 2, 0, 0, 0, 1, '
    "0, 0, 1, 0, 0, 0, 2, 1, 0, 2, 0, 0, 0, 1, 1, 1, 2, 1, 0, 1, 2], "
    '"score": -2, "move score": [-3, -4, -4, -2, -6, -5, -4]}'
)
"""The notebook's."""
PLIES = (20, 26, 23, 30, 17, 35, 28, 21)


def kaggle_line(moves: str, judge: Judge) -> dict[str, Any]:
    """A line as the notebook describes it, with BitBully's scores."""
    state = state_from_moves(GAME, moves)
    scores = judge.scores([int(column) - 1 for column in moves])
    listed = [scores.get(column, -99) for column in range(7)]
    return {"board": GAME.to_board(state), "score": max(listed), "move score": listed}


@pytest.fixture(scope="module")
def games() -> list[str]:
    rng = Random(3)
    return [quiet_game(GAME, ply, rng) for ply in PLIES]


@pytest.fixture(scope="module")
def lines(games: list[str]) -> list[dict[str, Any]]:
    judge = Judge()
    return [kaggle_line(moves, judge) for moves in games]


def asked_of(path: Path, content: str) -> Sequence[SolvedPosition]:
    """What a player is asked of a file with this content."""
    path.write_text(content)
    found = read_positions_to_ask(path)
    assert isinstance(found, PublishedSet)
    with ThreadPoolExecutor(1) as executor:
        return found.solve(executor, lambda *_: None).positions


def test_kaggles_lines_keep_their_boards_and_scores(
    lines: list[dict[str, Any]], tmp_path: Path
) -> None:
    known = [json.loads(EXAMPLE), *lines]
    found = asked_of(tmp_path / "lines", "".join(f"{json.dumps(line)}\n\n" for line in known))
    listed = [[-99 if score is None else score for score in p.scores] for p in found]
    assert any(-99 in scores for scores in listed)
    assert listed == [line["move score"] for line in known]
    assert [GAME.to_board(p.state) for p in found] == [line["board"] for line in known]
    assert (found[0].score, found[0].best, found[0].ply) == (-2, (3,), 15)


def test_pons_lines_get_the_scores_of_their_columns(
    games: list[str], lines: list[dict[str, Any]], tmp_path: Path
) -> None:
    """With the examples of part 2 of his tutorial: a win in two moves, and a loss at once.

    Also in one of his own sets.
    """
    content = [f"{moves} {line['score']}" for moves, line in zip(games, lines, strict=True)]
    content += ["4455 18", "44455554221 -15"]
    content += [f"{moves} {score}" for moves, score in published_positions("end-easy", 25)]
    found = asked_of(tmp_path / "lines", "\n".join(content))
    assert [f"{position.moves} {position.score}" for position in found] == content
    judge = Judge()
    assert [p.legal for p in found[:8]] == [judge.scores(p.moves) for p in found[:8]]


def test_both_figures_are_the_notebooks(shell: Shell, lines: list[dict[str, Any]]) -> None:
    """Counted again as the notebook does, from the columns that were played."""
    Path("lines").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    words = "grade random --positions lines --seed 2 --workers 1 --json g.json --html g.html"
    said = shell.output(*words.split())
    document = json.loads(Path("g.json").read_text())
    good = perfect = 0
    for answer, line in zip(document["answers"], lines, strict=True):
        moves = line["move score"]
        played, best = moves[answer["column"]], max(moves)
        perfect += played == best
        good += (played > 0, played < 0) == (best > 0, best < 0)
    sentence = f"good moves {12.5 * good:.1f} %, perfect moves {12.5 * perfect:.1f} %"
    assert sentence in " ".join(said.split())
    assert sentence in Path("g.html").read_text()
    stats = document["by_kind"]["all"]
    assert stats["good"]["player"]["value"] == good / 8
    assert stats["best"]["player"]["value"] == perfect / 8


@pytest.mark.parametrize(("games", "distinct"), [("4453 5344 4453", 1), ("4453 4454", 2)])
def test_positions_that_are_repeated_are_told(shell: Shell, games: str, distinct: int) -> None:
    """Positions are equal if the same stones lie in them, in whatever order they were played."""
    judge, asked = Judge(), games.split()
    lines = [f"{moves} {max(judge.scores(moves).values())}" for moves in asked]
    Path("lines").write_text("\n".join(lines))
    said = " ".join(shell.output("grade", "greedy", "--positions", "lines", "--brief").split())
    repeated = f"Distinct positions: {distinct} of {len(asked)}." in said
    assert repeated == (distinct < len(asked))


def test_a_sample_is_drawn_before_anything_is_solved(games: list[str], tmp_path: Path) -> None:
    path = tmp_path / "positions"
    path.write_text("".join(f"{moves} 0\n" for moves in ["1", *games]))  # the first takes seconds
    found = read_positions_to_ask(path)
    assert isinstance(found, PublishedSet)
    drawn = found.sample(3, seed=5).positions
    assert drawn == found.sample(3, seed=5).positions
    assert [position.line for position in drawn] == sorted(position.line for position in drawn)
    assert isinstance(read_positions_to_ask(SHIPPED_POSITIONS), PositionSet)


@settings(max_examples=30)
@given(st.integers(0, 40), st.integers(0, 2**32 - 1))
def test_a_board_becomes_a_game_that_leads_to_it(plies: int, seed: int) -> None:
    board = GAME.to_board(state_from_moves(GAME, quiet_game(GAME, plies, Random(seed))))
    game = game_to(board)
    assert game is not None
    assert GAME.to_board(state_from_moves(GAME, moves_text(game))) == board


def changed(**fields: Any) -> str:
    return json.dumps(json.loads(EXAMPLE) | fields)


FLOATING = [1, 0, 0, 0, 0, 0, 0] + [0] * 35
NO_GAME = [0] * 28 + [1, *[0] * 6, 2, *[0] * 6]
"""Player 2's stone lies below the first one of player 1."""
WON = [0] * 35 + [1, 1, 1, 1, 0, 0, 0]
for index in (28, 29, 30):
    WON[index] = 2


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("13712 3\n4453\n", "positions, line 2 is damaged (moves and a score are expected"),
        ("13712 3\n\n4859 1\n", "positions, line 3 is damaged (move 2 of '4859' is 8"),
        ("13712 3\n1212121 0\n", "positions, line 2 is damaged (after '1212121' the game is over"),
        (f"{EXAMPLE}\n13712 3\n", "line 2 is damaged (an object with 'board' and 'move score'"),
        ("13712 3\n" + "4" * 100_000, "line 2 is damaged (moves and a score are expected"),
        ("13712 3\n" + "4" * 100_000 + " 1", "line 2 is damaged (move 7 of '4444"),
        ("13712 3\n\x1b[2J\x7f\n", r"not '\x1b[2J\x7f')"),
        (changed(score="\x1b" * 100_000), r"(the score is '\x1b"),
        (f"{EXAMPLE}\n[]\n", "positions, line 2 is damaged (an object with 'board'"),
        (changed(board=[0] * 41), "positions, line 1 is damaged ('board' must be a list of 42"),
        (changed(board=[0.0] * 42), "positions, line 1 is damaged ('board' must be a list of 42"),
        (changed(board=[3, *[0] * 41]), "positions, line 1 is damaged (cell 0 of the board is 3"),
        (changed(board=FLOATING), "positions, line 1 is damaged (a stone floats in column 0"),
        (changed(board=NO_GAME), "line 1 is damaged (no sequence of turns leads to this board"),
        (changed(board=WON), "the game is over, and won by player 1"),
        (changed(score=-3), "line 1 is damaged (the score is -3, but the best column's is -2"),
        (changed(**{"move score": [0] * 6}), "'move score' must be a list of 7 whole numbers"),
        (changed(**{"move score": [-99, *[-2] * 6]}), "the move score of column 1 is -99"),
        (changed(**{"move score": [-2] * 6 + [22]}), "the move score of column 7 is 22"),
        (
            changed(**{"move score": [-2, -4, -4, -2, -6, -5, -4]}),
            "line 1 is damaged (the move scores are -2, -4, -4, -2, -6, -5, -4, but the solver "
            "finds -3, -4, -4, -2, -6, -5, -4",
        ),
        ("4444441333\n5264137663332551471426 12\n", "must begin with the format"),
        (
            "526413766633133111176537 -2\n5264137666331331111765374 3\n",
            "line 2 is damaged (the score is 3, but the solver finds 2): delete this line",
        ),
    ],
)
def test_a_bad_line_is_one_sentence_with_its_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=r"line \d|must begin with the format") as refusal:
        asked_of(Path("positions"), content)
    assert sentence in str(refusal.value)
    assert is_sentence(refusal.value)
