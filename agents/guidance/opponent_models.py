"""Opponent models: the probability of each action of a player who may err.

A model is a plain function `(env, state) -> {action: probability}` for states in which the game
goes on and that player is to move. Actions that it leaves out are never played.
"""

from collections.abc import Callable, Mapping
from functools import partial
from math import exp, inf
from typing import Any

from agents.agent import Agent
from envs.protocol import Action, Env, State, require_distribution

OpponentModel = Callable[[Any, Any], Mapping[Any, float]]


def uniform_replies(env: Env[State, Action], state: State) -> Mapping[Action, float]:
    """Any action, each with the same probability."""
    actions = env.get_available_actions(state)
    return {action: 1.0 / len(actions) for action in actions}


def epsilon_greedy(agent: Agent, epsilon: float) -> OpponentModel:
    """A model that plays as `agent` does, but any action with probability `epsilon`.

    Args:
        agent: should repeat its choices, as those without randomness and time limits do.
        epsilon: from 0, where the agent is followed always, to 1.

    Raises:
        ValueError: `epsilon` is something else.
    """
    if not 0 <= epsilon <= 1:
        raise ValueError(f"epsilon must be between 0 and 1, not {epsilon!r}")
    return partial(_epsilon_greedy, agent, epsilon)


def _epsilon_greedy(
    agent: Agent, epsilon: float, env: Env[State, Action], state: State
) -> Mapping[Action, float]:
    probabilities = {
        action: epsilon * probability for action, probability in uniform_replies(env, state).items()
    }
    probabilities[agent.act(env, state)] += 1.0 - epsilon
    return probabilities


def softmax(agent: Agent, temperature: float) -> OpponentModel:
    """A model that prefers an action the more, the more `agent` thinks that it is worth.

    The probabilities are proportional to exp(value / temperature), with values from the view of
    the player to move.

    Args:
        agent: must examine all actions, as minimax without a time limit does.
        temperature: above 0; an action that is worth so much less than another is 1 / e times as
            likely.

    Raises:
        ValueError: `temperature` is something else; or, when asked, the agent leaves out actions.
    """
    if not 0 < temperature < inf:
        raise ValueError(f"temperature must be above 0 and finite, not {temperature!r}")
    return partial(_softmax, agent, temperature)


def _softmax(
    agent: Agent, temperature: float, env: Env[State, Action], state: State
) -> Mapping[Action, float]:
    values = agent.search(env, state).action_values
    actions = env.get_available_actions(state)
    if any(action not in values for action in actions):
        raise ValueError(
            f"softmax needs the value of every action, which {agent} does not tell: choose minimax"
        )
    sign = 1 if env.current_player(state) == 1 else -1
    return preferences({action: sign * values[action] for action in actions}, temperature)


def preferences(merits: Mapping[Action, float], temperature: float) -> dict[Action, float]:
    """The probability of each action, in proportion to exp(merit / temperature).

    Args:
        merits: what each action is worth to the player who chooses.
        temperature: above 0.
    """
    best = max(merits.values())
    weights = {action: exp((merit - best) / temperature) for action, merit in merits.items()}
    total = sum(weights.values())
    return {action: weight / total for action, weight in weights.items()}


def opponent_models(
    agent: Agent, epsilon: float, temperature: float
) -> Mapping[str, OpponentModel]:
    """The models by name, for an opponent that looks ahead as `agent` does.

    Raises:
        ValueError: as `epsilon_greedy` and `softmax` do.
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
        ValueError: the model gives no mapping, an illegal action, a negative probability, or
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
                f"the opponent model takes the action {action!r} in {state}: legal: "
                f"{', '.join(map(repr, actions))}"
            )
    require_distribution(f"the opponent model in {state}", probabilities.values())
    return {action: probability for action, probability in probabilities.items() if probability}
