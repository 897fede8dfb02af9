"""`connectx review`: each verdict as an independent solver has it, totals, logs and mistakes."""

import json
import platform
from pathlib import Path
from random import Random
from time import sleep
from typing import Any

import pytest

import connectx
from agents import Solver
from agents.book.opening_book import shipped_book_of
from agents.solver.solver import ScoreBounds
from agents.solver.solver_engine import solver_compilation
from envs import ConnectFour, ConnectX
from envs.board import parse_moves, state_from_moves
from submission import entry
from submission.arena.game_record import Result
from submission.kaggle import kaggle_environments
from submission.reviewing.judged_game import JudgedPly, judge, judged_plies
from tests.helpers.bitbully_judge import Judge
from tests.helpers.brute_force import BruteForce
from tests.helpers.episodes import episode_of, write_episode, write_log
from tests.helpers.shell import Shell

pytestmark = pytest.mark.usefixtures("workers_in_threads")

GAME = "27524317757611775535614151"
"""A won game of the second seat, in which both have given much away."""


@pytest.fixture(scope="module")
def solver() -> Solver:
    env = ConnectFour()
    return Solver(env, book=shipped_book_of(env))


@pytest.fixture(scope="module")
def played() -> Any:
    return episode_of(GAME)


@pytest.fixture
def folder(played: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with an episode in it, and its logs."""
    monkeypatch.chdir(tmp_path)
    write_episode(played, tmp_path)
    for agent in (0, 1):
        write_log(played, tmp_path, agent)
    return tmp_path


EPISODE = "episode-81234567-replay.json"


# --- the verdict on each ply


def verdicts(env: ConnectX, moves: str, solver: Solver) -> dict[int, JudgedPly]:
    return {ply.ply: ply for ply in judged_plies(env, parse_moves(moves), solver)}


def test_each_ply_is_judged_as_bitbully_judges_it(solver: Solver) -> None:
    judge, moves = Judge(), random_game(ConnectFour(), Random(3))
    judged = verdicts(ConnectFour(), moves, solver)
    assert [*judged] == [*reversed(range(len(moves)))]
    for ply, each in judged.items():
        scores = judge.scores(parse_moves(moves[:ply]))
        best, played = max(scores.values()), scores[int(moves[ply]) - 1]
        assert (each.player, each.action) == (ply % 2 + 1, int(moves[ply]) - 1)
        assert (each.before.lower, each.before.upper) == (best, best)
        assert (each.after.lower, each.after.upper) == (played, played)
        assert each.best == tuple(c for c, score in scores.items() if score == best)
        assert each.mistake == expected_mistake(best, played)
        assert each.decided


def random_game(env: ConnectX, rng: Random) -> str:
    state, moves = env.initial_state(), ""
    while actions := env.get_available_actions(state):
        action = rng.choice(actions)
        moves, state = f"{moves}{action + 1}", env.get_next_state(state, action)
    return moves


def expected_mistake(best: int, played: int) -> str | None:
    names = {1: "win", 0: "draw", -1: "loss"}
    before, after = names[sign(best)], names[sign(played)]
    if before != after:
        return f"{before}-to-{after}"
    return "slower" if played < best else None


def sign(number: int) -> int:
    return (number > 0) - (number < 0)


def test_another_board_is_judged_as_brute_force_judges_it() -> None:
    env, rng = ConnectX(3, 4, 3), Random(4)
    exact, solver = BruteForce(env), Solver(env, plain=True)
    for _ in range(5):
        moves = random_game(env, rng)
        for ply, each in verdicts(env, moves, solver).items():
            state = env.initial_state()
            for action in parse_moves(moves[:ply]):
                state = env.get_next_state(state, action)
            mover = 1 if state.player == 1 else -1
            worth = exact.action_value(state, each.action)
            assert each.before.outcome == mover * exact.value(state)
            assert each.after.outcome == mover * worth


def test_what_the_time_does_not_prove_is_no_mistake() -> None:
    env = ConnectX(7, 7, 4)
    solver = Solver(env, plain=True)
    (ply,) = judged_plies(env, [0], solver, time_limit=0.0)
    assert (ply.mistake, ply.decided) == (None, False)
    assert ply.before.lower < 0 < ply.before.upper
    assert ply.best == tuple(range(7))


def test_a_column_that_the_time_left_open_is_not_told_as_better(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    env = ConnectFour()
    solver = Solver(env, plain=True)
    unknown, loss, win = ScoreBounds(-21, 21), ScoreBounds(-5, -4), ScoreBounds(16, 16)
    found = {0: loss, 1: unknown, 2: unknown, 3: win, 4: unknown, 5: unknown, 6: unknown}
    monkeypatch.setattr(solver, "scores", lambda *_: found)
    mistake = judge(solver, state_from_moves(env, "5665355523"), 0, 1.0)  # column 2 would lose
    assert (mistake.mistake, mistake.best) == ("win-to-loss", (3,))


# --- the command


def test_the_moves_that_gave_something_away_are_told(shell: Shell, folder: Path) -> None:
    asked = ("--player", "Theirs", "--json", "review.json")
    words = " ".join(shell.output("review", EPISODE, *asked).split())
    assert "Theirs in 1 game" in words
    assert f"{EPISODE}, after 2: column 7 loses in 18 moves; column 3 wins in 21 moves" in words
    assert f"after {GAME[:17]}: column 5 loses in 11 moves; column 4 wins in 2 moves" in words
    document = json.loads(Path("review.json").read_text(encoding="utf-8"))
    (game,) = document["games"]
    assert (game["seat"], game["opponent"], game["result"]) == (2, "Mine", "win")
    mistakes = {ply["ply"]: ply["mistake"] for ply in game["plies"]}
    assert [*mistakes] == [*range(1, 26, 2)]
    assert [p for p, m in mistakes.items() if m == "win-to-loss"] == [1, 17, 19]
    assert document["totals"]["opening"]["win_to_loss"] == 1
    assert document["totals"]["middle game"]["win_to_loss"] == 2
    assert document["totals"]["all"] == {
        "moves": 13,
        "win_to_draw": 0,
        "win_to_loss": 3,
        "draw_to_loss": 0,
        "slower": 6,
        "undecided": 0,
    }
    assert len(game["seconds"]) == 13
    assert game["errors"] == []


def reviewed(shell: Shell) -> tuple[dict[str, Any], str]:
    """The only game of the episode, in JSON and in words."""
    said = shell.run("review", EPISODE, "--player", "Mine", "--json", "review.json").stdout
    (game,) = json.loads(Path("review.json").read_text(encoding="utf-8"))["games"]
    return game, " ".join(said.split())


def test_times_and_errors_come_from_the_logs(shell: Shell, folder: Path) -> None:
    env = episode_of("4455")
    write_episode(env, folder)
    write_log(env, folder, 0)
    game, words = reviewed(shell)
    assert (game["result"], game["cause"]) == ("player failed", "ERROR: it raised an exception")
    assert len(game["seconds"]) == 3
    assert game["errors"] == [{"ply": 4, "stderr": "StopIteration"}]
    assert "the player failed, ERROR: it raised an exception." in words
    assert f"{EPISODE}, after 4455, stderr: StopIteration" in words
    named = shell.run("review", EPISODE, "--player", "Mine", "--logs", "mine.json")
    assert (named.status, "cannot read mine.json" in named.stderr) == (2, True)


def test_the_versions_that_a_bundle_says_are_told_and_are_no_error(
    shell: Shell, folder: Path
) -> None:
    """The log is that of Kaggle's own environment."""
    connectx.build("greedy").save("mine.py")
    env = kaggle_environments().make("connectx", info={"TeamNames": ["Mine", "Theirs"]})
    env.run([str(folder / "mine.py"), "random"])
    write_episode(env, folder)
    write_log(env, folder, 0)
    game, words = reviewed(shell)
    assert game["versions"] == entry.versions()
    assert game["errors"] == []
    assert f"{EPISODE}: played with Python {platform.python_version()}, numba" in words
    assert "stderr" not in words


def test_the_versions_are_told_apart_from_a_failure_in_a_results_file(folder: Path) -> None:
    lost = connectx.build("greedy").source + "\n\ndef act(observation, configuration):\n"
    lost += "    agent(observation, configuration)\n    print('oh')\n    return 9\n"
    Path("lost.py").write_text(lost, encoding="utf-8")
    connectx.evaluate(
        "lost.py", "random", games=2, opening_plies=0, workers=1, results="g.jsonl", progress=False
    )
    review = connectx.review("g.jsonl", "lost.py", progress=False)
    for game in review.games:
        assert game.log is not None
        assert (game.log.versions, game.log.errors) == (entry.versions(), ())


@pytest.mark.thorough
def test_compiling_takes_none_of_the_time_of_a_position(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a first review: it takes longer to compile than there is for a position.

    The last one takes a million nodes; then the first seat fails.
    """
    seconds = 2.0

    class Slow:
        def is_ready(self) -> bool:
            sleep(seconds)
            return solver_compilation(ConnectFour()).is_ready()

    monkeypatch.setattr("agents.solver.solver.solver_compilation", lambda env: Slow())
    path = write_episode(episode_of("7462661634"), tmp_path)
    review = connectx.review(path, "Theirs", time_limit=0.9 * seconds, progress=False)
    assert review.games[0].plies[-1].ply == 9
    assert review.totals()["all"].undecided == 0


def test_a_results_file_is_reviewed_without_its_openings(folder: Path) -> None:
    connectx.evaluate(
        "greedy", "random", games=2, arena="own", workers=1, results="g.jsonl", progress=False
    )
    for name, result in (("greedy", Result.WIN), ("random", Result.LOSS)):
        review = connectx.review("g.jsonl", name, progress=False)
        assert len(review.games) == 2
        for game in review.games:
            assert game.record.result is result
            assert game.log is not None
            assert len(game.log.seconds) == len(game.plies)
            own = [2 + (game.record.seat == 2) + 2 * number for number in range(len(game.plies))]
            assert [ply.ply for ply in game.plies] == own
        assert "g.jsonl #2" in str(review)


def test_what_is_left_out_is_told(folder: Path) -> None:
    (folder / "episode-81234567-agent-0-logs.json").write_text("oh")
    other = write_episode(episode_of("1212121", names=("Others", "Strangers")), folder, number=7)
    review = connectx.review([EPISODE, other, EPISODE], "Mine", progress=False)
    assert [game.file.name for game in review.games] == [EPISODE]
    log, absent = review.notes
    assert "episode-81234567-agent-0-logs.json is not an agent's log" in log
    assert absent == f"{other.name}: nobody called Mine has played in it."
    assert " ".join(log.split()) in " ".join(str(review).split())
    assert "Seconds for a move" not in str(review)


def test_who_plays_against_himself_is_judged_on_both_seats(folder: Path) -> None:
    path = write_episode(episode_of("1212121", names=("Me", "Me")), folder)
    review = connectx.review(path, "Me", progress=False)
    results = [(game.record.seat, game.record.result) for game in review.games]
    assert results == [(1, "win"), (2, "loss")]
    assert " of 7 moves of 1 game; " in review.summary()[-1], "and not of two"
    assert "Me in 1 game\n" in "\n".join(map(str.rstrip, str(review).splitlines()))


def test_ctrl_c_leaves_what_was_judged(
    folder: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_episode(episode_of("1212121"), folder, number=7)
    solve, count = Solver.scores, []

    def interrupted(*arguments: object) -> object:
        count.append(1)
        if len(count) > 13:
            raise KeyboardInterrupt
        return solve(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Solver, "scores", interrupted)
    outcome = shell.run("review", EPISODE, "episode-7-replay.json", "--player", "Mine")
    assert outcome.status == 1
    assert "Interrupted after 1 game." in outcome.stdout


def test_mistakes_are_sentences(shell: Shell, folder: Path) -> None:
    env = episode_of("12121212", rows=12, columns=12, inarow=4)
    large = write_episode(env, folder, number=12).name
    (folder / "torn.json").write_text((folder / EPISODE).read_text(encoding="utf-8")[:500])
    nobody = "nobody called 'Somebody' has played in these files: choose one of 'Mine', 'Theirs'"
    for words, message in {
        f"{EPISODE} --player Somebody": nobody,
        "none.json --player Mine": "cannot read none.json",
        "torn.json --player Mine": "torn.json is neither a results file nor a whole episode",
        f"{large} --player Mine": "the solver takes boards of at most",
        f"{EPISODE} {large} --player Mine --logs x.json": "a log belongs to one episode",
        f"{EPISODE} --player Mine --json {EPISODE}": "is read and would be overwritten",
    }.items():
        assert message in shell.refusal("review", *words.split())
    with pytest.raises(ValueError, match="time_limit must be at least 0, not -1"):
        connectx.review(EPISODE, "Mine", time_limit=-1, progress=False)
