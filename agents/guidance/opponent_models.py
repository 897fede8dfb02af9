"""Opponent models: the probability of each action of a player who may err.

A model is a plain function `(env, state) -> {action: probability}` for unfinished states in which
that player is to move. Actions that it leaves out are never played.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import exp, inf
from typing import Any

from agents.agent import Agent, player_sign
from agents.options import require_whole, require_within
from envs.protocol import Action, Env, State, illegal_action, require_distribution

OpponentModel = Callable[[Any, Any], Mapping[Any, float]]

SLIP = 0.02  # the least probability of an opponent's action when a mixture is updated
NEGLIGIBLE = 0.005  # less likely models of a mixture are ignored, except the likeliest


def uniform_replies(env: Env[State, Action], state: State) -> Mapping[Action, float]:
    """Any action, each with the same probability."""
    actions = env.get_available_actions(state)
    return {action: 1.0 / len(actions) for action in actions}


def epsilon_greedy(agent: Agent, epsilon: float, samples: int = 1) -> OpponentModel:
    """A model that plays the agent's action, or with probability `epsilon` any action.

    An agent that draws its actions is asked for several `samples`, whose shares estimate its
    probabilities; one is enough for a deterministic agent, without randomness and time limits.
    Raises ValueError if `epsilon` is not from 0, with which the model always follows the agent, to
    1, or `samples` is not a whole number of at least 1.
    """
    require_within("epsilon", epsilon, 0, 1)
    require_whole("samples", samples, 1)
    return partial(_epsilon_greedy, agent, epsilon, samples)


def _epsilon_greedy(
    agent: Agent, epsilon: float, samples: int, env: Env[State, Action], state: State
) -> Mapping[Action, float]:
    replies = uniform_replies(env, state)
    probabilities = {action: epsilon * chance for action, chance in replies.items()}
    for _ in range(samples):
        probabilities[agent.act(env, state)] += (1.0 - epsilon) / samples
    return probabilities


def softmax(agent: Agent, temperature: float) -> OpponentModel:
    """A model that prefers actions to which `agent` gives a high value.

    The probabilities are proportional to exp(value / temperature), with values from the view of
    the player to move: an action whose value is lower by the temperature is 1 / e times as likely.

    Raises:
        ValueError: `temperature` is not above 0; or, when called, the agent leaves out actions:
            it must examine all, as minimax without a time limit does.
    """
    _require_temperature(temperature)
    return partial(_softmax, agent, temperature)


def _softmax(
    agent: Agent, temperature: float, env: Env[State, Action], state: State
) -> Mapping[Action, float]:
    values = agent.search(env, state).action_values
    actions = env.get_available_actions(state)
    if any(action not in values for action in actions):
        raise ValueError(
            f"softmax needs the value of every action, which {agent} does not give: choose minimax"
        )
    sign = player_sign(env, state)
    return preferences({action: sign * values[action] for action in actions}, temperature)


def visit_shares(agent: Agent, temperature: float, favourite: float = 0.0) -> OpponentModel:
    """A model that prefers actions that a tree search has visited often.

    The probabilities are proportional to visits ^ (1 / temperature): 1 gives the shares of visits,
    near 0 the most visited action; with probability `favourite` it plays the agent's action
    instead. If the root is proven, the agent's action has probability 1. The agent must grow a new
    tree for each state, like `mcts` and `alphazero` with `keep_tree` false. Raises ValueError if
    `temperature` is not above 0, `favourite` is not from 0 to 1, or the agent grows no tree.
    """
    _require_temperature(temperature)
    require_within("favourite", favourite, 0, 1)
    if not hasattr(agent, "tree"):
        raise ValueError(
            f"visit_shares needs a tree search, such as mcts or alphazero, not {agent}"
        )
    return partial(_visit_shares, agent, temperature, favourite)


def _visit_shares(
    agent: Any, temperature: float, favourite: float, env: Env[State, Action], state: State
) -> Mapping[Action, float]:
    action = agent.search(env, state).action
    root = agent.tree.root
    most = max((child.visits for child in root.children.values()), default=0)
    if root.proven is not None or not most:
        return {action: 1.0}
    children = root.children.items()
    drawn = in_proportion(
        {move: (child.visits / most) ** (1.0 / temperature) for move, child in children}
    )
    return {
        move: (1.0 - favourite) * chance + favourite * (move == action)
        for move, chance in drawn.items()
    }


def _require_temperature(temperature: float) -> None:
    if not 0 < temperature < inf:
        raise ValueError(f"temperature must be above 0 and finite, not {temperature!r}")


class Remembered:
    """A model that calls another one only once for each state of a game."""

    def __init__(self, model: OpponentModel) -> None:
        self._model = model
        self._known: dict[Any, Mapping[Any, float]] = {}

    def __call__(self, env: Env[State, Action], state: State) -> Mapping[Action, float]:
        """The model's probabilities."""
        if state not in self._known:
            self._known[state] = self._model(env, state)
        return self._known[state]


def posterior(
    weights: Sequence[float], chances: Sequence[float], least: float
) -> tuple[float, ...]:
    """The probability of each of several models after an action, by Bayes' theorem.

    `chances` are the probabilities that the models gave to the action. Each counts as at least
    `least`, above 0, so that no single action, which may be a mistake, refutes a model.
    """
    updated = [
        weight * (chance if chance > least else least)
        for weight, chance in zip(weights, chances, strict=True)
    ]
    total = sum(updated)
    return tuple([weight / total for weight in updated])


class OpponentMixture:
    """A model that mixes several models, at least one; each is right with some probability.

    The weights, at least 0, say how likely each model is; None: all equally likely. Raises
    ValueError for no models, the wrong number of weights, or impossible weights.
    """

    def __init__(
        self, models: Sequence[OpponentModel], weights: Sequence[float] | None = None
    ) -> None:
        if not models:
            raise ValueError("a mixture of opponents needs at least one model")
        chosen = [1.0] * len(models) if weights is None else list(weights)
        if len(chosen) != len(models):
            raise ValueError(f"there are {len(chosen)} weights for {len(models)} models")
        total = sum(chosen)
        if not (0 < total < inf and min(chosen) >= 0):
            raise ValueError(f"weights must be at least 0 and one above 0, not {chosen}")
        self.models = tuple(models)
        self.weights = tuple(weight / total for weight in chosen)
        """How likely each model is; they add up to 1."""

    def __call__(self, env: Env[State, Action], state: State) -> Mapping[Action, float]:
        """The mean of the models' probabilities; raises like `probabilities_of`."""
        mixed = dict.fromkeys(env.get_available_actions(state), 0.0)
        least = min(NEGLIGIBLE, max(self.weights))
        for model, weight in zip(self.models, self.weights, strict=True):
            if weight >= least:
                for action, probability in probabilities_of(model, env, state).items():
                    mixed[action] += weight * probability
        return in_proportion(mixed)

    def after(self, env: Env[State, Action], state: State, action: Action) -> "OpponentMixture":
        """The mixture after the opponent has played an action, by Bayes' theorem.

        No single action refutes a model, because it may be a mistake.

        Raises:
            ValueError: the action is illegal, or like `probabilities_of`.
        """
        legal = env.get_available_actions(state)
        if action not in legal:
            raise illegal_action(action, state, legal)
        told = [probabilities_of(model, env, state).get(action, 0.0) for model in self.models]
        return OpponentMixture(self.models, posterior(self.weights, told, SLIP))


def preferences(merits: Mapping[Action, float], temperature: float) -> dict[Action, float]:
    """The probability of each action, in proportion to exp(merit / temperature)."""
    best = max(merits.values())
    return in_proportion(
        {action: exp((merit - best) / temperature) for action, merit in merits.items()}
    )


def in_proportion(weights: Mapping[Action, float]) -> dict[Action, float]:
    """The probability of each action, in proportion to its weight."""
    total = sum(weights.values())
    return {action: weight / total for action, weight in weights.items()}


def opponent_models(
    agent: Agent, epsilon: float, temperature: float
) -> Mapping[str, OpponentModel]:
    """The models by name, for an opponent that looks ahead as `agent` does.

    Raises like `epsilon_greedy` and `softmax`.
    """
    return {
        "uniform": uniform_replies,
        "epsilon_greedy": epsilon_greedy(agent, epsilon),
        "softmax": softmax(agent, temperature),
    }


def probabilities_of(
    model: OpponentModel, env: Env[State, Action], state: State
) -> Mapping[Action, float]:
    """The actions that the model may take in `state`, with their probabilities.

    Raises:
        ValueError: the model returns no mapping, an illegal action, a negative probability, or
            probabilities that do not sum to 1.
    """
    probabilities = model(env, state)
    if not isinstance(probabilities, Mapping):
        raise ValueError(
            f"the opponent model gives {probabilities!r} in {state}: a dict of the actions' "
            "probabilities is expected"
        )
    actions = env.get_available_actions(state)
    for action in probabilities:
        if action not in actions:
            raise ValueError(
                f"the opponent model gives the illegal action {action!r} in {state}: legal: "
                f"{', '.join(map(repr, actions))}"
            )
    require_distribution(f"the opponent model in {state}", probabilities.values())
    return {action: probability for action, probability in probabilities.items() if probability}
