"""`connectx train`."""

from collections.abc import Callable
from math import inf
from pathlib import Path
from time import monotonic
from typing import Annotated

import typer

from agents.agent import OnProgress
from agents.policy.training.learner import (
    LEARNERS,
    Budget,
    TrainingSettings,
    find_method,
    require_training_libraries,
)
from agents.policy.training.training import Training, Trials
from agents.policy.training.training_files import TrainingFiles
from agents.reporting.output_file import held, require_distinct, require_writable
from submission.cli.arguments import Output
from submission.cli.games import CONNECT_FOUR, Game, GameColumns, GameInarow, GameRows, chosen_game
from submission.terminal import progress_bar, say

DEFAULT_MINUTES = 10.0


def train(
    method: Annotated[
        str,
        typer.Option(
            metavar="|".join(LEARNERS),
            help="; ".join(f"{name}: {entry.summary}" for name, entry in LEARNERS.items()) + ".",
        ),
    ] = next(iter(LEARNERS)),
    game: Game = CONNECT_FOUR,
    rows: GameRows = None,
    columns: GameColumns = None,
    inarow: GameInarow = None,
    minutes: Annotated[
        float | None,
        typer.Option(metavar="M", help="How long to train, with all that belongs to it."),
    ] = None,
    rounds: Annotated[
        int | None,
        typer.Option(metavar="N", help="How many rounds to train, of some 5 to 30 seconds."),
    ] = None,
    simulations: Annotated[
        int | None,
        typer.Option(metavar="N", help="alphazero: of the search for each move of self-play."),
    ] = None,
    width: Annotated[
        int | None,
        typer.Option(metavar="N", help="alphazero, distill: hidden neurons of the network."),
    ] = None,
    positions: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="distill: what `connectx positions --labels 1000000 --output FILE` has written.",
        ),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="alphazero, distill: the policy to begin with, a file, or `zero` or `distilled`.",
        ),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(metavar="S", help="With --rounds the same seed gives the same policy."),
    ] = 0,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from where an earlier run has ended.")
    ] = False,
    output: Output = Path("policy.npz"),
) -> None:
    """Train a policy, for `connectx build alphazero --option weights=policy.npz`.

    A round is games or positions and the steps that learn from them; between rounds the policy is
    put on trial, without a search: in solved positions, and in games against its own past, from
    which its Elo comes. It trains for 10 minutes unless --minutes or --rounds says otherwise.

    Beside policy.npz it keeps the curves of these figures as policy.png and, for `tensorboard
    --logdir policy.tensorboard`, as logs; and policy.checkpoint, from which --resume goes on, with
    the same options and a larger --minutes or --rounds. All are up to date after each round. Ctrl-C
    ends the training early, with exit status 1, and keeps what was learnt up to the last round.

    Every game is learnt so, as in `connectx train --game tictactoe --minutes 2`. Needs the extra
    `train`.
    """
    require_training_libraries()
    from agents.policy.training.curves import open_curves

    begun = monotonic()
    env, chosen = chosen_game(game, rows, columns, inarow), find_method(method)
    settings = TrainingSettings(seed, simulations, width, positions, weights)
    chosen.require_fitting(settings)
    budget, files = _budget(minutes, rounds), TrainingFiles.of(output, env, method, settings)
    written = files.policy, files.checkpoint, files.picture
    require_distinct(*written, read=[positions])
    for path in written:
        require_writable(path)
    with held(files.policy):
        files.require(earlier=resume)
        with progress_bar("Training") as show:
            training = Training(chosen(env, settings), Trials(env), begun=begun)
            if resume:
                files.restore(training)
            with open_curves(files.picture, files.logs, training) as curves:

                def keep(training: Training) -> None:
                    files.keep(training)
                    curves.add(training)

                interrupted = _is_interrupted(training, budget, keep, show)
    _report(training, files)
    if interrupted:
        say("Interrupted: the same command with --resume goes on from there.")
        raise typer.Exit(1)


def _budget(minutes: float | None, rounds: int | None) -> Budget:
    if minutes is None and rounds is None:
        minutes = DEFAULT_MINUTES
    return Budget(
        inf if minutes is None else 60 * minutes,
        inf if rounds is None else rounds,
    )


def _is_interrupted(
    training: Training, budget: Budget, keep: Callable[[Training], None], show: OnProgress
) -> bool:
    """Train; whether Ctrl-C has ended it.

    Raises:
        KeyboardInterrupt: it came before anything was learnt.
    """
    try:
        training.run(budget, keep, show)
    except KeyboardInterrupt:
        if not training.rounds:
            raise
        return True
    return False


def _report(training: Training, files: TrainingFiles) -> None:
    """Say how far the training has come, and what it has written."""
    done, trial = training.rounds[-1], training.trials.held[-1]
    say(f"Trained up to round {done.number}, in {done.seconds / 60:.1f} minutes.")
    say(f"Its trial after round {trial.rounds}, without a search:")
    elo = trial.elo
    say(
        f"  against its past: Elo {elo.value:+.0f} above the beginning, "
        f"95 % interval [{elo.low:+.0f}, {elo.high:+.0f}]"
    )
    if trial.judgement is None:
        say("  no figures of solved positions, for no solver takes this board")
    else:
        keeping, best = (
            f"{share.value:.1%} [{share.low:.1%}, {share.high:.1%}]" for share in trial.judgement
        )
        say(f"  in solved positions: {keeping} of its moves keep the result, {best} are best")
    say(f"Wrote {files.policy}, {files.picture} and {files.logs}.")
