"""Growing a book of traps: on small boards to the end, by any executor, and in several runs."""

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from agents.agent import Clock
from agents.book.building.book_building import UnfinishedBook
from agents.book.building.repertoire_building import RepertoireBuilder, columns_of_book
from agents.book.building.replies_file import RepliesFile, TrapScope, joined_replies
from agents.book.building.trap_book import (
    EPSILON,
    LEAST_VISITS,
    OPENING_SHARE,
    SCOUTS,
    OnReplies,
    TrapBookBuilder,
    build_traps,
    likely_replies,
    model_of_agent,
    strong_opponents,
)
from agents.book.repertoire import Repertoire, RepertoireScope
from agents.guidance.opponent_models import uniform_replies
from agents.policy.policy_agent import PolicyAgent
from agents.registry import agent_from_text
from agents.solver.solver import Solver
from agents.traps.likely_replies import Judge
from agents.traps.trap_tree import MANY_VISITS, Reply, TrapTurn, Turn
from envs import ConnectX, state_from_moves
from tests.helpers.brute_force import BruteForce
from tests.helpers.executors import ExecutorFactory, with_every_executor

OPPONENTS = ("alphabeta:depth=2,time_limit=none", "greedy")
LOST = TrapScope(4, 4, 3, 2, OPPONENTS)
"""Player 1 wins, so that player 2 has every move to choose from."""
DRAWN = TrapScope(3, 4, 4, 1, OPPONENTS)
ENDLESS = 1e9
EMPTY, COLUMN = 0, 4
"""Keys of the empty board, and of the position after a stone of each player in the left column."""


def grown(
    scope: TrapScope,
    known: Mapping[int, Sequence[Reply]] | None = None,
    on_replies: OnReplies = lambda _: None,
    executor_of: ExecutorFactory = lambda: ThreadPoolExecutor(1),
    workers: int = 1,
) -> TrapBookBuilder:
    """A tree that has nothing left to learn."""
    builder = TrapBookBuilder(scope, 1, known or {}, on_replies)
    builder.grow_again(lambda: None)
    with executor_of() as executor:
        builder.grow(executor, workers, Clock(), lambda: None)
    assert builder.root.closed
    return builder


whole_tree = cache(grown)


@pytest.mark.parametrize("scope", [LOST, DRAWN], ids=["lost", "drawn"])
def test_no_move_of_a_book_gives_a_result_away(scope: TrapScope) -> None:
    env = ConnectX(*scope[:3])
    truth, builder = BruteForce(env), whole_tree(scope)
    judged = 0
    for node in builder.search.turns.values():
        column = builder.search.column(node.state)
        if column is not None:
            judged += 1
            assert truth.action_value(node.state, column) == truth.value(node.state)
    assert judged > 10
    chosen = [builder.search.turns[key] for key in builder.columns()]
    assert all(node.visits >= LEAST_VISITS for node in chosen)


@with_every_executor
def test_every_executor_finds_the_same_values(executor_of: ExecutorFactory) -> None:
    builder = grown(LOST, executor_of=executor_of, workers=3)
    assert builder.root.value == pytest.approx(whole_tree(LOST).root.value)


def test_replies_of_an_earlier_run_are_not_asked_for_again() -> None:
    whole, asked = whole_tree(LOST), dict[int, Any]()
    some = dict([*whole.known.items()][: len(whole.known) // 2])
    assert grown(LOST, some, asked.update).root.value == pytest.approx(whole.root.value)
    assert asked
    assert not asked.keys() & some.keys()
    again = grown(LOST, whole.known, lambda _: pytest.fail("asked once more"))
    assert again.root.value == pytest.approx(whole.root.value)


def test_opponents_like_the_scouts_are_rarely_asked() -> None:
    builder = grown(LOST._replace(opponents=("greedy",) * (SCOUTS + 2)))
    alone = grown(LOST._replace(opponents=("greedy",)))
    assert builder.root.value == pytest.approx(alone.root.value)
    asked = [{n for reply in told for n in reply.chances} for told in builder.known.values()]
    scouts = {*range(SCOUTS)}
    assert all(numbers >= scouts for numbers in asked)
    assert 0 < sum(numbers > scouts for numbers in asked) < len(asked) / 2


def test_scouts_may_answer_when_others_are_wanted_too() -> None:
    """All trials begin at the root, before anybody has answered: the last ask all opponents."""
    builder = grown(LOST._replace(opponents=("greedy",) * (SCOUTS + 2)), workers=MANY_VISITS)
    assert builder.root.value == pytest.approx(
        grown(LOST._replace(opponents=("greedy",))).root.value
    )


def test_a_run_grows_again_by_what_is_known_before_its_time_begins(tmp_path: Path) -> None:
    whole, told = whole_tree(LOST), list[tuple[int, int, str]]()
    checkpoint = RepliesFile(tmp_path / "t.replies", LOST)
    with ThreadPoolExecutor(1) as executor:
        columns = build_traps(
            checkpoint, whole.known, executor, 1, 1, 0.0, lambda *progress: told.append(progress)
        )
    assert columns
    assert len(told) >= len(whole.known)
    assert {(done, total) for done, total, _ in told} == {(0, 0)}
    promised, positions = f"{whole.root.value:.3f} points promised", len(whole.known)
    assert re.fullmatch(rf"{promised} after \d+ trials, {positions} positions", told[-1][2])
    assert len({words for *_, words in told}) == len(told)


def test_a_run_goes_on_against_a_further_opponent(tmp_path: Path) -> None:
    alone = RepliesFile(tmp_path / "t.replies", LOST._replace(opponents=OPPONENTS[:1]))
    with alone.opened(resume=False) as known:
        first = grown(alone.scope, known, alone.append).known
    both, asked = RepliesFile(alone.path, LOST), dict[int, Sequence[Reply]]()
    with both.opened(resume=True) as known:
        assert known.keys() == first.keys()
        builder = grown(LOST, known, asked.update)
        both.append(asked)
    assert builder.root.value == pytest.approx(whole_tree(LOST).root.value, abs=0.01)
    again = [reply for key in asked.keys() & first.keys() for reply in asked[key]]
    assert again
    assert all(reply.chances.keys() == {1} for reply in again)
    assert both.read().keys() == builder.known.keys()
    with pytest.raises(ValueError, match="does not belong to"):
        alone.read()


def test_the_first_move_may_be_any() -> None:
    """The opponent begins with its favourite; one game in five begins with any move."""
    env = ConnectX(4, 4, 3)
    replies = likely_replies(LOST._replace(opponents=("greedy",)), 1, env.initial_state(), [0])
    assert sorted(reply.column for reply in replies) == [0, 1, 2, 3]
    ((least, *others),) = zip(*(reply.chances.values() for reply in replies), strict=True)
    likes = [OPENING_SHARE / 4 + (1 - OPENING_SHARE) * share for share in (EPSILON / 4, 0.9625)]
    assert sorted({least, *others}) == pytest.approx(likes)
    judge = Judge(Solver(env, 1))
    for reply in replies:
        child = env.get_next_state(env.initial_state(), reply.column)
        assert reply.turn == judge.turn(child, Clock())


def test_only_the_opponents_asked_reply_and_later_ones_join_them() -> None:
    opponents = ("greedy", "greedy:heuristic=zero,ordering=natural", "random")
    state = state_from_moves(ConnectX(4, 4, 3), "12")

    def replies(*models: int) -> Sequence[Reply]:
        return likely_replies(LOST._replace(opponents=opponents), 1, state, models)

    def chances(replies: Sequence[Reply]) -> dict[int, Mapping[int, float]]:
        return {reply.column: reply.chances for reply in replies}

    first, second, both = chances(replies(0)), chances(replies(1)), chances(replies(0, 1))
    assert first != {column: {0: told[1]} for column, told in second.items()}
    rarely = {0: pytest.approx(EPSILON / 4), 1: pytest.approx(EPSILON / 4)}
    assert both == {c: {**rarely, **first.get(c, {}), **second.get(c, {})} for c in both}
    later = chances(joined_replies(replies(0), replies(1)))
    assert later == {c: {**first.get(c, {}), **second.get(c, {})} for c in {**first, **second}}
    assert later.keys() == both.keys()


def test_of_two_answers_of_an_opponent_the_first_counts(tmp_path: Path) -> None:
    """Workers ask at the same time, and searches without a seed answer differently."""
    checkpoint = RepliesFile(tmp_path / "t.replies", LOST)
    with checkpoint.opened(resume=False) as known:
        builder = TrapBookBuilder(LOST, 1, known, checkpoint.append)
        trial = builder.search.select(builder.root)
        assert trial is not None
        assert trial.models == [0, 1]
        won, lost = Turn(1, ()), Turn(-1, (0, 1))
        first = [Reply(0, {0: 1.0}, won)]
        both = [Reply(0, {0: 0.0, 1: 1.0}, won), Reply(1, {0: 1.0, 1: 0.0}, lost)]
        builder._enter(trial._replace(likely=0b01), first)
        for _ in range(2):
            builder._enter(trial, both)
    assert builder.known == {EMPTY: [Reply(0, {0: 1.0, 1: 1.0}, won)]}
    assert checkpoint.read() == builder.known


def test_tree_searches_are_modelled_by_their_visits_and_others_by_their_moves() -> None:
    env = ConnectX(4, 4, 3)
    begin = env.initial_state()
    tree = model_of_agent(agent_from_text("mcts:simulations=20,seed=1,weights=none"))
    assert len([chance for chance in tree(env, begin).values() if chance > 0.02]) > 1
    move = model_of_agent(agent_from_text("greedy"))
    assert sorted(move(env, begin).values())[-2:] == pytest.approx([0.05 / 4, 0.95 + 0.05 / 4])
    drawn = model_of_agent(agent_from_text("random:seed=1"))
    assert max(drawn(env, begin).values()) < 0.6


@pytest.mark.parametrize("temperature", [0, 1])
def test_a_policy_is_modelled_by_its_probabilities(temperature: float) -> None:
    env, policy = ConnectX(), PolicyAgent(temperature=temperature)
    state = state_from_moves(env, "4444415")
    likely = policy.chances(env, state)
    assert (max(likely.values()) == 1.0) == (temperature == 0)
    told = model_of_agent(policy)(env, state)
    assert told == pytest.approx({c: 0.95 * likely.get(c, 0.0) + 0.05 / 7 for c in range(7)})


@pytest.mark.parametrize("weights", ["zero", "netz-ü\n.npz"])
def test_the_file_of_replies_gives_back_what_was_found(tmp_path: Path, weights: str) -> None:
    scope = LOST._replace(opponents=("greedy", f"alphazero:weights={weights}"))
    checkpoint = RepliesFile(tmp_path / "t.replies", scope)
    replies = {
        EMPTY: [Reply(0, {0: 0.25, 1: 0.5}, Turn(-2, (1, 0))), Reply(3, {1: 0.5}, Turn(1, ()))],
        COLUMN: [Reply(2, {0: 1.0, 1: 0.9876}, Turn(0, (3,)))],
    }
    with checkpoint.opened(resume=False):
        checkpoint.append({EMPTY: [Reply(0, {0: 0.25}, Turn(-2, (1, 0)))]})
        checkpoint.append({EMPTY: [Reply(0, {1: 0.5}, Turn(-2, (1, 0))), replies[EMPTY][1]]})
        checkpoint.append({COLUMN: replies[COLUMN]})
    assert checkpoint.read() == replies
    with pytest.raises(ValueError, match="does not belong to"):
        RepliesFile(checkpoint.path, scope._replace(seat=1)).read()


def test_all_that_is_found_is_taken_again(tmp_path: Path) -> None:
    for number, scope in enumerate((LOST, DRAWN)):
        found, checkpoint = whole_tree(scope).known, RepliesFile(tmp_path / f"{number}", scope)
        with checkpoint.opened(resume=False):
            checkpoint.append(found)
        assert [*checkpoint.read()] == [*found]


@pytest.mark.parametrize(
    ("error", "sentence"),
    [(KeyboardInterrupt(), "Interrupted: the replies of"), (BrokenExecutor(), "A worker died")],
)
def test_an_interrupted_run_keeps_what_it_has(
    tmp_path: Path, error: BaseException, sentence: str
) -> None:
    checkpoint = RepliesFile(tmp_path / "t.replies", LOST)
    told = list[str]()

    def tell(done: int, total: int, description: str) -> None:
        told.append(description)
        if len(told) == 5:
            raise error

    with (
        ThreadPoolExecutor(1) as executor,
        pytest.raises(UnfinishedBook, match=sentence),
        checkpoint.opened(resume=False) as known,
    ):
        build_traps(checkpoint, known, executor, 1, 1, ENDLESS, tell)
    found = len(checkpoint.read())
    assert 0 < found <= len(told) == 5
    assert told[-1].endswith(f"{found} positions")


def test_the_moves_of_an_earlier_book_are_tried_first() -> None:
    env, moves = ConnectX(*LOST[:3]), RepertoireScope(*LOST[:3], -1, -1, 7)
    with ThreadPoolExecutor(1) as executor:
        found = RepertoireBuilder(moves, executor, 1, {}, lambda _: None, lambda *_: None).build()
    book, judge = columns_of_book(Repertoire(moves, found), 2), Judge(Solver(env, 1))
    builder, tried = TrapBookBuilder(LOST, 1, {}, lambda _: None, book), 0
    for _ in range(40):
        trial = builder.search.select(builder.root)
        assert trial is not None
        for turn, after in pairwise(trial.path):
            column = book.get(turn.state.key)
            if not isinstance(turn, TrapTurn) or column is None:
                continue
            if sum(child.visits for child in turn.children) == 1:
                following = env.get_next_state(turn.state, column)
                assert after.state == following.smaller_image(*LOST[:2])
                tried += column != turn.moves[0]
        models = dict.fromkeys(trial.models, uniform_replies)
        builder.search.expand(trial, judge.replies(trial.state, models, Clock()))
    assert tried


def test_the_opponents_of_every_board_play_on_it() -> None:
    for board in ((6, 7, 4), (4, 4, 3)):
        for text in strong_opponents(*board):
            assert agent_from_text(text)
