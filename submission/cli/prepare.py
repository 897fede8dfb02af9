"""`connectx prepare`."""

from pathlib import Path

import typer

from submission.checking.check import check_submission
from submission.cli.arguments import CORES, AgentName, Games, Options, Output, Seed, Source, Workers
from submission.cli.build import write_bundle
from submission.cli.check import show_check
from submission.cli.console import console, say
from submission.cli.running import Run, require_complete
from submission.evaluating.evaluation_report import render_evaluation
from submission.evaluating.pairing import against_each
from submission.evaluating.players import find_player
from submission.evaluating.settings import Settings
from submission.upload import upload_command


def prepare(
    agent: AgentName,
    option: Options = None,
    source: Source = None,
    output: Output = Path("submission.py"),
    games: Games = 2,
    seed: Seed = 0,
    workers: Workers = CORES,
) -> None:
    """Build, check and evaluate a submission, one after the other.

    It plays against Kaggle's random and negamax.

    Exit status 0 only when Kaggle would accept it.
    """
    settings = Settings(games, seed, opening_plies=0)
    write_bundle(agent, option or [], source, output)
    report = check_submission(output)
    show_check(report)
    if not report.accepted:
        raise typer.Exit(1)
    opponents = [find_player(name) for name in ("random", "negamax")]
    pairings = against_each(find_player(str(output)), opponents)
    evaluation = Run(workers).play(f"Evaluating {output}:", pairings, settings)
    console.print(render_evaluation(evaluation))
    require_complete(evaluation.ending)
    say(f"Submit it with: {upload_command(str(output), agent)}")
