"""`connectx explain`."""

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from os.path import isfile
from pathlib import Path
from typing import Any

from agents.options import alternatives, check_options
from agents.perfect import PerfectAgent
from agents.registry import joined_options, parse_options, parse_specification
from agents.reporting.input_file import read_content
from agents.reporting.output_file import replace_text
from agents.trace.exercise import (
    answers,
    exercise_sheet,
    quiz_sheet,
    read_open_tree,
    solve_exercise,
)
from agents.trace.pictures.drawing import draw
from agents.trace.recorder import LIMIT as TRACE_LIMIT
from agents.trace.recording import RECORDED_SEARCHES
from agents.trace.story import trace_text
from agents.trace.subject import (
    position_subject,
    search_trace,
    textbook_tree,
    tree_subject,
    walk_lines,
)
from agents.trace.trace_json import to_json
from agents.traps.told_choice import render_choice, told_choice
from envs.board import BoardGame
from submission.cli.arguments import files_of_options, require_files
from submission.cli.games import (
    CONNECT_X,
    GAME_OPTIONS,
    chosen_game,
    game_option,
    unfinished_position,
)
from submission.cli.options import declared, flag, setting
from submission.terminal import console, say, status_line

LIMIT = 60
PERFECT = "perfect"  # the agent whose choice is explained by the replies to each move
AGENTS = alternatives([*RECORDED_SEARCHES, PERFECT])


@declared(
    GAME_OPTIONS,
    tree=setting(
        "TREE",
        "A game tree: [[3, 12, 8], {'Left': 2, 'Right': [4, '?']}]; @FILE reads it from "
        "a file, - from standard input.",
    ),
    agent=setting(
        "AGENT", f"The agent to explain, maybe with options, as in mcts:seed=1: {AGENTS}."
    ),
    depth=setting(
        "PLIES", "How far to look ahead.", default="4 in positions; to the end in trees", min=1
    ),
    quiz=flag("Show the tree and questions first, then the answers."),
    svg=setting("FILE", "Write the tree as an SVG picture."),
    json=setting("FILE", "Write the trace of the search as JSON."),
    limit=setting(
        "N", "Print at most N lines of the story and N nodes.", default=str(LIMIT), min=1
    ),
    trace_limit=setting(
        "N", "How often the search may visit nodes; 100000 visits need up to 150 MB.", min=1
    ),
    game=game_option(show_default=CONNECT_X),
)
def explain(
    tree: str | None = None,
    moves: str = "",
    agent: str = "alphabeta",
    depth: int | None = None,
    option: list[str] | None = None,
    quiz: bool = False,
    svg: Path | None = None,
    json: Path | None = None,
    limit: int | None = None,
    trace_limit: int = TRACE_LIMIT,
    game: str | None = None,
    rows: int | None = None,
    columns: int | None = None,
    inarow: int | None = None,
) -> None:
    """Show how a search thinks: its steps in words, and its tree.

    In a position of a game the agent searches as in play, but in plain Python and so without a
    network; in a tree it searches as in textbooks, from left to right and without a table. --option
    changes this.

    A list is a node, and a dict is a node with named actions. The root is max, and min and max take
    turns unless {'min': [3, 5]} or {'max': [3, 5]} says whose node it is. Chance is written as
    {'chance': [[0.5, 20], [0.5, [3, 5]]]}: pairs of a probability and a subtree. It takes a turn:
    below a chance node in min's place, the nodes are max.

    If one leaf of the tree is ?, the command says for which values of this leaf branches are
    pruned, and what the root reports.

    The agent perfect has no tree to show. For a position it gives the result, where its move comes
    from, and how many replies to each move keep the result or give it away.
    """
    agent, named = parse_specification(agent)
    if agent not in {*RECORDED_SEARCHES, PERFECT}:
        raise ValueError(f"explain shows {AGENTS}, not {agent}: choose one of these agents")
    further = [*(option or []), *([] if depth is None else [f"depth={depth}"])]
    options = joined_options(named, parse_options(further))
    if agent == PERFECT:
        _require_absent(
            "perfect describes the replies to each move, without a tree: leave --agent perfect or "
            "{} out",
            tree=tree,
            svg=svg,
            json=json,
            quiz=quiz or None,
            limit=limit,
        )
        _explain_perfect(chosen_game(game or CONNECT_X, rows, columns, inarow), moves, options)
        return
    source = None
    if tree is None:
        env = chosen_game(game or CONNECT_X, rows, columns, inarow)
        subject = position_subject(env, unfinished_position(env, moves), console.width)
    else:
        _require_absent(
            "a tree is a game of its own: leave --tree or {} out",
            moves=moves or None,
            game=game,
            rows=rows,
            columns=columns,
            inarow=inarow,
        )
        text, source = _read_tree(tree)
        exercise = read_open_tree(text)
        if exercise is not None:
            _require_absent(
                "a tree with a ? is many searches in one: leave {} out, or give the ? a number",
                svg=svg,
                json=json,
                limit=limit,
            )
            solution = solve_exercise(exercise, agent, options, trace_limit)
            if quiz:
                _quiz(exercise_sheet(exercise), solution)
            else:
                _say_lines(solution)
            return
        subject = tree_subject(textbook_tree(text))
    require_files(svg, json, read=[source, *files_of_options(options)])
    trace, shown = search_trace(subject, agent, options, trace_limit), limit or LIMIT
    if quiz:
        _quiz(quiz_sheet(subject, trace), answers(trace, subject.leaves))
    else:
        _say_lines([subject.picture, "", *walk_lines(trace, subject.leaves, shown)])
    _say_lines(["", trace_text(trace, shown)])
    if svg is not None:
        _write(svg, draw(trace))
    if json is not None:
        _write(json, to_json(trace))


def _read_tree(tree: str) -> tuple[str, Path | None]:
    """The text of a tree, and the file that it is read from, if any."""
    if tree == "-":
        return sys.stdin.read().removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}"), None
    if not tree.startswith("@"):
        if isfile(tree):  # noqa: PTH113  # a text may be too long for `Path.is_file`
            raise ValueError(f"{tree} is a file: write @{tree} for the tree in it")
        return tree, None
    source = Path(tree[1:])
    try:
        content = read_content(source, "write @ and the path of a file", "the tree ")
        return content.decode("utf-8-sig"), source
    except UnicodeDecodeError as error:
        raise ValueError(f"the tree {source} is not text: save it as UTF-8") from error


def _require_absent(reason: str, **options: object) -> None:
    """Refuse any of these options; `reason` has a placeholder for the option's name."""
    for option, value in options.items():
        if value is not None:
            raise ValueError(reason.format(f"--{option}"))


def _explain_perfect(env: BoardGame, moves: str, options: Mapping[str, Any]) -> None:
    check_options(PERFECT, PerfectAgent, options)
    agent, state = PerfectAgent(**options), unfinished_position(env, moves)
    with status_line("Solving"):
        told = told_choice(agent, env, state)
    console.print(render_choice(told, console.width))


def _quiz(sheet: Sequence[str], solution: Sequence[str]) -> None:
    """Print the questions, and then the answers; at a terminal, wait for Enter in between."""
    _say_lines(sheet)
    if sys.stdin.isatty() and sys.stdout.isatty():
        with suppress(EOFError):
            console.input("\nPress Enter for the answers. ")
    _say_lines(["", *solution])


def _say_lines(lines: Sequence[str]) -> None:
    say("\n".join(lines))


def _write(path: Path, content: str) -> None:
    replace_text(path, content)
    say(f"Wrote {path}.")
