"""Numba's threads in the vector environments: their number, forks, several callers."""

import inspect
import os
import subprocess
import sys

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from envs.learning.random_play import LegalActionSampler
from envs.learning.vector import vector_threads
from envs.learning.vector.vector_env import TicTacToeVectorEnv
from envs.learning.vector.vector_threads import short_spins, turn_of_caller, useful_threads
from tests.helpers.processes import ROOT

pytestmark = pytest.mark.usefixtures("threads_of_single_rows")

MOST = vector_threads.threading_of_numba().config.NUMBA_NUM_THREADS


def played(threads: int) -> list[int]:
    """Play random games; return the sum of the observations after each ply."""
    env, sampler = TicTacToeVectorEnv(200, threads=threads), LegalActionSampler(1, threads)
    env.reset(seed=1)
    sums = []
    for _ in range(60):
        observations, *_ = env.step(sampler.sample(env.action_masks()))
        sums.append(observations.sum().item())
    return sums


PLAY = f"""
import os, sys
from envs.learning.vector import vector_threads
from envs.learning.vector.vector_env import TicTacToeVectorEnv
from envs.learning.random_play import LegalActionSampler

vector_threads.ROWS_OF_A_THREAD = 20

{inspect.getsource(played)}
"""
IN_FORKS_AND_BY_MANY_CALLERS = """
from concurrent.futures import ThreadPoolExecutor

def fork(when):
    if not hasattr(os, "fork"):
        return
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os._exit(played(threads=2) != played(threads=1))
    print("fork", when, os.waitpid(child, 0)[1])

fork("before")
expected = played(threads=1)
print("itself", played(threads=2) == expected)
fork("after")
with vector_threads.TURN:
    fork("during a turn")
with ThreadPoolExecutor(4) as callers:
    print("many", [*callers.map(played, [2] * 12)] == [expected] * 12)
"""
IN_A_FORK_THAT_IMPORTS = """
import os
import numba
import envs

@numba.njit(parallel=True)
def count():
    total = 0
    for number in numba.prange(100):
        total += 1
    return total

assert count() == 100
child = os.fork()
if child:
    print("child", os.waitpid(child, 0)[1], flush=True)
    os._exit(0)
"""
KERNELS_WITHOUT_NUMBA = f"""
import sys
sys.modules["numba"] = None
from envs.learning.vector import vector_boards
vector_boards.compiles = lambda: True
{PLAY}
print(played(threads=1))
"""


def run(script: str, **variables: str) -> list[str]:
    """The lines that a script prints in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | variables,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    if "No threading layer could be loaded" in done.stderr:
        pytest.skip("this machine lacks the library of the threads")
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("threads", [2, MOST, MOST + 5])
@pytest.mark.parametrize("allowed", [1, MOST])
def test_the_callers_number_of_threads_stays(threads: int, allowed: int) -> None:
    env, sampler = TicTacToeVectorEnv(300, threads=threads), LegalActionSampler(1, threads)
    env.reset(seed=1)
    numba.set_num_threads(allowed)
    env.step(sampler.sample(env.action_masks()))
    assert numba.get_num_threads() == allowed
    numba.set_num_threads(MOST)


@given(threads=st.integers(1, 64), rows=st.integers(1, 10**6))
def test_a_thread_has_enough_games_or_is_the_only_one(threads: int, rows: int) -> None:
    enough = 1024
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vector_threads, "ROWS_OF_A_THREAD", enough)
        useful = useful_threads(threads, rows)
    assert 1 <= useful <= threads
    assert useful == 1 or rows / useful >= enough
    assert useful == threads or rows / (useful + 1) < enough


@given(threads=st.integers(2, 5), sizes=st.lists(st.integers(0, 400), min_size=1, max_size=4))
def test_actions_are_drawn_alike_by_any_number_of_threads(threads: int, sizes: list[int]) -> None:
    one, many = LegalActionSampler(3), LegalActionSampler(3, threads)
    for size in sizes:
        masks = np.random.default_rng(size).integers(0, 2, (size, 7)).astype(np.int8)
        actions = one.sample(masks)
        np.testing.assert_array_equal(many.sample(masks), actions)
        assert (masks.any(1) == masks[np.arange(size), actions].astype(bool)).all()


@pytest.mark.parametrize("layer", ["omp", "workqueue"])
def test_forks_and_many_callers_play_the_same_games(layer: str) -> None:
    """GNU OpenMP would end the second fork, and callers at once abort Numba's own threads."""
    lines = run(PLAY + IN_FORKS_AND_BY_MANY_CALLERS, NUMBA_THREADING_LAYER=layer)
    forks = [line for line in lines if line.startswith("fork")]
    assert [line for line in lines if line not in forks] == ["itself True", "many True"]
    whens = ["before", "after", "during a turn"] if hasattr(os, "fork") else []
    assert forks == [f"fork {when} 0" for when in whens]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system that cannot fork")
def test_forks_play_that_load_the_environments_themselves() -> None:
    """The threads are of code outside, and the fork knows of them by `envs` alone."""
    script = IN_A_FORK_THAT_IMPORTS + PLAY + "played(threads=2)"
    assert run(script, NUMBA_THREADING_LAYER="omp") == ["child 0"]


def test_steps_are_the_same_in_plain_python() -> None:
    sums = played(threads=1)
    assert run(KERNELS_WITHOUT_NUMBA) == [str(sums)]
    assert len(set(sums)) > 20


def test_openmp_is_told_to_spin_briefly_unless_the_user_says_how(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    monkeypatch.delenv("GOMP_SPINCOUNT", raising=False)
    with short_spins():
        assert os.environ["GOMP_SPINCOUNT"] == vector_threads.SPIN_COUNT
    assert "GOMP_SPINCOUNT" not in os.environ
    monkeypatch.setenv("OMP_WAIT_POLICY", "passive")
    with short_spins():
        assert "GOMP_SPINCOUNT" not in os.environ


def test_a_fork_has_threads_of_its_own_where_its_parent_started_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(vector_threads, "IMPORTED_BY", -1)
    turn = turn_of_caller.__wrapped__
    monkeypatch.setattr(vector_threads, "running_layer", lambda: None)
    assert turn() is not None
    monkeypatch.setattr(vector_threads, "running_layer", lambda: "omp")
    assert turn() is None
