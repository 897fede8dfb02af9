"""`connectx evaluate`."""

from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Annotated

import typer

from submission.cli.arguments import CORES, ActTimeout, Columns, Games, Inarow, Rows, Seed, Workers
from submission.cli.console import console
from submission.evaluating.evaluate import evaluate as run_evaluation
from submission.evaluating.evaluation import Evaluation
from submission.evaluating.evaluation_report import render_evaluation
from submission.evaluating.game_record import GameConfiguration
from submission.evaluating.players import find_player
from submission.evaluating.replay import game_to_show, replay_html
from submission.evaluating.workers import local_executor
from submission.output_file import require_writable
from submission.progress import progress_bar


def evaluate(
    player: Annotated[
        str,
        typer.Argument(
            metavar="PLAYER",
            help="Kaggle's `random` or `negamax`; an agent, as in `mcts:simulations=500,seed=1`; "
            "or the path of a submission file.",
        ),
    ],
    against: Annotated[list[str], typer.Option(metavar="PLAYER", help="An opponent; repeatable.")],
    games: Games = 20,
    seed: Seed = 0,
    workers: Workers = CORES,
    rows: Rows = 6,
    columns: Columns = 7,
    inarow: Inarow = 4,
    act_timeout: ActTimeout = 2.0,
    json: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write every game as JSON.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the replay of a game not won.")
    ] = None,
) -> None:
    """Play against opponents on Kaggle's own environment.

    Seats alternate. Ctrl-C ends the evaluation with the games that were played until then.
    """
    for path in (json, html):
        if path is not None:
            require_writable(path)
    configuration = GameConfiguration(rows, columns, inarow, act_timeout)
    evaluation = play_and_report(player, against, games, seed, workers, configuration)
    if json is not None:
        json.write_text(evaluation.to_json(), encoding="utf-8")
    if html is not None:
        page = replay_html(game_to_show(evaluation.records), evaluation)
        html.write_text(page, encoding="utf-8")


def play_and_report(
    player: str,
    against: Sequence[str],
    games: int,
    seed: int,
    workers: int,
    configuration: GameConfiguration,
) -> Evaluation:
    """Play the matches and print their table."""
    evaluated, opponents = find_player(player), [find_player(name) for name in against]
    total = games * len(opponents)
    played = count(1)
    with progress_bar(f"Evaluating {player}") as show, local_executor(workers) as executor:
        show(0, total, "")
        evaluation = run_evaluation(
            evaluated,
            opponents,
            games=games,
            seed=seed,
            executor=executor,
            configuration=configuration,
            on_game=lambda record: show(next(played), total, f"against {record.opponent}"),
        )
    console.print(render_evaluation(evaluation))
    return evaluation
