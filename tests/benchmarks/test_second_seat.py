"""Points of the second seat, and the simulated seasons that tell what they are worth."""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, combinations, product
from math import sqrt
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.registry import agent_from_text
from agents.reporting.stats import Estimate, score_estimate
from benchmarks import __main__ as command_line
from benchmarks.strength import seeded_games
from benchmarks.strength.season import (
    KINDS,
    LONGEST,
    LUCK,
    TRAPS,
    Rating,
    Standing,
    play_season,
    roster,
    season_report,
    simulate,
    standings_of,
    updated,
)
from benchmarks.strength.second_seat import (
    BOOK_OPPONENTS,
    NETWORK_OPPONENTS,
    PLAYERS,
    REPORTED_OPPONENTS,
    Encounter,
    Opponent,
    Pool,
    opponents_of,
    play_encounters,
)
from benchmarks.strength.seeded_games import (
    Pairing,
    Played,
    draws_numbers,
    play_game,
    play_pairings,
    takes_seed,
)
from envs import ConnectFour, TicTacToe, state_from_moves
from envs.board import moves_text
from tests.helpers.benchmark_reports import run_benchmark
from tests.helpers.trained_policies import policy_file

REPORTED = [text for texts in REPORTED_OPPONENTS.values() for text in texts]
LOST, DRAWN, WON = Played((3,), 1.0), Played((3, 3), 0.0), Played((3, 3, 3), -1.0)

ratings = st.builds(Rating, st.floats(0, 1500), st.floats(5, 300))


def encounter(*games: Played) -> Encounter:
    return Encounter("player", Opponent("group", "opponent"), games)


def test_no_opponent_is_in_both_pools_or_twice_in_one() -> None:
    agents = [agent_from_text(text) for text in [*REPORTED, *BOOK_OPPONENTS]]
    assert len(agents) > 80
    assert not [(one, other) for one, other in combinations(agents, 2) if one == other]
    assert all(map(agent_from_text, [*PLAYERS, *KINDS]))


def test_a_pool_is_chosen_by_name_and_by_a_part_of_it(tmp_path: Path) -> None:
    reported, book, everyone = (
        [opponent.specification for opponent in opponents_of(pool)] for pool in Pool
    )
    assert everyone == reported + book
    assert {opponent.group for opponent in opponents_of(Pool.ALL, only="LEVELS")} == {"levels"}
    assert [each.specification for each in opponents_of(Pool.BOOK, only="mcts:sim")] == [
        f"mcts:simulations={number}" for number in (400, 800, 2500, 8000)
    ]
    file = policy_file(ConnectFour(), tmp_path)
    trained_anew = opponents_of(Pool.BOOK, [file], only="weights.npz")
    assert len(trained_anew) == len(NETWORK_OPPONENTS)
    for opponent in trained_anew:
        assert agent_from_text(opponent.specification).weights == file  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="cannot play"):
        opponents_of(Pool.REPORTED, [policy_file(TicTacToe(), tmp_path)])


@pytest.mark.parametrize(
    ("text", "seeded", "draws"),
    [
        ("greedy", False, False),
        ("alphabeta:depth=4", False, False),
        ("random", True, True),
        ("random:seed=1", False, False),
        ("level:n=5", True, True),
        ("mcts", True, True),
        ("alphazero:simulations=50,root=gumbel", True, False),
        ("alphazero:temperature=0.5", True, True),
        ("alphazero:noise=0.25", True, True),
        ("policy", True, False),
        ("policy:temperature=1", True, True),
    ],
)
def test_who_draws_random_numbers(text: str, seeded: bool, draws: bool) -> None:
    assert (takes_seed(text), draws_numbers(text)) == (seeded, draws)


def test_a_game_is_played_by_the_rules_and_follows_from_its_seed() -> None:
    env, pairing = ConnectFour(), Pairing("random", "greedy")
    games = [play_game(pairing, seed) for seed in range(5)]
    assert len(set(games)) == 5
    assert play_game(pairing, seed=4) == games[4]
    for game in games:
        state = state_from_moves(env, moves_text(game.columns))
        assert not env.get_available_actions(state)
        assert game.result == {1: 1.0, 2: -1.0, None: 0.0}[env.winner(state)]


@pytest.fixture
def in_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Games are played here; a process would load all that plays once more."""
    monkeypatch.setattr(seeded_games, "local_executor", ThreadPoolExecutor)


@pytest.mark.usefixtures("in_threads")
def test_more_games_are_played_only_where_they_may_differ() -> None:
    pairings = [
        Pairing("greedy", "greedy"),
        Pairing("policy", "greedy"),
        Pairing("random", "greedy"),
        Pairing("greedy", "random"),
    ]
    games = play_pairings(pairings, 7, seed=3, workers=1)
    assert [(len(its), len(set(its))) for its in games] == [(1, 1), (2, 1), (7, 7), (7, 7)]
    assert [len(its) for its in play_pairings(pairings, 1, seed=3, workers=1)] == [1, 1, 1, 1]


def test_the_number_of_workers_changes_nothing(request: pytest.FixtureRequest) -> None:
    opponents = [Opponent("weak", "random"), Opponent("weak", "level:n=2")]
    two = play_encounters(["greedy"], opponents, 5, seed=0, workers=2)
    request.getfixturevalue("in_threads")
    one = play_encounters(["greedy"], opponents, 5, seed=0, workers=1)
    assert one == two
    assert [each.opponent for each in one] == opponents
    assert play_encounters(["greedy"], opponents, 5, seed=1, workers=1) != one


def test_the_interval_is_that_of_the_distinct_games() -> None:
    often = encounter(*[LOST] * 98, DRAWN, WON)
    assert often.distinct == 3
    assert often.tally == (1, 1, 98)
    assert often.score.value == pytest.approx(0.015)
    assert often.score == score_estimate(3 * 0.015, 3)
    assert encounter(*[WON] * 100).score == score_estimate(1, 1)
    erring = [encounter(*games).errs for games in ((LOST, LOST), (LOST, DRAWN), (WON,))]
    assert erring == [False, True, True], "an opponent errs who does not win every game"


def posterior(first: Rating, second: Rating, result: int) -> Sequence[tuple[float, float]]:
    """The mean and the deviation of both skills after an episode, by summing up over a grid."""
    grid = np.linspace(-8, 8, 801)
    one, two = first.mu + first.sigma * grid[:, None], second.mu + second.sigma * grid[None, :]
    ahead = (one - two) / (LUCK * sqrt(2))
    steps = np.linspace(-60, 60, 120_001)
    density = np.exp(-(steps**2) / 2)
    won = np.interp(ahead, steps, np.cumsum(density) / density.sum())
    likelihood = {1: won, -1: 1 - won, 0: np.exp(-(ahead**2) / 2)}[result]
    weights = likelihood * np.exp(-(grid[:, None] ** 2 + grid[None, :] ** 2) / 2)
    weights /= weights.sum()
    means = [float((weights * skill).sum()) for skill in (one, two)]
    squares = [
        float((weights * (skill - mean) ** 2).sum())
        for skill, mean in zip((one, two), means, strict=True)
    ]
    return [(mean, sqrt(square)) for mean, square in zip(means, squares, strict=True)]


@pytest.mark.parametrize("result", [1, 0, -1])
@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Rating(), Rating()),
        (Rating(700, 100), Rating(600, 200)),
        (Rating(500, 30), Rating(900, 60)),
    ],
)
def test_a_rating_has_the_moments_that_bayes_theorem_gives(
    first: Rating, second: Rating, result: int
) -> None:
    for rating, moments in zip(
        updated(first, second, result), posterior(first, second, result), strict=True
    ):
        assert rating == pytest.approx(moments, rel=1e-3)


@given(ratings, ratings)
def test_the_winner_rises_and_the_loser_falls(first: Rating, second: Rating) -> None:
    winner, loser = updated(first, second, 1)
    assert winner.mu >= first.mu
    assert loser.mu <= second.mu
    assert 0 < winner.sigma <= first.sigma
    assert 0 < loser.sigma <= second.sigma
    rise, fall = winner.mu - first.mu, second.mu - loser.mu
    assert rise / first.sigma**2 == pytest.approx(fall / second.sigma**2, rel=1e-6, abs=1e-9)
    assert [*chain(*updated(second, first, -1))] == pytest.approx([*loser, *winner])


def by_order(kinds: Sequence[str]) -> dict[Pairing, tuple[float, ...]]:
    """Who stands before the other always wins; equals draw."""
    order = {kind: place for place, kind in enumerate(kinds)}
    return {
        Pairing(*pair): (float(np.sign(order[pair[1]] - order[pair[0]])),)
        for pair in product(kinds, repeat=2)
    }


def test_who_always_wins_ends_first() -> None:
    kinds = list("abcdefghij")
    final = play_season(kinds, by_order(kinds), 2000, Random(1))
    standings = standings_of(kinds, final)
    assert [standings[kind].rank for kind in kinds] == list(range(1, 11))
    assert standings["a"] == Standing(max(final).mu, 1.0)


def test_kinds_share_the_mean_of_their_players() -> None:
    final = [Rating(mu, 10) for mu in (900, 500, 700, 100)]
    assert standings_of(["a", "b", "b", "a"], final) == {
        "a": Standing(500, 2.5),
        "b": Standing(600, 2.5),
    }


@pytest.mark.parametrize("players", [20, 55, 200])
def test_a_tenth_of_the_players_is_perfect(players: int) -> None:
    kinds = roster(players)
    assert len(kinds) == players
    assert kinds.count(TRAPS) == kinds.count(LONGEST) == players // 20
    numbers = [kinds.count(kind) for kind in KINDS[2:]]
    assert max(numbers) - min(numbers) <= 1


def test_seasons_repeat_and_tell_who_is_ahead() -> None:
    seasons, again, others = (simulate(by_order(KINDS), 40, 2000, 3, seed) for seed in (1, 1, 2))
    assert seasons == again != others
    gains = [each[TRAPS].mu - each[LONGEST].mu for each in seasons.standings]
    assert min(gains) > 0
    title, _, gain = season_report(seasons)
    assert str(title).startswith("Means of 3 simulated seasons of 40 players and 2000 episodes")
    assert f"by +{sum(gains) / 3:.1f} ± " in str(gain)


@pytest.mark.usefixtures("in_threads")
def test_the_command_counts_points(tmp_path: Path) -> None:
    path = tmp_path / "points.json"
    words = ["second-seat", "--only", "policy:temperature=0", "--games", "3", "--workers", "1"]
    words += ["--player", "greedy", "--player", "random", "--json", str(path)]
    assert "A is `greedy`; B is `random`" in run_benchmark(*words)
    figures = json.loads(path.read_text(encoding="utf-8"))["timings"]
    of_greedy = next(each for each in figures if each["opponent"] == "policy:temperature=0")
    share = Estimate(*(of_greedy[name] for name in ("points", "low", "high")))
    assert of_greedy["player"] == "greedy"
    assert (of_greedy["games"], of_greedy["distinct"]) == (2, 1)
    assert share == score_estimate(of_greedy["wins"] / 2 + of_greedy["draws"] / 4, 1)
    assert {each["games"] for each in figures if each["player"] == "random"} == {3}


def test_the_command_simulates_seasons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_line, "measured_outcomes", lambda *_: by_order(KINDS))
    path = tmp_path / "season.json"
    words = ["season", "--players", "20", "--episodes", "200", "--seasons", "2"]
    run_benchmark(*words, "--json", str(path))
    content = json.loads(path.read_text(encoding="utf-8"))
    assert len(content["timings"]) == len(KINDS) ** 2
    assert content["timings"][1] == {
        "first": TRAPS,
        "second": LONGEST,
        "wins": 1,
        "draws": 0,
        "losses": 0,
    }
