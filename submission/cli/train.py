"""`connectx train`."""

import sys
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext
from math import inf
from pathlib import Path
from time import monotonic

import typer

from agents.agent import OnProgress
from agents.parallel.workers import CORES
from agents.policy.training.learner import (
    LEARNERS,
    Budget,
    TrainingSettings,
    find_method,
    require_training_libraries,
)
from agents.policy.training.training import Training, Trials
from agents.policy.training.training_files import TrainingFiles
from agents.reporting.output_file import held
from submission.cli.arguments import require_files
from submission.cli.games import CONNECT_X, GAME_OPTIONS, chosen_game
from submission.cli.options import declared, flag, setting
from submission.executors.work import chosen_executor
from submission.reports import elo_interval, share_in_words
from submission.terminal import progress_bar, say

DEFAULT_MINUTES = 10.0


@declared(
    GAME_OPTIONS,
    method=setting(
        "|".join(LEARNERS),
        "; ".join(f"{name} learns {entry.summary}" for name, entry in LEARNERS.items()) + ".",
    ),
    minutes=setting(
        "M",
        "How long to train, including trials and the start.",
        default=f"{DEFAULT_MINUTES:g}, unless --rounds is given",
    ),
    rounds=setting(
        "N",
        "Number of rounds, each of some 5 to 60 seconds.",
        default="as many as --minutes allows",
    ),
    simulations=setting("N", "alphazero: simulations for each move of self-play.", default="64"),
    width=setting("N", "Number of hidden units of the network's first layer.", default="352"),
    positions=setting(
        "FILE", "distill: labels made by `connectx positions --labels 1000000 --output FILE`."
    ),
    weights=setting(
        "FILE", "The policy to begin with: a file, `zero` or `distilled`.", default="random weights"
    ),
    seed=setting("S", "With --rounds the same seed gives the same policy."),
    workers=setting(
        "K", "alphazero: processes that play.", default="threads of this process, one per core"
    ),
    dask=setting("ADDRESS", "alphazero: play on the cluster of this Dask scheduler."),
    resume=flag("Continue where an earlier run ended."),
)
def train(
    method: str = next(iter(LEARNERS)),
    game: str = CONNECT_X,
    rows: int | None = None,
    columns: int | None = None,
    inarow: int | None = None,
    minutes: float | None = None,
    rounds: int | None = None,
    simulations: int | None = None,
    width: int | None = None,
    positions: Path | None = None,
    weights: str | None = None,
    seed: int = 0,
    workers: int | None = None,
    dask: str | None = None,
    resume: bool = False,
    output: Path = Path("policy.npz"),
) -> None:
    """Train a policy network, for `connectx build alphazero --option weights=policy.npz`.

    In each round the policy learns from games or positions. Between rounds it is put on trial,
    without a search: in solved positions, and in games against its past selves, which give its Elo.

    The curves of these figures are kept beside policy.npz, as the picture policy.png and as logs
    for `tensorboard --logdir policy.tensorboard`. --resume goes on from policy.checkpoint, with the
    same options and a larger --minutes or --rounds. All files are up to date after each round.
    Ctrl-C ends the training early, with exit status 1, and keeps the last complete round. If the
    output goes to a file, each round adds a line to it.

    With --seed and --rounds the policy is the same for any number of --workers; if a worker dies,
    its games are played again.

    Any game can be learnt, as in `connectx train --game tictactoe --minutes 2`. Needs the extra
    `train`.
    """
    require_training_libraries()
    from agents.policy.training.curves import open_curves

    begun = monotonic()
    env, chosen = chosen_game(game, rows, columns, inarow), find_method(method)
    settings = TrainingSettings(seed, simulations, width, positions, weights)
    chosen.require_fitting(settings, has_workers=(workers, dask) != (None, None))
    if minutes is None and rounds is None:
        minutes = DEFAULT_MINUTES
    budget = Budget(inf if minutes is None else 60 * minutes, inf if rounds is None else rounds)
    files = TrainingFiles.of(output, env, method, settings)
    written = files.policy, files.checkpoint, files.picture
    require_files(*written, read=[positions, None if weights is None else Path(weights)])
    with held(files.policy):
        files.require(earlier=resume)
        training, earlier, interrupted = None, 0, False
        try:
            with _players(workers, dask) as players, progress_bar("Training") as show:
                made = Training(chosen(env, settings, players), Trials(env), begun=begun)
                if resume:
                    files.restore(made)
                training, earlier = made, len(made.rounds)
                with open_curves(files.picture, files.logs, training) as draw:

                    def keep(training: Training) -> None:
                        files.keep(training)
                        draw(training)

                    training.run(budget, keep, _with_lines(training, show))
        except KeyboardInterrupt:
            interrupted = True
    if training is not None and training.rounds:
        _report(training, files)
        if len(training.rounds) == earlier and not interrupted:
            say("No round was left to train: --resume goes on with a larger --minutes or --rounds.")
    if interrupted:
        say(
            "Interrupted: the same command with --resume goes on from there."
            if files.checkpoint.exists()
            else "Interrupted before the end of the first round: nothing is kept."
        )
        raise typer.Exit(1)


def _players(workers: int | None, dask: str | None) -> AbstractContextManager[Executor | None]:
    """The executor that plays, if one is asked for."""
    if workers is None and dask is None:
        return nullcontext()
    return chosen_executor(CORES if workers is None else workers, dask)


def _with_lines(training: Training, show: OnProgress) -> OnProgress:
    """Show the progress and, where no bar is seen, print a line for each round."""
    told = len(training.rounds)

    def tell(done: int, total: int, words: str) -> None:
        nonlocal told
        show(done, total, words)
        if not training.trials.held:
            say(f"{words.capitalize()}.")
        if told < len(training.rounds):
            last = training.rounds[-1]
            told = last.number
            say(f"Round {told}, after {last.seconds / 60:.1f} minutes: {words}")

    return show if sys.stdout.isatty() and sys.stderr.isatty() else tell


def _report(training: Training, files: TrainingFiles) -> None:
    """Print the results of the training, and the files that it has written."""
    done, trial = training.rounds[-1], training.trials.held[-1]
    say(f"Trained up to round {done.number}, in {done.seconds / 60:.1f} minutes.")
    say(f"Its trial after round {trial.rounds}, without a search:")
    above = f"Elo {trial.elo.value:+z.0f} above the beginning"
    say(f"  against its past: {above}, 95 % interval {elo_interval(trial.elo)}")
    if trial.judgement is None:
        say("  no figures of solved positions: no solver takes this board, or nothing is at stake")
    else:
        keeping, best = map(share_in_words, trial.judgement)
        say(f"  in solved positions: {keeping} of its moves keep the result, {best} are best")
    say(f"Wrote {files.policy}, {files.picture} and {files.logs}.")
