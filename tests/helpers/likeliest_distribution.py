"""The likeliest distribution of pairs with a given mean, by SciPy's optimiser and root finder."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

VALUES = np.array([0, 0.25, 0.5, 0.75, 1])


def likeliest_probabilities(pair_counts: Sequence[int], mean: float) -> NDArray[np.float64]:
    """The likeliest probabilities of the scores 0, 1/4, 1/2, 3/4 and 1, given their counts."""
    from scipy.optimize import minimize

    weights = np.array(pair_counts) / sum(pair_counts)
    found = minimize(
        lambda p: -np.dot(weights, np.log(p)),
        np.full(5, 0.2),
        jac=lambda p: -weights / p,
        method="SLSQP",
        bounds=[(1e-9, 1)] * 5,
        constraints=[
            {"type": "eq", "fun": lambda p: p.sum() - 1},
            {"type": "eq", "fun": lambda p: np.dot(p, VALUES) - mean},
        ],
        options={"maxiter": 500, "ftol": 1e-14},
    )
    if not found.success:
        raise ArithmeticError(found.message)
    probabilities: NDArray[np.float64] = found.x
    return probabilities


def greatest_log_likelihood(pair_counts: Sequence[int], mean: float) -> float:
    """The natural log of the greatest likelihood of any distribution with this mean.

    All outcomes must have been observed. By Lagrange's method the probabilities are
    weight / (1 + multiplier (value - mean)); A. B. Owen, "Empirical Likelihood", 2001, section 2.9.
    """
    from scipy.optimize import brentq

    weights, deviations = np.array(pair_counts) / sum(pair_counts), VALUES - mean

    def excess(multiplier: float) -> float:
        return float(np.sum(weights * deviations / (1 + multiplier * deviations)))

    lowest, highest = -1 / deviations.max(), -1 / deviations.min()
    inside = 1 - 1e-12
    multiplier = brentq(excess, lowest * inside, highest * inside, xtol=1e-14)
    return float(np.dot(pair_counts, np.log(weights / (1 + multiplier * deviations))))
