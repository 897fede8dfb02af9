"""Mixtures of opponent models, by Bayes' theorem written out, and the visits of tree searches."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents import MinimaxAgent, make_agent
from agents.guidance.opponent_models import (
    SLIP,
    OpponentMixture,
    OpponentModel,
    Remembered,
    probabilities_of,
    uniform_replies,
    visit_shares,
)
from envs import ConnectX, TicTacToe, state_from_moves

ENV = ConnectX(4, 4, 3)
BEGIN = ENV.initial_state()


def always(*chances: float) -> OpponentModel:
    """A model that plays each column as often as it is said, wherever it is."""
    return lambda env, state: dict(enumerate(chances))


shares = st.lists(st.integers(0, 9), min_size=4, max_size=4).filter(any)


@given(st.lists(st.tuples(shares, st.integers(1, 9)), min_size=1, max_size=4))
def test_a_mixture_is_the_mean_of_its_models(parts: list[tuple[list[int], int]]) -> None:
    models = [always(*(share / sum(counts) for share in counts)) for counts, _ in parts]
    mixture = OpponentMixture(models, [weight for _, weight in parts])
    total = sum(weight for _, weight in parts)
    for column, chance in mixture(ENV, BEGIN).items():
        mean = sum(weight * counts[column] / sum(counts) for counts, weight in parts) / total
        assert chance == pytest.approx(mean)


def test_of_many_models_none_is_too_unlikely_to_be_asked() -> None:
    mixture = OpponentMixture([always(0.25, 0.75, 0.0, 0.0)] * 300)
    assert mixture(ENV, BEGIN) == pytest.approx({0: 0.25, 1: 0.75, 2: 0.0, 3: 0.0})


def test_what_is_played_tells_who_plays() -> None:
    """Of two players, one of whom likes the left column nine times as well, by hand."""
    left, right = always(0.9, 0.1, 0.0, 0.0), always(0.1, 0.9, 0.0, 0.0)
    mixture = OpponentMixture([left, right], [0.25, 0.75])
    seen = mixture.after(ENV, BEGIN, 0)
    assert seen.weights == pytest.approx((0.25 * 0.9 / 0.3, 0.75 * 0.1 / 0.3))
    assert seen.after(ENV, BEGIN, 1).weights == pytest.approx(mixture.weights)
    assert mixture.weights == (0.25, 0.75)
    with pytest.raises(ValueError, match=r"illegal action 4 in .*: legal: 0, 1, 2, 3"):
        mixture.after(ENV, BEGIN, 4)


def test_no_model_is_refuted_by_one_move() -> None:
    mixture = OpponentMixture([always(1.0, 0.0, 0.0, 0.0), always(0.0, 1.0, 0.0, 0.0)])
    assert mixture.after(ENV, BEGIN, 0).weights == pytest.approx(
        (1 / (1 + SLIP), SLIP / (1 + SLIP))
    )
    assert mixture.after(ENV, BEGIN, 3).weights == mixture.weights


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ([], "at least one model"),
        ([1.0], "1 weights for 2 models"),
        ([0.0, 0.0], "at least 0 and one above 0"),
        ([1.0, -0.5], "at least 0 and one above 0"),
        ([1.0, float("inf")], "at least 0 and one above 0"),
        ([1.0, float("nan")], "at least 0 and one above 0"),
    ],
)
def test_weights_that_cannot_be_are_refused(weights: list[float], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        OpponentMixture([uniform_replies] * (2 if weights else 0), weights)


def test_a_wrong_model_in_a_mixture_is_refused_in_a_sentence() -> None:
    mixture = OpponentMixture([uniform_replies, always(0.5, 0.0, 0.0, 0.0)])
    with pytest.raises(ValueError, match="must sum to 1"):
        mixture(ENV, BEGIN)
    with pytest.raises(ValueError, match="must sum to 1"):
        mixture.after(ENV, BEGIN, 0)


def test_a_remembered_model_is_asked_once() -> None:
    asked = list[Any]()

    def model(env: Any, state: Any) -> Mapping[int, float]:
        asked.append(state)
        return uniform_replies(env, state)

    model_once = Remembered(model)
    following = ENV.get_next_state(BEGIN, 0)
    for state in (BEGIN, following, BEGIN, following):
        assert model_once(ENV, state) == uniform_replies(ENV, state)
    assert asked == [BEGIN, following]


@pytest.mark.parametrize("env", [ConnectX(), TicTacToe()], ids=repr)
def test_visits_become_chances(env: Any) -> None:
    agent = make_agent("mcts", simulations=400, seed=3, keep_tree=False, weights=None)
    state = state_from_moves(env, "44" if isinstance(env, ConnectX) else "5")
    for temperature, favourite in ((0.5, 0.0), (1.0, 0.0), (4.0, 0.0), (0.5, 0.25)):
        model = visit_shares(agent, temperature, favourite)
        chances = probabilities_of(model, env, state)
        visits = {
            action: child.visits
            for action, child in agent.tree.root.children.items()  # type: ignore[attr-defined]
        }
        raised = {action: count ** (1 / temperature) for action, count in visits.items()}
        for action, chance in chances.items():
            drawn = (1 - favourite) * raised[action] / sum(raised.values())
            is_favourite = visits[action] == max(visits.values())
            assert chance == pytest.approx(drawn + favourite * is_favourite)
    won = "121212" if isinstance(env, ConnectX) else "1425"
    proven = visit_shares(agent, 1.0)(env, state_from_moves(env, won))
    assert proven == {0 if isinstance(env, ConnectX) else 2: 1.0}


def test_the_action_itself_is_certain_where_no_child_was_visited() -> None:
    env = ConnectX()
    agent = make_agent("alphazero", simulations=1, keep_tree=False)
    chances = visit_shares(agent, 1.0)(env, env.initial_state())
    assert chances == {agent.act(env, env.initial_state()): 1.0}


def test_visits_are_asked_of_tree_searches_alone() -> None:
    with pytest.raises(ValueError, match="needs a tree search"):
        visit_shares(MinimaxAgent(), 1.0)
    for temperature in (0.0, -1.0, float("inf"), float("nan")):
        with pytest.raises(ValueError, match="temperature must be above 0 and finite"):
            visit_shares(make_agent("mcts"), temperature)
    with pytest.raises(ValueError, match=r"favourite must be from 0 to 1, not 1\.5"):
        visit_shares(make_agent("mcts"), 1.0, favourite=1.5)
