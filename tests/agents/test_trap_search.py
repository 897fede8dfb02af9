"""The search for traps against expectimax written down once more, on boards that end soon."""

from collections.abc import Mapping
from functools import partial
from operator import mul
from random import Random
from statistics import fmean

import pytest

from agents.agent import Clock, TimeUp
from agents.book.opening_book import shipped_book
from agents.guidance.opponent_models import OpponentModel, uniform_replies
from agents.solver.solver import Solver
from agents.traps.likely_replies import ExactJudge, Judge
from agents.traps.trap_search import Guess, TrapSearch, promise, steady_guess
from agents.traps.trap_tree import (
    FEW_VISITS,
    MANY_VISITS,
    Belief,
    Reply,
    ReplyTurn,
    TrapNode,
    TrapTurn,
    Trial,
    Turn,
)
from envs import BoardState, ConnectX, state_from_moves
from tests.helpers.brute_force import BruteForce, equally_good
from tests.helpers.strategies import mirrored, quiet_game

BOARDS = [ConnectX(4, 4), ConnectX(4, 4, 3), ConnectX(3, 5, 3), ConnectX(2, 6, 3)]


def replies_by_chance(env: ConnectX, state: BoardState) -> Mapping[int, float]:
    """A model that takes every win at hand, and else has likings which nothing explains.

    A position and its mirror image are answered alike.
    """
    image = mirrored(env, state)
    if image.mover + image.mask < state.mover + state.mask:
        return {
            env.columns - 1 - column: chance
            for column, chance in replies_by_chance(env, image).items()
        }
    actions = env.get_available_actions(state)
    wins = [action for action in actions if env.get_next_state(state, action).won]
    rng = Random(state.mover * 31 + state.mask)
    weights = [rng.randint(1, 5) for _ in wins or actions]
    return {
        action: weight / sum(weights)
        for action, weight in zip(wins or actions, weights, strict=True)
    }


SURE = (1.0,)
"""The belief in the only model."""


class Definition:
    """What a position brings on average to who sets traps, by looking at everything.

    In points, from 0 to 1. Won positions are worth 1: there the solver plays.
    """

    def __init__(self, env: ConnectX) -> None:
        self.env = env
        self.truth = BruteForce[BoardState, int](env)

    def result(self, state: BoardState) -> float:
        """The points of perfect play, for the player to move."""
        if state.won:
            return 0.0
        if not self.env.get_available_actions(state):
            return 0.5
        value = self.truth.value(state)
        return (1 + (value if state.player == 1 else -value)) / 2

    def keeping(self, state: BoardState) -> list[int]:
        """The moves that give nothing away."""
        return [
            action
            for action in self.env.get_available_actions(state)
            if 1 - self.result(self.env.get_next_state(state, action)) >= self.result(state)
        ]

    def points(self, state: BoardState) -> float:
        """The value of a position in which the player who sets traps is to move."""
        if self.result(state) == 1 or not self.env.get_available_actions(state):
            return self.result(state)
        return max(self.points_after(state, action) for action in self.keeping(state))

    def points_after(self, state: BoardState, action: int) -> float:
        """The value of a move."""
        child = self.env.get_next_state(state, action)
        if not self.env.get_available_actions(child):
            return 1 - self.result(child)
        return sum(
            chance * self.points(self.env.get_next_state(child, reply))
            for reply, chance in replies_by_chance(self.env, child).items()
        )


def positions(env: ConnectX, number: int) -> list[BoardState]:
    """Positions that are not won, with at most nine free cells."""
    definition, rng, found = Definition(env), Random(env.rows * env.columns), list[BoardState]()
    least = env.rows * env.columns - 9
    while len(found) < number:
        state = state_from_moves(env, quiet_game(env, rng.randint(least, least + 4), rng))
        if env.get_available_actions(state) and definition.result(state) < 1:
            found.append(state)
    return found


def any_guess(state: BoardState, turn: Turn) -> list[float]:
    """Values that nothing explains: in the end they must not count."""
    rng = Random(state.key)
    return [rng.random() for _ in turn.moves]


def begun(
    judge: Judge, state: BoardState, guess: Guess = any_guess, even_share: float = 0.0
) -> tuple[TrapSearch, TrapTurn]:
    """A search, and the node of the position that it begins with."""
    search = TrapSearch(judge.env, guess, even_share)
    return search, search.turn(state, judge.turn(state, Clock()), SURE)


def values(search: TrapSearch, state: BoardState) -> dict[int, float]:
    """The expected points of each move that was tried."""
    return {column: child.value for column, child in search.moves(state)}


def grow(search: TrapSearch, judge: Judge, root: TrapNode, trials: int) -> int:
    """Run trials; how many there were before nothing was left to learn."""
    for done in range(trials):
        trial = search.select(root)
        if trial is None:
            return done
        search.expand(trial, judge.replies(trial.state, {0: replies_by_chance}, Clock()))
    return trials


@pytest.mark.parametrize("env", BOARDS, ids=repr)
def test_to_the_end_it_finds_the_values_of_the_definition(env: ConnectX) -> None:
    definition, judge = Definition(env), Judge(Solver(env, 1))
    for state in positions(env, 12):
        search, root = begun(judge, state, even_share=0.3)
        assert grow(search, judge, root, 5000) < 5000
        for _ in range(2):
            assert root.is_settled(1)
            assert root.value == pytest.approx(definition.points(state))
            if root.children:  # a trial on another line has not told it yet
                root.values, root.closed = [0.123], 0
            search.settle_all()
        column = search.column(state)
        assert column is not None or len(judge.turn(state, Clock()).moves) == 0
        for action, value in values(search, state).items():
            assert value == pytest.approx(definition.points_after(state, action)), (state, action)
        if column is not None:
            assert definition.points_after(state, column) == pytest.approx(root.value)


@pytest.mark.parametrize("env", BOARDS, ids=repr)
def test_a_book_scores_what_it_promises(env: ConnectX) -> None:
    """Each opponent plays one line; several lines lead to a position, and there they part again."""
    judge = Judge(Solver(env, 1))
    models = {number: partial(favourite, seed=number) for number in range(4)}
    belief = (1 / len(models),) * len(models)
    for state in positions(env, 12):
        search = TrapSearch(env, any_guess)
        root = search.turn(state, judge.turn(state, Clock()), belief)
        while (trial := search.select(root)) is not None:
            asked = {number: models[number] for number in trial.models}
            search.expand(trial, judge.replies(trial.state, asked, Clock()))
        search.settle_all()
        scored = [points_of_game(search, judge, state, model) for model in models.values()]
        assert root.value == pytest.approx(fmean(scored)), state


def favourite(env: ConnectX, state: BoardState, seed: int) -> Mapping[int, float]:
    """A model that takes a win at hand, and else one of the moves, whatever the seed likes."""
    likings = replies_by_chance(env, state)
    ranked = sorted(
        likings, key=lambda action: (likings[action], min(action, env.columns - 1 - action))
    )
    return {ranked[(seed * 7 + state.mask.bit_count()) % len(ranked)]: 1.0}


def points_of_game(
    search: TrapSearch, judge: Judge, state: BoardState, model: OpponentModel
) -> float:
    """What the search's moves score against an opponent."""
    while (turn := judge.turn(state, Clock())).moves:
        column = search.column(state)
        assert column is not None
        state = search.env.get_next_state(state, column)
        if not search.env.get_available_actions(state):
            return 1.0 if state.won else 0.5
        (reply,) = model(search.env, state)
        state = search.env.get_next_state(state, reply)
    return (1 + turn.score) / 2


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_a_share_of_the_trials_goes_to_every_move_alike(share: float) -> None:
    env = ConnectX(5, 6)
    judge = Judge(Solver(env, 1))
    search, root = begun(judge, state_from_moves(env, "56146525"), steady_guess(env, 0.03), share)
    trials = grow(search, judge, root, 120)
    assert len(root.children) > 2
    fewest = min(child.visits for child in root.children if not child.closed)
    assert fewest >= share * trials / len(root.children) - 1


@pytest.mark.parametrize("favourite", range(6))
def test_the_guessed_best_move_is_tried_first(favourite: int) -> None:
    env = ConnectX(5, 6)
    state = state_from_moves(env, "56146525")

    def guess(before: BoardState, turn: Turn) -> list[float]:
        mirrored = before != state
        wanted = 5 - favourite if mirrored else favourite
        return [0.1 + 0.1 * (column == wanted) for column in turn.moves]

    search, root = begun(Judge(Solver(env, 1)), state, guess, even_share=0.3)
    trial = search.select(root)
    assert trial is not None
    following = env.get_next_state(state, favourite)
    assert trial.state == following.smaller_image(5, 6)


def test_mirror_images_are_one_node() -> None:
    env = BOARDS[0]
    judge = Judge(Solver(env, 1))
    for state in positions(env, 12):
        search, root = begun(judge, state)
        image = mirrored(env, state)
        assert search.turn(image, judge.turn(image, Clock()), SURE) is root
        grow(search, judge, root, 30)
        expected = {3 - column: value for column, value in values(search, state).items()}
        assert values(search, image) == expected


def test_trials_under_way_go_different_ways() -> None:
    """A path that was selected and has no replies yet is not the only one to be selected."""
    env = ConnectX(4, 4)
    search, root = begun(Judge(Solver(env, 1)), env.initial_state())
    leaves = set[int]()
    for _ in range(10):
        trial = search.select(root)
        assert trial is not None
        leaves.add(trial.state.mask)
    assert len(leaves) > 1


@pytest.mark.parametrize("env", BOARDS, ids=repr)
def test_an_exact_judge_offers_exactly_best_moves(env: ConnectX) -> None:
    truth, judge = BruteForce[BoardState, int](env), ExactJudge(Solver(env, 1))
    for state in positions(env, 12):
        moves = judge.turn(state, Clock()).moves
        assert sorted(moves) == equally_good(env, truth, state)


def test_replies_that_every_model_thinks_unlikely_are_left_out() -> None:
    env = ConnectX()
    judge = Judge(Solver(env, 1, book=shipped_book()))
    begin = env.initial_state()
    for chance, kept in ((0.01, [3]), (0.03, [2, 3])):
        models = {0: lambda *_: {3: 1.0}, 4: lambda *_, c=chance: {2: c, 3: 1.0 - c}}
        replies = judge.replies(begin, models, Clock())
        assert [reply.column for reply in replies] == kept
        assert replies[-1].chances == {0: 1.0, 4: 1.0 - chance}


NOTHING = Turn(-1, (0,))


def test_the_mean_of_the_models_is_expected() -> None:
    """By hand: (3 * .6 + .2) / 4 = .5 for the first reply, (3 * .4 + .8) / 4 for the second.

    Who was not asked is thought to play the mean of the others; the replies that were judged count.
    """
    search = TrapSearch(ConnectX(), steady_guess(ConnectX(), 0.1))
    node = search.reply_turn(ConnectX().initial_state(), 0.5, (0.74, 0.25, 0.01))
    trial = search.select(node)
    assert trial is not None
    assert trial.models == [0, 1]
    replies = [Reply(0, {0: 0.6, 1: 0.1}, NOTHING), Reply(1, {0: 0.4, 1: 0.4}, Turn(1, ()))]
    search.expand(trial, replies)
    assert [chances for chances, _ in node.children] == [
        pytest.approx((0.6, 0.2, 0.4)),
        pytest.approx((0.4, 0.8, 0.6)),
    ]
    guess = promise(20, -1, 0.1)
    expected = [chance * guess + (1 - chance) for chance in (0.6, 0.2, 0.4)]
    assert node.values == pytest.approx(expected)
    assert node.value == pytest.approx(sum(map(mul, (0.74, 0.25, 0.01), expected)), abs=0.01)


def begun_by_a_scout(belief: Belief) -> tuple[TrapSearch, ReplyTurn, Trial]:
    """A search of two models, the root, and the first trial, which asks the scout, the first."""
    env = ConnectX()
    search = TrapSearch(env, steady_guess(env, 0.1), scouts=1)
    root = search.reply_turn(env.initial_state(), 0.5, belief)
    trial = search.select(root)
    assert trial is not None
    assert (trial.path, trial.models) == ([root], [0])
    return search, root, trial


@pytest.mark.parametrize(
    ("told", "visits"),
    [
        ({0: NOTHING, 1: NOTHING}, MANY_VISITS),
        ({0: NOTHING, 1: Turn(-3, (0, 1))}, MANY_VISITS),
        ({0: NOTHING, 1: Turn(0, (0,))}, FEW_VISITS),
        ({0: NOTHING, 1: Turn(1, ())}, FEW_VISITS),
        ({0: Turn(0, (0,)), 1: Turn(1, ())}, FEW_VISITS),
        ({0: Turn(-1, ()), 1: Turn(1, ())}, 2),  # nothing else is left to learn
    ],
)
def test_others_are_asked_where_a_scout_may_err_and_where_many_trials_pass(
    told: Mapping[int, Turn], visits: int
) -> None:
    """Until then they are expected to play like the scout."""
    search, root, trial = begun_by_a_scout((0.5, 0.5))
    search.expand(trial, [Reply(column, {0: 0.5}, turn) for column, turn in told.items()])
    assert [chances for chances, _ in root.children] == [(0.5, 0.5)] * 2
    while (following := search.select(root)) is not None and following.path[-1] is not root:
        assert following.models == [0]
        column = search.env.get_available_actions(following.state)[-1]
        search.expand(following, [Reply(column, {0: 1.0}, NOTHING)])
    assert following is not None
    assert (root.visits, following.models) == (visits, [1])
    search.expand(following, [Reply(0, {1: 0.1}, told[0]), Reply(2, {1: 0.9}, NOTHING)])
    chances = [chances for chances, _ in root.children]
    assert chances == [(0.5, pytest.approx(0.1)), (0.5, 0.0), (0.0, pytest.approx(0.9))]


def test_scouts_are_asked_even_if_others_are_likely() -> None:
    search, root, trial = begun_by_a_scout((0.01, 0.99))
    search.expand(trial, [Reply(0, {0: 1.0}, Turn(-1, (1,)))])
    following = search.select(root)
    assert following is not None
    assert (len(following.path), following.models) == (3, [0])


def test_a_position_without_guesses_is_not_examined() -> None:
    env = ConnectX()
    search = TrapSearch(env, lambda *_: ())
    root = search.reply_turn(env.initial_state(), 0.5, SURE)
    trial = search.select(root)
    assert trial is not None
    search.expand(trial, [Reply(0, {0: 0.5}, NOTHING), Reply(1, {0: 0.5}, Turn(0, (0,)))])
    assert search.select(root) is None
    assert root.value == 0.25


def test_of_many_unlikely_replies_the_likeliest_are_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    env = ConnectX(1, 60)
    judge = Judge(Solver(env, 1))
    monkeypatch.setattr(judge, "turn", lambda *_: NOTHING)
    assert len(judge.replies(env.initial_state(), {0: uniform_replies}, Clock())) == 60


def test_the_line_of_play_tells_what_is_expected_next() -> None:
    """Who has begun on the left goes on there: the other model's liking counts less and less."""
    env = ConnectX(4, 4)
    search, begin = TrapSearch(env, steady_guess(env, 0.1)), env.initial_state()
    root = search.reply_turn(begin, 0.5, (0.5, 0.5))
    told = [Reply(0, {0: 0.9, 1: 0.1}, Turn(0, (1,))), Reply(3, {0: 0.1, 1: 0.9}, Turn(0, (2,)))]
    for _ in range(2):
        trial = search.select(root)
        assert trial is not None
        search.expand(trial, told)
    left = root.children[0][1]
    assert left.belief == pytest.approx((0.9, 0.1))
    after = left.children[0]
    assert after.belief == pytest.approx(left.belief)
    chances = [sum(map(mul, after.belief, chances)) for chances, _ in after.children]
    assert chances == pytest.approx([0.82, 0.18])


def test_a_judge_ends_with_its_time() -> None:
    env = ConnectX()
    with pytest.raises(TimeUp):
        Judge(Solver(env, 1)).turn(env.initial_state(), Clock(0))


def test_what_was_told_of_a_position_is_not_told_twice() -> None:
    """A second trial that was under way to the same position changes nothing."""
    env = ConnectX(4, 4, 3)
    search = TrapSearch(env, steady_guess(env, 0.1))
    begin = env.initial_state()
    root = search.reply_turn(begin, 0.5, SURE)
    trial = search.select(root)
    assert trial is not None
    search.expand(trial, [Reply(1, {0: 1.0}, Turn(-1, (0, 1)))])
    search.expand(trial, [Reply(2, {0: 1.0}, Turn(1, ()))])
    assert [(chances, child.score) for chances, child in root.children] == [(SURE, -1)]


@pytest.mark.parametrize(
    ("stones_left", "score", "expected"),
    [(0, 0, 0.5), (2, 0, 0.5 + (1 - 0.9**2) / 2), (3, -1, (1 - 0.9**2) / 2), (3, -3, 0.0)],
)
def test_each_reply_may_be_a_mistake(stones_left: int, score: int, expected: float) -> None:
    """One in ten; a mistake is worth half a point.

    A loss with a score of -1 is one by the opponent's last stone, and those before may go wrong.
    """
    assert promise(stones_left, score, 0.1) == pytest.approx(expected)
