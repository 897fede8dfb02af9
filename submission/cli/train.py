"""`connectx train`."""

from math import inf
from pathlib import Path
from typing import Annotated

import typer

from agents.output_file import require_writable
from agents.policy.training_settings import Budget, TrainingSettings, require_training_libraries
from agents.policy.trials import Trial
from submission.cli.arguments import Output
from submission.cli.games import CONNECT_FOUR, Game, GameColumns, GameInarow, GameRows, chosen_game
from submission.terminal import progress_bar, say

DEFAULT_MINUTES = 10.0


def train(
    game: Game = CONNECT_FOUR,
    rows: GameRows = None,
    columns: GameColumns = None,
    inarow: GameInarow = None,
    minutes: Annotated[float | None, typer.Option(help="How long to train.")] = None,
    steps: Annotated[
        int | None, typer.Option(help="How many of the policy's own moves to learn from.")
    ] = None,
    seed: Annotated[
        int,
        typer.Option(min=0, metavar="S", help="With --steps the same seed gives the same policy."),
    ] = 0,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from where an earlier run has ended.")
    ] = False,
    output: Output = Path("policy.npz"),
) -> None:
    """Train a policy in self-play, for `connectx build policy --option file=policy.npz`.

    It learns by sb3-contrib's MaskablePPO against its past selves and random moves, for 10 minutes
    unless --minutes or --steps says otherwise. Beside the policy it keeps a checkpoint, from which
    --resume goes on, and the curve of its games against random moves as a PNG. Needs the extra
    `train`.

    Once it learns, Ctrl-C ends it early and keeps what was learnt, with exit status 1.
    """
    require_training_libraries()
    from agents.policy.train import train_policy
    from agents.policy.training_files import TrainingFiles

    env, settings = chosen_game(game, rows, columns, inarow), TrainingSettings(seed)
    files, budget = TrainingFiles(output, env, settings), _budget(minutes, steps)
    require_writable(output)
    if not resume:
        files.checkpoint.require_new()
    earlier = files.checkpoint.read() if resume else None
    with progress_bar("Training") as show:
        outcome = train_policy(env, settings, budget, files, earlier, show)
    _report(outcome.last_trial)
    say(f"Wrote {files.policy} and {files.curve}.")
    if outcome.interrupted:
        say("Interrupted: the same command with --resume goes on from there.")
        raise typer.Exit(1)


def _budget(minutes: float | None, steps: int | None) -> Budget:
    if minutes is None and steps is None:
        minutes = DEFAULT_MINUTES
    return Budget(
        inf if minutes is None else 60 * minutes,
        inf if steps is None else steps,
    )


def _report(trial: Trial) -> None:
    say(f"After {trial.steps} steps, in {trial.seconds / 60:.1f} minutes, against random moves:")
    for player, record in enumerate((trial.first, trial.second), start=1):
        won = record.won
        say(
            f"  as player {player}: {record.wins} won, {record.draws} drawn, {record.losses} lost; "
            f"{won.value:.1%} won, 95 % interval [{won.low:.1%}, {won.high:.1%}]"
        )
