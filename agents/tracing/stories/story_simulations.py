"""The simulations of a Monte Carlo tree search in words."""

from collections.abc import Iterator

from agents.tracing.labels import action_label, path_label, value_label
from agents.tracing.stories.story_names import listing
from agents.tracing.trace import ChildStatistics, SearchTrace, Selection, Simulation


def tell_simulations(trace: SearchTrace) -> Iterator[str]:
    """The simulations one after the other; n is a node's visits, t the total of its results."""
    for number, simulation in enumerate(trace.simulations, start=1):
        yield f"simulation {number}"
        for step in _steps(trace, simulation):
            yield f"  {step}"
    yield f"the search chooses {action_label(trace, trace.chosen)}"


def _steps(trace: SearchTrace, simulation: Simulation) -> Iterator[str]:
    for selection in simulation.selections:
        yield _choice(trace, selection)
    leaf = path_label(trace, simulation.path)
    if simulation.expanded:
        yield f"add {leaf}"
    if simulation.rollouts:
        yield f"rollout: {listing([value_label(trace, result) for result in simulation.rollouts])}"
    else:
        yield f"{leaf} is proven: {value_label(trace, simulation.result)}"
    yield "back up: " + "; ".join(
        f"{path_label(trace, path)} n {visits}, t {value_label(trace, total)}"
        for path, visits, total in simulation.backed_up
    )


def _choice(trace: SearchTrace, selection: Selection) -> str:
    bounds = [
        f"{action_label(trace, action)} {_standing(trace, child)}"
        for action, child in selection.children.items()
    ]
    chosen = action_label(trace, selection.chosen)
    return f"at {path_label(trace, selection.path)} select {chosen}: {listing(bounds)}"


def _standing(trace: SearchTrace, child: ChildStatistics) -> str:
    if child.proven is not None:
        return f"is proven {value_label(trace, child.proven)}"
    return f"has UCT {value_label(trace, child.uct)}"
