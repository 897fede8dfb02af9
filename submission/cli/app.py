"""The commands, in the order in which the help shows them."""

import typer

from submission.cli.agents import agents
from submission.cli.book import book
from submission.cli.build import build
from submission.cli.check import check
from submission.cli.evaluate import evaluate
from submission.cli.explain import explain
from submission.cli.grade import grade
from submission.cli.ladder import ladder
from submission.cli.play import play
from submission.cli.positions import positions
from submission.cli.prepare import prepare
from submission.cli.report import report
from submission.cli.solve import solve
from submission.cli.train import train

HELP = """Game-tree search agents for Kaggle's ConnectX: build, check and evaluate submissions.

\b
  connectx agents                     what there is to choose from
  connectx prepare perfect            submission.py: built, checked, evaluated
  connectx build mcts --option seed=7
  connectx check submission.py
  connectx evaluate submission.py --against negamax --against mcts
  connectx ladder greedy mcts negamax who is stronger: a round robin with Elo ratings
  connectx report games.jsonl         what --results has written, as tables and as a page
  connectx grade submission.py        its moves beside the truth, in solved positions
  connectx positions --seed 7         other positions to grade with
  connectx solve 44444353             what each column is worth, exactly
  connectx book --plies 8             every position of the first plies, solved in advance
  connectx train --minutes 10         a policy that learns by playing itself
  connectx play perfect --seat 2      play against an agent, in the terminal
  connectx explain --tree "[[3, 12, 8], [2, 4, 6], [14, 5, 2]]"
                                      a search in words, as a picture, as an exercise
"""

app = typer.Typer(
    help=HELP,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

COMMANDS = (
    *(agents, build, check, prepare),
    *(evaluate, ladder, report, grade, positions),
    *(solve, book, train, play, explain),
)

for command in COMMANDS:
    app.command()(command)
