"""The timed environments all play random games, and the report says who was faster."""

import io
from collections.abc import Callable

import pytest
from rich.console import Console

from benchmarks.environments.single_environments import (
    EnvironmentMeasurement,
    EnvironmentPeer,
    EnvironmentWorkload,
    environment_report,
    environment_workloads,
    measure_environment,
)
from benchmarks.results import print_report
from benchmarks.timings import Timings

MEAN_PLIES = {"Connect Four": 21.4, "tic-tac-toe": 7.626}
"""Of games of uniformly random moves; exact for tic-tac-toe, simulated for Connect Four."""

PLAYERS = [
    pytest.param(workload.name, play, id=f"{workload.name}, {player}")
    for workload in environment_workloads()
    for player, play in [
        ("ours", workload.play),
        *((peer.name, peer.play) for peer in workload.peers),
    ]
]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(("game", "play"), PLAYERS)
def test_every_environment_plays_games_of_the_expected_length(
    game: str, play: Callable[[int], int]
) -> None:
    try:
        games = play(6000)
    except ModuleNotFoundError as missing:
        pytest.skip(str(missing))
    assert 6000 / games == pytest.approx(MEAN_PLIES[game], rel=0.06)


def test_peers_that_are_missing_are_named() -> None:
    def missing(steps: int) -> int:
        raise ModuleNotFoundError

    peers = (
        EnvironmentPeer("slow", "slow-env", lambda steps: sum(range(50 * steps))),
        EnvironmentPeer("absent", "absent-env", missing),
    )
    measured = measure_environment(EnvironmentWorkload("game", sum_of, peers), rounds=2)
    assert [peer.name for peer in measured.missing] == ["absent"]
    assert [len(timings.seconds) for timings in (measured.ours, *measured.peers)] == [2, 2]
    assert "pip install 'absent-env'" in report(measured)


def test_the_report_has_steps_a_second_and_the_ratio() -> None:
    measured = EnvironmentMeasurement(
        EnvironmentWorkload("game", sum_of, ()),
        Timings("ours", [0.000004, 0.000005, 0.000004]),
        [Timings("theirs", [0.00008, 0.00005, 0.00006])],
        [],
    )
    words = report(measured).split()
    assert "250,000" in words
    assert words[-4:] == ["theirs", "16,667", "15", "(10-20)"]


def sum_of(steps: int) -> int:
    return sum(range(steps))


def report(measured: EnvironmentMeasurement) -> str:
    text = io.StringIO()
    print_report(environment_report([measured]), Console(file=text, width=120))
    return text.getvalue()
