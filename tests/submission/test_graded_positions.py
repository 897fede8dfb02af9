"""The positions that players are graded by: what is in them, how they are made, their files."""

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submission.grading.position_making import (
    Style,
    drawn_moves,
    make_position_set,
    select,
    solve_all,
)
from submission.grading.solved_positions import (
    FORMAT,
    GAME,
    SHIPPED_POSITIONS,
    Outcome,
    Phase,
    PositionSet,
    PositionSettings,
    SolvedPosition,
    read_position_set,
)
from tests.helpers.bitbully_judge import Judge
from tests.helpers.refusals import is_sentence, nested
from tests.helpers.shipped_positions import SHIPPED
from tests.helpers.strategies import mirrored


def made(settings: PositionSettings, workers: int = 1) -> PositionSet:
    with ThreadPoolExecutor(workers) as executor:
        return make_position_set(settings, executor, lambda *_: None)


def sampled(phase: Phase, count: int) -> list[SolvedPosition]:
    members = [position for position in SHIPPED.positions if position.phase is phase]
    return Random(1).sample(members, count)


def test_bitbully_finds_the_same_scores_and_kinds() -> None:
    judge = Judge()
    endgames = [position for position in SHIPPED.positions if position.phase is Phase.ENDGAME]
    for position in [*sampled(Phase.OPENING, 6), *sampled(Phase.MIDDLE_GAME, 30), *endgames]:
        assert position.legal == judge.scores(position.moves)
    for position in sampled(Phase.ENDGAME, 60):
        keeping = judge.moves_that_keep_the_outcome(position.moves)
        assert list(position.keeping) == keeping
        assert list(position.best) == judge.best_moves(position.moves)
        assert (position.is_hard or position.is_tactical) >= (len(keeping) == 1)
        assert position.is_hard <= (len(keeping) == 1)


def test_equal_games_are_solved_once_and_the_progress_reaches_its_end() -> None:
    late, *others = [position.moves for position in sampled(Phase.ENDGAME, 8)]
    games = [late, *others, late, late]
    told = list[tuple[int, int]]()
    with ThreadPoolExecutor(1) as executor:
        found = solve_all(games, executor, lambda done, total, _: told.append((done, total)))
    assert [position.moves for position in found] == games
    assert told == sorted(told)  # in shards, whichever ends first
    assert (told[0], told[-1]) == ((0, 8), (8, 8))


def test_the_shipped_set_is_small_and_holds_all_kinds() -> None:
    assert SHIPPED_POSITIONS.stat().st_size < 200_000
    assert 400 <= len(SHIPPED.positions) <= 600
    for phase in Phase:
        members = [position for position in SHIPPED.positions if position.phase is phase]
        outcomes = Counter(position.outcome for position in members)
        assert min(outcomes.values()) >= len(members) / 20
        assert set(outcomes) == set(Outcome)
        assert sum(position.is_at_stake for position in members) >= len(members) * 3 / 4
        assert any(position.is_tactical for position in members)
    for ply in range(3, 40):
        members = [position for position in SHIPPED.positions if position.ply == ply]
        assert len(members) == SHIPPED.settings.per_ply
        assert sum(position.is_hard for position in members) >= len(members) / 2


def test_no_shipped_position_is_there_twice_nor_mirrored() -> None:
    boards = {position.state for position in SHIPPED.positions}
    symmetric = boards & {mirrored(GAME, state) for state in boards}
    assert len(boards) == len(SHIPPED.positions)
    assert all(mirrored(GAME, state) == state for state in symmetric)


def test_the_command_in_the_header_makes_the_shipped_positions() -> None:
    again = made(replace(SHIPPED.settings, first_ply=4, last_ply=4))
    assert again.positions == tuple(p for p in SHIPPED.positions if p.ply == 4)
    assert SHIPPED.settings.command == (
        "connectx positions --per-ply 12 --seed 0 --first-ply 0 --last-ply 40"
    )


def test_the_seed_and_not_the_workers_decides_what_is_made(tmp_path: Path) -> None:
    settings = PositionSettings(per_ply=1, first_ply=7, last_ply=7)
    position_set = made(settings, workers=2)
    assert position_set == made(settings)
    assert position_set.positions != made(replace(settings, seed=1)).positions
    (tmp_path / "made.jsonl").write_text(position_set.to_text())
    assert read_position_set(tmp_path / "made.jsonl") == position_set


@pytest.mark.parametrize("style", Style)
def test_drawn_positions_are_of_their_style(style: Style) -> None:
    for seed in range(5):
        position = SolvedPosition(drawn_moves(style, 7, Random(seed)), (0,) * 7)
        followers = GAME.get_available_actions(position.state)
        wins = [c for c in followers if GAME.get_next_state(position.state, c).won]
        assert position.ply == 7
        assert not position.state.won
        assert not (style is Style.THOUGHT and wins)


def test_what_is_at_stake_in_a_position() -> None:
    # The mover wins in column 3 alone; in column 1 it draws, elsewhere it loses; column 7 is full.
    position = SolvedPosition("", (0, -2, 5, -2, -3, -4, None))
    assert (position.score, position.outcome) == (5, Outcome.WIN)
    assert position.best == position.keeping == (2,)
    assert position.is_at_stake
    assert position.is_hard
    lost = replace(position, scores=(-1, -2, -1, None, None, None, None))
    assert (lost.outcome, lost.keeping, lost.best) == (Outcome.LOSS, (0, 1, 2), (0, 2))
    assert not lost.is_at_stake
    assert len(lost.best) < len(lost.legal)


def test_phases_are_thirds_of_the_plies() -> None:
    phases = Counter(Phase.at(ply) for ply in range(42))
    assert phases == {Phase.OPENING: 14, Phase.MIDDLE_GAME: 14, Phase.ENDGAME: 14}
    assert (Phase.at(13), Phase.at(14)) == (Phase.OPENING, Phase.MIDDLE_GAME)


@given(st.lists(st.sampled_from(SHIPPED.positions), max_size=40), st.integers(1, 12))
def test_a_selection_is_of_distinct_positions_hard_ones_first(
    candidates: list[SolvedPosition], count: int
) -> None:
    selected = select(candidates, count)
    distinct = list(dict.fromkeys(candidates))
    assert len(selected) == min(count, len(distinct))
    assert set(selected) <= set(distinct)
    hard = sum(position.is_hard for position in distinct)
    assert sum(position.is_hard for position in selected) >= min(hard, (count + 1) // 2)


def test_a_sample_is_part_of_the_set_in_its_order() -> None:
    sample = SHIPPED.sample(50, seed=3)
    assert sample == SHIPPED.sample(50, seed=3) != SHIPPED.sample(50, seed=4)
    chosen = set(sample.positions)
    assert [p for p in SHIPPED.positions if p in chosen] == list(sample.positions)
    assert SHIPPED.sample(len(SHIPPED.positions), seed=3) == SHIPPED
    assert sample.sha256 != SHIPPED.sha256


def sealed(line: str) -> bytes:
    """A file with this line, and a header that fits."""
    fields = {"format": FORMAT, "sha256": sha256(line.encode()).hexdigest(), "settings": {}}
    return f"{json.dumps(fields)}\n{line}\n".encode()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "must begin with the format 'connectx positions, version 1': make one"),
        (b"[" * 100_000, "must begin with the format 'connectx positions, version 1': make one"),
        (b"[1]\n", "must begin with the format 'connectx positions, version 1': make one"),
        (b'{"format": "connectx positions, version 9"}', "not 'connectx positions, version 9'"),
        (b"\xff\xfe", "holds no positions"),
        (b'{"format": "connectx positions, version 1"}', "were changed after they were made"),
        (sealed('{"scores": [0]}').replace(b"[0]", b"[1]"), "were changed after they were made"),
        (
            b'{"format": "connectx positions, version 1", "sha256": '
            b'"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}',
            "are damaged",
        ),
        (json.dumps({"format": "\x1b" * 100_000}).encode(), r"not '\\x1b\\x1b"),
        (sealed(nested(100_000)), "are damaged"),
        *(
            (sealed(json.dumps({"moves": moves, "scores": scores})), "are damaged")
            for moves, scores in [
                ("", ["x" * 100_000] * 7),
                ("", [0] * 6),
                ("", [0] * 6 + [22]),
                ("", [0] * 6 + [None]),
                ("", [0] * 6 + [True]),
                ("444444", [0] * 7),
                ("8" * 100_000, [0] * 7),
                ("1212121", [0] * 7),
                (5, [0] * 7),
                ("", 5),
            ]
        ),
    ],
)
def test_other_files_are_refused_in_one_sentence(
    tmp_path: Path, content: bytes, sentence: str
) -> None:
    (tmp_path / "set.jsonl").write_bytes(content)
    with pytest.raises(ValueError, match=sentence) as refusal:
        read_position_set(tmp_path / "set.jsonl")
    assert "connectx positions --output FILE" in str(refusal.value)
    assert is_sentence(refusal.value)
