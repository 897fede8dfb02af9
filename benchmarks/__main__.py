"""Command line: `python -m benchmarks [COMMAND] …`; `--help` lists the commands."""

from asyncio import run
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from rich.console import Console
from rich.progress import track
from typer.core import TyperGroup

from agents.parallel.workers import CORES
from agents.perfect import RESISTANCES
from agents.registry import agent_from_text
from agents.reporting.output_file import replace_text, require_writable
from benchmarks.environments.single_environments import environment_report, environment_workloads
from benchmarks.environments.vector_environments import (
    OPPONENTS,
    batch_report,
    draw_batches,
    measure_batches,
    measure_opponents,
    measure_random_games,
    opponent_report,
    random_game_report,
)
from benchmarks.imports import import_report, measure_imports
from benchmarks.results import README, Report, print_report, report_json, with_results
from benchmarks.runners import RunnerWorkload, runner_report, runner_workloads
from benchmarks.searches.catalogue import search_report, search_timings, workloads
from benchmarks.searches.compilation import compilation_report, measure_compilation
from benchmarks.searches.first_call import KERNELS
from benchmarks.searches.words import RATES, WIDE_BOARDS, measure_words, word_report
from benchmarks.solver.make_positions import make_set
from benchmarks.solver.moves import CELLS, move_report, time_moves
from benchmarks.solver.positions import (
    EMPTY_BOARD,
    SETS,
    SIZE,
    SolverWorkload,
    solver_workloads,
    write_positions,
)
from benchmarks.solver.solver_peer import BitBully, CommandPeer, SolverPeer, installed_bitbully
from benchmarks.solver.solver_times import measure_solver, solver_report, solver_timings
from benchmarks.strength.comparisons import (
    KNOWN_PAIRS,
    compare_known_pairs,
    comparison_report,
)
from benchmarks.strength.hard_positions import (
    HARD_POSITIONS,
    PER_PLY,
    PLIES,
    hard_report,
    kept_results,
    make_hard_positions,
    read_hard_positions,
    write_hard_positions,
)
from benchmarks.strength.heuristics import heuristic_report, pairings, play_pairing
from benchmarks.strength.learned import (
    fitting_parts,
    learned_figures,
    learned_report,
    measure_learned,
)
from benchmarks.strength.learned_parts import PARTS, LearnedSettings, Part
from benchmarks.strength.rollouts import rollout_matches, rollout_report
from benchmarks.strength.season import (
    FEWEST_PLAYERS,
    KINDS,
    measured_outcomes,
    outcome_figures,
    season_report,
    simulate,
)
from benchmarks.strength.second_seat import (
    PLAYERS,
    Pool,
    encounter_figures,
    opponents_of,
    play_encounters,
    second_seat_report,
)
from benchmarks.strength.tie_break import MATCHES, play_matches, tie_break_report
from benchmarks.strength.value_losses import draw_positions
from benchmarks.structure import files_passed, structure_report, structures
from benchmarks.timings import Workload, measure
from benchmarks.web_pages import measure_web, started_server, web_report
from envs.compiled.jit import WORDS
from submission.executors.local_workers import local_executor


class Commands(TyperGroup):
    """Shows help uncut, and errors as one sentence; `Any` where Typer's copies of Click differ."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command; bad input or missing files and modules become usage errors."""
        try:
            return super().invoke(ctx)
        except (ModuleNotFoundError, OSError, ValueError) as error:
            raise typer.BadParameter(str(error)) from error

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the name and the help of each command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, each.help) for name, each in self.commands.items()])


app = typer.Typer(
    cls=Commands,
    help="Measure this package beside peers from PyPI. Without a command, searches, solver, "
    "environments, vectors, runners and compile run in turn.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
console = Console()

Kind = TypeVar("Kind", Workload, SolverWorkload, RunnerWorkload, Part)
Item = TypeVar("Item")

Rounds = Annotated[int, typer.Option(min=1, help="How often to time each piece of work.")]
Only = Annotated[str, typer.Option(help="Time only work whose name contains this.")]
Workers = Annotated[int, typer.Option(min=1, help="Number of games at the same time.")]


def _writable(path: Path | None) -> Path | None:
    """Refuse a file that cannot be written, before the work begins."""
    if path is not None:
        require_writable(path)
    return path


Json = Annotated[
    Path | None,
    typer.Option(metavar="FILE", callback=_writable, help="Write the report to this JSON file."),
]


@app.callback(invoke_without_command=True)
def everything(context: typer.Context) -> None:
    """Without a command, run the first timings in turn."""
    if context.invoked_subcommand is None:
        searches()
        solver()
        environments()
        vectors()
        runners()
        compilation()


@app.command()
def searches(rounds: Rounds = 5, only: Only = "", json: Json = None) -> None:
    """Time our searches beside peers and published figures."""
    chosen = choose(workloads(), only)
    measurements = [measure(workload, rounds) for workload in _track(chosen, "Timing searches")]
    _publish(search_report(measurements), json, [*map(search_timings, measurements)])


@app.command()
def solver(
    rounds: Rounds = 3,
    only: Only = "",
    json: Json = None,
    sample: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Positions of each set, instead of 100 or 20."),
    ] = None,
    empty_board: Annotated[
        bool, typer.Option("--empty-board", help="Add the empty board: minutes for each round.")
    ] = False,
    peer: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=COMMAND",
            help="A solver that you have built: it reads positions such as 4453 from standard "
            "input, one a line, and answers each with a line MOVES SCORE MICROSECONDS; repeatable.",
        ),
    ] = None,
) -> None:
    """Time the exact solver beside BitBully, and peers of your own."""
    known = [*solver_workloads(sample), *([EMPTY_BOARD] if empty_board else [])]
    chosen = choose(known, only)
    bitbully = installed_bitbully()
    peers: list[SolverPeer] = [*map(CommandPeer, peer or [])]
    if bitbully is not None:
        peers.insert(0, bitbully)
    measurements = [
        measure_solver(workload, rounds, peers) for workload in _track(chosen, "Timing solvers")
    ]
    _publish(solver_report(measurements), json, [*map(solver_timings, measurements)])


@app.command()
def moves(
    per_ply: Annotated[int, typer.Option(min=1, help="Number of positions of each ply.")] = 75,
    seed: Annotated[int, typer.Option(help="The same seed takes the same positions.")] = 1,
    resistance: Annotated[
        str, typer.Option(help=f"How it plays where it cannot win: {' or '.join(RESISTANCES)}.")
    ] = RESISTANCES[0],
    json: Json = None,
) -> None:
    """Time the perfect agent's moves in random positions of all plies: some minutes."""
    timed = _track(time_moves(per_ply, seed, resistance), "Timing moves", per_ply * CELLS)
    _publish(move_report([*timed]), json)


@app.command()
def environments(rounds: Rounds = 5, only: Only = "", json: Json = None) -> None:
    """Time single environments beside their peers."""
    chosen = choose(environment_workloads(), only)
    measured = (measure(workload, rounds) for workload in chosen)
    timed = _track(measured, "Timing environments", len(chosen))
    _publish(environment_report([*timed]), json)


@app.command()
def web(json: Json = None) -> None:
    """Time the pages of `connectx web`, with many pages open at once."""
    with started_server() as (address, _):
        taken = run(measure_web(address))
    _publish(web_report(taken), json)


@app.command("compile")
def compilation(json: Json = None) -> None:
    """Time how long compiled searches take to get ready."""
    measured = _track(measure_compilation(), "Compiling", len(KERNELS))
    _publish(compilation_report([*measured]), json)


@app.command()
def imports(rounds: Rounds = 5, json: Json = None) -> None:
    """Time the imports of our packages and `connectx --help`, beside peers."""
    _publish(import_report([*measure_imports(rounds)]), json)


@app.command()
def vectors(
    rounds: Rounds = 5,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", callback=_writable, help="Draw a chart, as PNG or SVG."),
    ] = None,
    json: Json = None,
) -> None:
    """Time the vector environments beside pgx, by the size of the batch."""
    games = random_game_report([*measure_random_games(rounds)])
    measured = [*_track(measure_batches(rounds), "Timing batches")]
    _publish([*games, *batch_report(measured)], json)
    if plot is not None:
        draw_batches(measured, plot)


@app.command()
def opponents(
    rounds: Rounds = 5,
    pufferlib: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="PufferLib's source, unpacked, to time it as well."),
    ] = None,
    json: Json = None,
) -> None:
    """Time the vector environments with each opponent that replies inside the step."""
    timings = measure_opponents(rounds, pufferlib)
    measured = [*_track(timings, "Timing opponents", len(OPPONENTS) + (pufferlib is not None))]
    _publish(opponent_report(measured), json, measured)


@app.command()
def words(rounds: Rounds = 5, json: Json = None) -> None:
    """Time the compiled searches and the vector environments by word width: minutes."""
    works = (len(WORDS) + len(WIDE_BOARDS)) * len(RATES)
    speeds = [*_track(measure_words(rounds), "Timing widths of words", works)]
    timings = [{**vars(speed), "game": repr(speed.game)} for speed in speeds]
    _publish(word_report(speeds), json, timings)


@app.command()
def runners(rounds: Rounds = 5, only: Only = "", json: Json = None) -> None:
    """Time runs of games, beside kaggle_environments and beside one worker."""
    chosen = choose(runner_workloads(), only)
    measured = (workload.measure(rounds) for workload in chosen)
    _publish(runner_report([*_track(measured, "Timing runners", len(chosen))]), json)


@app.command()
def heuristics(json: Json = None) -> None:
    """Play the heuristics against each other: about a minute."""
    played = pairings()
    scores = map(play_pairing, played)
    _publish(heuristic_report([*_track(scores, "Playing heuristics", len(played))]), json)


@app.command()
def ties(
    positions: Annotated[int, typer.Option(min=2, help="Positions in each match.")] = 100,
    seed: Annotated[int, typer.Option(help="The same seed takes the same positions.")] = 1,
    json: Json = None,
) -> None:
    """Play from drawn and lost positions with either resistance of the perfect agent: minutes."""
    matches = play_matches(positions, seed)
    _publish(tie_break_report([*_track(matches, "Playing matches", MATCHES)]), json)


@app.command("second-seat")
def second_seat(
    games: Annotated[
        int, typer.Option(min=1, help="Games per opponent; 1 if it has no random numbers.")
    ] = 200,
    seed: Annotated[int, typer.Option(min=0, help="The same seed plays the same games.")] = 0,
    pool: Annotated[
        Pool, typer.Option(help="Opponents: not in the model of the book of traps, in it, or both.")
    ] = Pool.REPORTED,
    only: Annotated[str, typer.Option(help="Opponents whose name or group contains this.")] = "",
    player: Annotated[
        list[str] | None,
        typer.Option(metavar="SPEC", help="Player 2, as in mcts:simulations=500; repeatable."),
    ] = None,
    network: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE", help="Add opponents with this file of `connectx train`; repeatable."
        ),
    ] = None,
    workers: Workers = 2,
    json: Json = None,
) -> None:
    """Count points as player 2, whose position is lost from the start: hours; less with --only."""
    opponents = opponents_of(pool, network or [], only)
    encounters = play_encounters(player or PLAYERS, opponents, games, seed, workers)
    _publish(second_seat_report(encounters), json, [*map(encounter_figures, encounters)])


@app.command()
def season(
    players: Annotated[int, typer.Option(min=FEWEST_PLAYERS, help="One in ten is perfect.")] = 200,
    episodes: Annotated[int, typer.Option(min=1, help="Rated games in a season.")] = 20_000,
    seasons: Annotated[int, typer.Option(min=2, help="Seasons to simulate, for intervals.")] = 20,
    games_per_pair: Annotated[
        int, typer.Option(min=1, help="Real games for each two kinds of players, in either seat.")
    ] = 4,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same results.")] = 0,
    workers: Workers = 2,
    json: Json = None,
) -> None:
    """Simulate what traps gain on a leaderboard: some minutes."""
    outcomes = measured_outcomes(KINDS, games_per_pair, seed, workers)
    simulated = simulate(outcomes, players, episodes, seasons, seed)
    _publish(season_report(simulated), json, outcome_figures(outcomes))


@app.command("compare")
def comparisons(
    trials: Annotated[int, typer.Option(min=1, help="Comparisons of each pair of players.")] = 3,
    margin: Annotated[float, typer.Option(help="In Elo, as in `connectx compare`.")] = 50.0,
    seed: Annotated[int, typer.Option(min=0, help="The same seed plays the same games.")] = 0,
    workers: Workers = CORES,
    json: Json = None,
) -> None:
    """Compare players whose difference is known: seconds; a minute for --trials 20."""
    with local_executor(workers) as executor:
        compared = compare_known_pairs(KNOWN_PAIRS, trials, margin, seed, executor)
        measured = [*_track(compared, "Comparing", len(KNOWN_PAIRS))]
    _publish(comparison_report(measured, margin), json)


@app.command()
def rollouts(
    rounds: Annotated[int, typer.Option(min=1, help="Rounds of 50 games in each match.")] = 2,
    json: Json = None,
) -> None:
    """Play the rollout policies against uniform rollouts: some two minutes."""
    matches = rollout_matches()
    scores = (match.score(rounds) for match in matches)
    played = _track(scores, "Playing rollout policies", len(matches))
    _publish(rollout_report(matches, [*played]), json)


@app.command()
def learned(
    weights: Annotated[
        list[str],
        typer.Argument(metavar="WEIGHTS", help="distilled, zero, or files of `connectx train`."),
    ],
    only: Annotated[str, typer.Option(help="Measure only parts whose name contains this.")] = "",
    games: Annotated[int, typer.Option(min=2, max=2000, help="Games in each match.")] = 98,
    sample: Annotated[int, typer.Option(min=1, metavar="N", help="Positions in each set.")] = 200,
    positions: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="P. Pons' six files, instead of sets of their kinds."),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, help="The same seed takes the same positions and openings.")
    ] = 1,
    workers: Workers = CORES,
    json: Json = None,
) -> None:
    """Measure learned agents in games, in positions and without search: half an hour for each."""
    parts = choose(PARTS, only)
    measurements = []
    settings = LearnedSettings(draw_positions(positions, sample, seed), games, seed, workers)
    for measurement in measure_learned(fitting_parts(weights, parts), settings):
        measurements.append(measurement)
        for figure in measurement.measured.figures:
            console.print(f"{measurement.weights}: {figure.name}: {figure}", highlight=False)
    figures = [figure for each in measurements for figure in learned_figures(each)]
    _publish(learned_report(measurements, settings), json, figures)


@app.command()
def positions(
    seed: Annotated[int, typer.Option(help="The same seed makes the same positions.")] = 1,
) -> None:
    """Make the sets of positions again, with BitBully's scores: a few minutes."""
    bitbully = BitBully(book=True)
    for kind in SETS:
        made = make_set(kind, seed, bitbully)
        write_positions(kind.path, [*_track(made, f"Making {kind.name}", SIZE)])


@app.command("hard-positions")
def hard_positions(
    seed: Annotated[int, typer.Option(help="The same seed makes the same positions.")] = 1,
) -> None:
    """Make the hard positions again: a few minutes."""
    made = _track(make_hard_positions(seed), "Making hard positions", len(PLIES) * PER_PLY)
    write_hard_positions(HARD_POSITIONS, [*made])


@app.command()
def hard(
    agents: Annotated[
        list[str], typer.Argument(metavar="AGENT", help="Agents, as in mcts:time_limit=0.5.")
    ],
    seed: Annotated[int, typer.Option(help="Seed of the agents' random numbers.")] = 1,
    json: Json = None,
) -> None:
    """Measure how often agents keep the result in the hard positions."""
    asked = [agent_from_text(agent, seed) for agent in agents]
    known = read_hard_positions(HARD_POSITIONS)
    kept = _track(kept_results(asked, known), "Asking agents", len(known))
    _publish(hard_report(agents, known, [*kept]), json)


@app.command()
def structure(json: Json = None) -> None:
    """Count files, lines and imports, beside those peers that are installed."""
    _publish(structure_report(structures()), json)


@app.command()
def readme() -> None:
    """Update the README of this folder from the files in its results/."""
    text = with_results(README.read_text(encoding="utf-8"), README.parent)
    README.write_text(text, encoding="utf-8")


@app.command(context_settings={"ignore_unknown_options": True, "help_option_names": []})
def way(words: Annotated[list[str], typer.Argument(metavar="COMMAND")]) -> None:
    """Run a `connectx` command and list the files that it passes, in their order."""
    for number, file in enumerate(files_passed(words), start=1):
        console.print(f"{number:4} {file}", highlight=False)


def _publish(report: Report, json: Path | None, timings: Sequence[object] = ()) -> None:
    print_report(report, console)
    if json is not None:
        replace_text(json, report_json(report, timings))


def choose(known: Iterable[Kind], part: str) -> list[Kind]:
    """The workloads whose name contains `part`.

    Raises:
        typer.BadParameter: no name contains it; the message lists the names.
    """
    names = {workload.name: workload for workload in known}
    chosen = [workload for name, workload in names.items() if part.lower() in name.lower()]
    if not chosen:
        raise typer.BadParameter(
            f"no work has {part!r} in its name; choose from: {'; '.join(names)}"
        )
    return chosen


def _track(items: Iterable[Item], doing: str, total: int | None = None) -> Iterable[Item]:
    return track(items, doing, total=total, console=console, transient=True)


if __name__ == "__main__":
    app()
