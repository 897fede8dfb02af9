"""Build, check, evaluate, compare, grade, rank and review from Python, as the commands do.

See `submission.building` for what can be a player.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from types import NoneType
from typing import Any, ParamSpec, TypeVar, get_type_hints

import numpy as np

from agents.options import require_at_least, require_path, united_types
from agents.parallel.workers import CORES
from agents.registry import REGISTERED
from envs.connectx import ConnectFour
from submission.arena.game_record import GameConfiguration
from submission.arena.players import Pairing, against_each, round_robin
from submission.building import PlayerLike, as_player, entrants_of, submission_of
from submission.building import Submission as Submission
from submission.building import build as build
from submission.checking.check import check_submission
from submission.checking.check_report import CheckReport
from submission.comparing.comparison import Comparison
from submission.comparing.finding import ComparisonSettings
from submission.comparing.trials import play_until_decided, require_accepted, slow_moves
from submission.executors.work import Completion, chosen_executor
from submission.grading.answers import GradeSettings
from submission.grading.grade import Grade, grade_player
from submission.grading.published_sets import PublishedSet, read_positions_to_ask
from submission.grading.solved_positions import SHIPPED_POSITIONS, AskedPositions, read_position_set
from submission.kaggle import Referee
from submission.match.match import Match
from submission.match.run import Run
from submission.match.schedule import Arena, Settings, require_pairs
from submission.match.sprt import Sprt, parse_sprt
from submission.rating.ladder import Ladder, make_ladder, require_round_robin
from submission.rating.rank import Rank, rank_player
from submission.reviewing.review import Review
from submission.reviewing.review_games import review_games
from submission.sandbox.interpreter import find_python
from submission.terminal import progress_bar

P = ParamSpec("P")
T = TypeVar("T")


def _with_checked_options(function: Callable[P, T]) -> Callable[P, T]:
    """Check the types of options, and name an option of the wrong type.

    NumPy numbers are converted, because neither `random` nor JSON accepts them.
    """
    declared = get_type_hints(check_submission) | get_type_hints(function)
    required = function.__code__.co_varnames[: function.__code__.co_argcount]

    @wraps(function)
    def called(*players: P.args, **options: P.kwargs) -> T:
        if len(players) > len(required):
            raise TypeError(
                f"{function.__name__} takes {' and '.join(required)}: put several players into a "
                "list, and name the options, as in games=2"
            )
        for name, value in options.items():
            if isinstance(value, np.generic):
                options[name] = value.item()
            if name not in required:
                _require_kind(name, value, united_types(declared.get(name, Any)))
        return function(*players, **options)

    return called


def _require_kind(name: str, value: object, kinds: tuple[Any, ...]) -> None:
    if value is None:
        if NoneType not in kinds and Any not in kinds:
            raise ValueError(f"{name} must not be None: leave it out for its default")
    elif Path in kinds:
        require_path(name, value)  # type: ignore[arg-type]
    elif {*kinds} == {str, NoneType} and not isinstance(value, str):
        raise ValueError(f"{name} must be a text, not {value!r}")


@_with_checked_options
def check(
    player: PlayerLike,
    *,
    python: str | Path | None = None,
    referee: str = Referee.CONNECTX,
    progress: bool = True,
    **options: Any,
) -> CheckReport:
    """Say whether Kaggle would accept a submission, and why not.

    For the three verdicts see `CheckReport.verdict`. The report has an upload command only if the
    submission is in a saved file.

    Args:
        player: a `.py` or `.tar.gz` file, or anything that `build` takes.
        python: the interpreter that runs the submission, or the folder of its virtual environment.
        referee: the environment of kaggle-environments: `connectx`, `open_spiel_connect_four` or
            `open_spiel_tic_tac_toe`.
        progress: show a bar on stderr.
        options: those of `submission.checking.check.check_submission`.

    Raises:
        ValueError, OSError, ImportError, ChildProcessError: see `check_submission`.
    """
    is_agent = isinstance(player, str) and player.partition(":")[0] in REGISTERED
    is_file = isinstance(player, str | Path) and not is_agent
    submission = None if is_file else submission_of(player, Referee(referee).game)
    path = submission.path if submission else Path(str(player))
    is_saved = submission is None or submission.is_saved
    name = str(path) if submission is None or is_saved else submission.name
    with progress_bar(f"Checking {name}", progress) as show:
        report = check_submission(
            path,
            python=None if python is None else find_python(Path(python)),
            referee=Referee(referee),
            on_progress=show,
            **options,
        )
    return replace(report, name=name, path=report.path if is_saved else None)


@_with_checked_options
def evaluate(
    player: PlayerLike,
    against: PlayerLike | Sequence[PlayerLike],
    *,
    games: int = 20,
    seed: int = 0,
    opening_plies: int = 2,
    sprt: str | Sprt | None = None,
    referee: str = Referee.CONNECTX,
    arena: str = Arena.KAGGLE,
    rows: int | None = None,
    columns: int | None = None,
    inarow: int | None = None,
    act_timeout: float = 2.0,
    trust: bool = False,
    workers: int = CORES,
    dask: str | None = None,
    results: str | Path | None = None,
    resume: bool = False,
    progress: bool = True,
) -> Match:
    """Play a player against others, each opening from both seats.

    Args:
        player: the player from whose point of view results are counted.
        against: one opponent, or several.
        games: number of games against each opponent; even.
        seed: the same seed gives the same games, unless a player's clock decides a move.
        opening_plies: games start from all positions of this ply in turn.
        sprt: a sequential test that ends a pairing as soon as it is decided, such as `0,50`.
        referee: the environment of kaggle-environments: `connectx`, `open_spiel_connect_four` or
            `open_spiel_tic_tac_toe`.
        arena: `kaggle`; or `own`, which is many times faster, with the referee `connectx` only.
        rows: height of the board; by default 6, in tic-tac-toe 3.
        columns: width of the board; by default 7, in tic-tac-toe 3.
        inarow: stones in a row that win; by default 4, in tic-tac-toe 3.
        act_timeout: seconds for a move; longer moves use up a bank of 60 s, or 12 s with
            OpenSpiel's environments.
        trust: trust the players' files: in the arena `own` they run in the worker processes, at
            hundreds of games a second, and nothing contains or ends them.
        workers: number of simultaneous games; for fair clocks at most one per core.
        dask: address of a Dask scheduler, whose workers play instead.
        results: a file to which each game is added as it ends.
        resume: play only the games that are not yet in that file.
        progress: show a bar on stderr.

    Returns:
        The games; after Ctrl-C, those played so far (see `Match.completion`).

    Raises:
        ValueError, OSError, ModuleNotFoundError: bad input, before any game is played.
    """
    hero, *opponents = entrants_of([player, *_several(against)], referee, arena, trust)
    rules = GameConfiguration.of(Referee(referee), rows, columns, inarow, act_timeout)
    test = sprt if sprt is None or isinstance(sprt, Sprt) else parse_sprt(str(sprt))
    settings = Settings(require_pairs(games), seed, opening_plies, rules, Arena(arena), test)
    run = Run(workers, dask, None if results is None else Path(results), resume, progress)
    return run.play(f"Evaluating {hero.name}:", against_each(hero, opponents), settings)


@_with_checked_options
def grade(
    player: PlayerLike,
    *,
    positions: str | Path = SHIPPED_POSITIONS,
    sample: int | None = None,
    seed: int = 0,
    act_timeout: float = 2.0,
    workers: int = CORES,
    dask: str | None = None,
    progress: bool = True,
) -> Grade:
    """Compare a player's moves with the exact scores of solved positions.

    Args:
        player: the player to grade.
        positions: a file written by `connectx positions`, or a published set as described in
            `submission.grading.published_sets`; by default the package's own.
        sample: number of positions to grade on, drawn with the seed; None: all.
        seed: seeds the sample and the player's random numbers.
        act_timeout: seconds for a move; the bank of 60 s is full in each position.
        workers: number of positions graded at once; for fair clocks at most one per core.
        dask: address of a Dask scheduler, whose workers are used instead.
        progress: show a bar on stderr.

    Raises:
        ValueError, OSError, ModuleNotFoundError: bad input.
    """
    graded, settings = as_player(player), GradeSettings(seed, act_timeout)
    graded.require_playable(ConnectFour())
    found: AskedPositions | PublishedSet = read_positions_to_ask(Path(positions))
    if sample is not None:
        found = found.sample(sample, seed)
    with chosen_executor(workers, dask) as executor:
        if isinstance(found, PublishedSet):
            with progress_bar(f"Solving {found.path}", progress) as show:
                found = found.solve(executor, show)
        with progress_bar(f"Grading {graded.name}", progress) as show:
            return grade_player(graded, found, settings, executor, show)


@_with_checked_options
def ladder(
    players: Sequence[PlayerLike],
    *,
    games: int = 20,
    anchor: str | None = None,
    seed: int = 0,
    opening_plies: int = 2,
    referee: str = Referee.CONNECTX,
    arena: str = Arena.KAGGLE,
    rows: int | None = None,
    columns: int | None = None,
    inarow: int | None = None,
    act_timeout: float = 2.0,
    trust: bool = False,
    workers: int = CORES,
    dask: str | None = None,
    results: str | Path | None = None,
    resume: bool = False,
    progress: bool = True,
) -> Ladder:
    """Rate two or more players by a round robin.

    `anchor` is the name of the player whose rating is 0, by default the player in the middle. The
    other options are those of `evaluate`; `games` counts per pair of players.

    Raises:
        ValueError, OSError: bad input.
        ModuleNotFoundError: kaggle_environments is not installed.
    """
    entrants = entrants_of(_several(players), referee, arena, trust)
    require_round_robin([entrant.name for entrant in entrants], anchor)
    rules = GameConfiguration.of(Referee(referee), rows, columns, inarow, act_timeout)
    settings = Settings(require_pairs(games), seed, opening_plies, rules, Arena(arena))
    run = Run(workers, dask, None if results is None else Path(results), resume, progress)
    return make_ladder(run.play("Playing:", round_robin(entrants), settings), anchor)


@_with_checked_options
def compare(
    new: PlayerLike,
    old: PlayerLike,
    *,
    margin: float = 50.0,
    games: int = 1000,
    sample: int = 120,
    seed: int = 0,
    opening_plies: int = 4,
    act_timeout: float = 2.0,
    trust: bool = False,
    workers: int = CORES,
    progress: bool = True,
) -> Comparison:
    """Say whether a new version of a player is better than the old one.

    Each is checked in a pair of games. They play each other in the arena `own` until a sequential
    test decides between better, worse and equal. Then both choose moves in the same solved
    positions, and on Linux their moves are timed at a third of the speed.

    `margin` is the difference in Elo that matters; doubling it needs a quarter of the games.
    `games` is their maximum number, and `sample` the number of solved positions, drawn with the
    seed. The other options are those of `evaluate`.

    Raises:
        ValueError, OSError, ImportError: bad input, or Kaggle would not accept a player.
    """
    settings = ComparisonSettings(margin, games, seed, opening_plies, act_timeout)
    players = entrants_of([new, old], Referee.CONNECTX, Arena.OWN, trust)
    if players[0] == players[1]:
        raise ValueError(f"{players[0].name} is compared with itself: name two different versions")
    positions = read_position_set(SHIPPED_POSITIONS).sample(sample, seed)
    for player in players:
        player.require_playable(ConnectFour())
        with progress_bar(f"Checking {player.name}", progress) as show:
            require_accepted(player, show)
    with chosen_executor(workers, None) as executor:
        with progress_bar("Comparing:", progress) as show:
            comparison = play_until_decided(Pairing(*players), settings, executor, show)
        for player in players:
            if comparison.completion is Completion.COMPLETE:
                with progress_bar(f"Grading {player.name}", progress) as show:
                    asked = GradeSettings(seed, act_timeout)
                    graded = grade_player(player, positions, asked, executor, show)
                comparison = replace(comparison, grades=(*comparison.grades, graded))
    for player in players:
        if comparison.completion is Completion.COMPLETE:
            with progress_bar(f"Slowing down {player.name}", progress) as show:
                slowed = slow_moves(player, show)
            comparison = replace(comparison, slow_moves=(*comparison.slow_moves, *slowed))
    return comparison


@_with_checked_options
def rank(
    player: PlayerLike,
    *,
    games: int = 120,
    minutes: float = 2.0,
    seed: int = 0,
    opening_plies: int = 2,
    act_timeout: float = 2.0,
    trust: bool = False,
    workers: int = CORES,
    progress: bool = True,
) -> Rank:
    """Find a player's level, from 1 to 10, and its Elo, by games that adapt to it.

    `games` is the maximum number of games; after `minutes` no further game starts. The other
    options are those of `evaluate`.

    Raises:
        ValueError, OSError, ModuleNotFoundError: bad input.
    """
    require_at_least("minutes", minutes, 0)
    (ranked,) = entrants_of([player], Referee.CONNECTX, Arena.OWN, trust)
    ranked.require_playable(ConnectFour())
    rules = GameConfiguration(act_timeout=act_timeout)
    settings = Settings(require_pairs(games), seed, opening_plies, rules, Arena.OWN)
    with (
        chosen_executor(workers, None) as executor,
        progress_bar(f"Ranking {ranked.name}", progress) as show,
    ):
        return rank_player(ranked, settings, 60 * minutes, executor, workers, show)


@_with_checked_options
def review(
    files: str | Path | Sequence[str | Path],
    player: str,
    *,
    logs: str | Path | None = None,
    time_limit: float | None = 10.0,
    progress: bool = True,
) -> Review:
    """Find the moves that gave a win or a draw away, in games already played.

    Args:
        files: a results file or an episode from Kaggle, or several.
        player: the player's name in the files; in an episode, the team's.
        logs: the player's log of a single episode; by default the logs beside the episodes.
        time_limit: seconds for each position; None: until it is solved.
        progress: show a bar on stderr.

    Raises:
        ValueError, OSError: bad input; see `submission.reviewing.review_games.review_games`.
    """
    paths = [require_path("files", each) for each in _several(files)]
    log = None if logs is None else Path(logs)
    with progress_bar(f"Reviewing {player}", progress) as show:
        return review_games(paths, player, log, time_limit, show)


def _several(given: Any) -> Sequence[Any]:
    if isinstance(given, list | tuple):
        return given
    if isinstance(given, Iterable) and not isinstance(given, str) and not callable(given):
        raise ValueError(f"several must be in a list, not a {type(given).__name__}: {given!r:.60}")
    return [given]
