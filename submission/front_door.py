"""Build, check, evaluate, compare, grade, rank and review from Python, as the commands do.

A player is the name of one of Kaggle's agents or of ours, with options if need be
(`mcts:simulations=500,seed=1`); the path of a submission file; an agent; a `Submission`; or a
function of Kaggle's observation and configuration.
"""

import os
import weakref
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from inspect import getsourcefile
from pathlib import Path
from typing import Any, TypeAlias

from agents.agent import Agent
from agents.options import agent_options, require_at_least
from agents.registry import (
    REGISTERED,
    JsonValue,
    joined_options,
    make_agent,
    option_texts,
    parse_specification,
)
from agents.reporting.output_file import replace_text, require_writable
from envs.connectx import ConnectFour
from submission.arena.game_record import GameConfiguration
from submission.arena.players import (
    Pairing,
    Player,
    PlayerKind,
    against_each,
    find_player,
    named_apart,
    round_robin,
    trusted,
)
from submission.bundle.bundle import build_bundle, is_bundle
from submission.bundle.functions.function_file import function_file
from submission.checking.check import check_submission
from submission.checking.check_report import check_summary, render_check
from submission.checking.check_result import CheckReport
from submission.comparing.comparison import Comparison, ComparisonSettings, play_until_decided
from submission.comparing.comparison_report import comparison_summary, render_comparison
from submission.comparing.trials import require_accepted, slow_moves
from submission.executors.dask_workers import chosen_executor
from submission.executors.local_workers import CORES
from submission.grading.grade_report import grade_pictures, render_grade
from submission.grading.grading import Grade, GradeSettings, grade_player
from submission.grading.published_sets import PublishedSet, read_positions_to_ask
from submission.grading.solved_positions import SHIPPED_POSITIONS, read_position_set
from submission.kaggle import Referee
from submission.match.match import Completion, Match
from submission.match.match_report import render_match
from submission.match.run import Run
from submission.match.schedule import Arena, Settings, require_pairs
from submission.match.sprt import Sprt, parse_sprt
from submission.rating.ladder import Ladder, make_ladder, require_round_robin
from submission.rating.ladder_report import rating_chart, render_ladder
from submission.rating.rank import Rank, rank_player
from submission.rating.rank_report import rank_summary, render_rank
from submission.rating.ratings import require_ranking_library
from submission.reports import pictures, summary, tables
from submission.reviewing.review import Review, review_games
from submission.reviewing.review_report import render_review
from submission.sandbox.folders import owned_folder
from submission.sandbox.interpreter import find_python
from submission.summaries import grade_summary, ladder_summary, match_summary, review_summary
from submission.terminal import progress_bar

DEFAULT_OUTPUT = Path("submission.py")


tables.register(CheckReport, render_check)
tables.register(Match, render_match)
tables.register(Grade, render_grade)
tables.register(Ladder, render_ladder)
tables.register(Review, render_review)
tables.register(Comparison, render_comparison)
tables.register(Rank, render_rank)

summary.register(CheckReport, check_summary)
summary.register(Match, match_summary)
summary.register(Grade, grade_summary)
summary.register(Ladder, ladder_summary)
summary.register(Review, review_summary)
summary.register(Comparison, comparison_summary)
summary.register(Rank, rank_summary)

pictures.register(Grade, grade_pictures)
pictures.register(Ladder, lambda ladder: [rating_chart(ladder)])


class Submission:
    """The text of a submission file, and what can be done with it.

    Args:
        source: the text.
        name: whom it plays, for the tables.
        note: a sentence for the one who builds it; None: there is none.
    """

    def __init__(self, source: str, name: str, note: str | None = None) -> None:
        self.source = source
        self.name = name
        self.note = note
        self.is_saved = False
        self._path: Path | None = None

    @property
    def path(self) -> Path:
        """Where it was saved; before that, a temporary file that goes with this object."""
        if self._path is None:
            stack = ExitStack()
            weakref.finalize(self, stack.close)
            self._path = stack.enter_context(owned_folder()) / DEFAULT_OUTPUT
            replace_text(self._path, self.source)
        return self._path

    def save(self, path: str | Path = DEFAULT_OUTPUT, *, force: bool = False) -> Path:
        """Write the file.

        Args:
            path: where; a file that this package has not made is left alone.
            force: overwrite such a file, too.

        Raises:
            FileExistsError: there is one.
            OSError: it cannot be written.
        """
        write_submission(self.source, Path(path), force=force)
        self._path, self.is_saved = Path(path), True
        return self._path

    def check(self, **options: Any) -> CheckReport:
        """Say whether Kaggle would accept it; see `check`."""
        return check(self, **options)

    def evaluate(
        self, against: "PlayerLike | Sequence[PlayerLike]" = ("random", "negamax"), **options: Any
    ) -> Match:
        """Play against others; see `evaluate`."""
        return evaluate(self, against, **options)

    def grade(self, **options: Any) -> Grade:
        """Compare its moves with the truth; see `grade`."""
        return grade(self, **options)

    def __repr__(self) -> str:
        size = f"{len(self.source.encode()) / 1000:.0f} kB"
        return f"<submission of {self.name}, {size}>{f' {self.note}' if self.note else ''}"


PlayerLike: TypeAlias = str | Path | Agent | Submission | Player | Callable[..., Any]


def build(
    agent: str | Agent | Callable[..., Any],
    *,
    source: str | Path | None = None,
    game: str = "connectx",
    **options: JsonValue,
) -> Submission:
    """Bundle an agent into one self-contained file.

    Args:
        agent: the name of one of ours, with options if need be (`level:n=7`); with `source`, of a
            class in that file; or an agent, or a function of Kaggle's observation and
            configuration, which is written into a file as its module has it, with all that it
            uses, and only where that plays the same.
        source: a file with a class that inherits `agents.Agent`.
        game: one that the file plays besides ConnectX: `tictactoe`.
        options: of the named agent, as `connectx agents` lists them.

    Raises:
        ValueError: unknown agent, option or game, or something that cannot be bundled.
        OSError: a file cannot be read.
    """
    if isinstance(agent, str):
        name, named = parse_specification(agent)
        chosen = joined_options(named, options)
        text = build_bundle(name, chosen, None if source is None else Path(source), game)
        note = _note(name, chosen) if source is None and game == "connectx" else None
        return Submission(text, _specification(name, chosen), note)
    if source is not None or options:
        raise ValueError("a source and options go with the name of an agent: name it")
    if isinstance(agent, Agent):
        return _bundled(agent, game)
    if game != "connectx":
        raise ValueError("a game goes with an agent: a function says itself what it plays")
    name, text = function_file(agent)
    return Submission(text, name)


def _note(name: str, options: dict[str, JsonValue]) -> str | None:
    """Say that a registered agent does not play Kaggle's board, for its weights are of another."""
    try:
        make_agent(name, **options).require_playable(ConnectFour())
    except ValueError as error:
        return f"On Kaggle's board all its moves will be makeshift: {error}."
    return None


def write_submission(text: str, path: Path, *, force: bool = False) -> None:
    """Write a submission file, unless that would overwrite one that this package has not made.

    Raises:
        FileExistsError: there is such a file, and nobody forces it.
        OSError: it cannot be written.
    """
    require_writable(path)
    if path.exists() and not force and not is_bundle(path):
        raise FileExistsError(
            f"{path} is there and was not made by `connectx build`: write to another file, or "
            "overwrite it with --force (from Python, force=True)"
        )
    replace_text(path, text)


def check(
    player: PlayerLike,
    *,
    python: str | Path | None = None,
    referee: str = Referee.CONNECTX,
    progress: bool = True,
    **options: Any,
) -> CheckReport:
    """Say whether Kaggle would accept a submission, and why not.

    There are three verdicts: see `CheckReport.verdict`. The report of what is not saved as a file
    has no command that uploads it.

    Args:
        player: a `.py` or `.tar.gz` file; or whatever else `build` makes one of.
        python: the interpreter that plays, or the folder of its virtual environment.
        referee: the environment of kaggle-environments: `connectx`, `open_spiel_connect_four` or
            `open_spiel_tic_tac_toe`.
        progress: show a bar on stderr.
        options: as `submission.checking.check.check_submission` takes them.

    Raises:
        ValueError, OSError, ImportError, ChildProcessError: see `check_submission`.
    """
    game = Referee(referee).game
    submission = None if isinstance(player, str | Path) else _submission_of(player, game)
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
    """Play against opponents, from openings that each side plays once.

    Args:
        player: from whose view results are counted.
        against: one opponent, or several.
        games: with each of them; an even number.
        seed: the same seed gives the same games, up to the players' clocks.
        opening_plies: games begin in turn in all positions of this ply.
        sprt: a sequential test, which ends a pairing as soon as it is decided, as in `0,50`.
        referee: the environment of kaggle-environments: `connectx`, `open_spiel_connect_four` or
            `open_spiel_tic_tac_toe`.
        arena: `kaggle`, or `own`, which is many times faster, for `connectx`.
        rows: height of the board; by default 6, in tic-tac-toe 3.
        columns: width of the board; by default 7, in tic-tac-toe 3.
        inarow: stones in a row that win; by default 4, in tic-tac-toe 3.
        act_timeout: seconds for a move; beyond them the bank is used, of 60 s, or 12 s with
            OpenSpiel's environments.
        trust: files of these players are your own: in the own arena they play in the workers
            themselves, where nothing contains or ends them, hundreds of games a second.
        workers: games at the same time, at most one a core to be fair.
        dask: address of a Dask scheduler, whose workers play instead.
        results: a file that gets each game as it ends.
        resume: play what is not yet in that file.
        progress: show a bar on stderr.

    Returns:
        The games; those until then after Ctrl-C, see `Match.completion`.

    Raises:
        ValueError, OSError, ModuleNotFoundError: bad input, before any game is played.
    """
    hero, *opponents = _entrants([player, *_several(against)], referee, arena, trust)
    settings = Settings(
        games=require_pairs(games),
        seed=seed,
        opening_plies=opening_plies,
        configuration=GameConfiguration.of(Referee(referee), rows, columns, inarow, act_timeout),
        arena=Arena(arena),
        sprt=parse_sprt(sprt) if isinstance(sprt, str) else sprt,
    )
    run = Run(workers, dask, None if results is None else Path(results), resume, progress)
    return run.play(f"Evaluating {hero.name}:", against_each(hero, opponents), settings)


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
    """Compare a player's moves with the truth, in positions that are solved exactly.

    Args:
        player: who is asked.
        positions: a file that `connectx positions` has written, or positions that others grade
            with, as `submission.grading.published_sets` describes them; by default the package's
            own.
        sample: how many of them to ask about, drawn by the seed; None: all.
        seed: draws the sample and the player's random numbers.
        act_timeout: seconds for a move; the bank of 60 s is full in each position.
        workers: asked at the same time, at most one a core to be fair.
        dask: address of a Dask scheduler, whose workers ask instead.
        progress: show a bar on stderr.

    Raises:
        ValueError, OSError, ModuleNotFoundError: bad input.
    """
    graded, settings = as_player(player), GradeSettings(seed, act_timeout)
    found = read_positions_to_ask(Path(positions))
    if sample is not None:
        found = found.sample(sample, seed)
    with chosen_executor(workers, dask) as executor:
        if isinstance(found, PublishedSet):
            with progress_bar(f"Solving {found.path}", progress) as show:
                asked = found.solve(executor, show)
        else:
            asked = found
        with progress_bar(f"Grading {graded.name}", progress) as show:
            return grade_player(graded, asked, settings, executor, show)


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
    """Find out who is stronger: everyone plays everyone, and Elo ratings come of it.

    Args:
        players: two or more.
        games: of each two players; an even number.
        anchor: the name of the player whose rating is 0; by default the one in the middle.
        seed: the same seed gives the same games, up to the players' clocks.
        opening_plies: games begin in turn in all positions of this ply.
        referee: the environment of kaggle-environments: `connectx`, `open_spiel_connect_four` or
            `open_spiel_tic_tac_toe`.
        arena: `kaggle`, or `own`, which is many times faster, for `connectx`.
        rows: height of the board; by default 6, in tic-tac-toe 3.
        columns: width of the board; by default 7, in tic-tac-toe 3.
        inarow: stones in a row that win; by default 4, in tic-tac-toe 3.
        act_timeout: seconds for a move; beyond them the bank is used, of 60 s, or 12 s with
            OpenSpiel's environments.
        trust: files of these players are your own: in the own arena they play in the workers
            themselves, where nothing contains or ends them, hundreds of games a second.
        workers: games at the same time, at most one a core to be fair.
        dask: address of a Dask scheduler, whose workers play instead.
        results: a file that gets each game as it ends.
        resume: play what is not yet in that file.
        progress: show a bar on stderr.

    Raises:
        ValueError, OSError: bad input.
        ModuleNotFoundError: the extra `rank` is not installed, or kaggle_environments is not.
    """
    entrants = _entrants(players, referee, arena, trust)
    require_round_robin([entrant.name for entrant in entrants], anchor)
    require_ranking_library()
    settings = Settings(
        games=require_pairs(games),
        seed=seed,
        opening_plies=opening_plies,
        configuration=GameConfiguration.of(Referee(referee), rows, columns, inarow, act_timeout),
        arena=Arena(arena),
    )
    run = Run(workers, dask, None if results is None else Path(results), resume, progress)
    return make_ladder(run.play("Playing:", round_robin(entrants), settings), anchor)


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
    """Say whether a new version of a player is better than the old one, and where not.

    Both are checked by a pair of games; they meet, in the own arena, until a sequential test tells
    better, worse and equal apart; both are asked for their moves in the same solved positions; and
    on Linux their moves are timed at a third of the speed.

    Args:
        new: the new version.
        old: what it is compared with.
        margin: the difference in Elo that matters; it takes a quarter of the games to tell twice
            as much.
        games: the most games; an even number.
        sample: how many solved positions, drawn by the seed.
        seed: the same seed gives the same games and positions, up to the players' clocks.
        opening_plies: games begin in turn in all positions of this ply.
        act_timeout: seconds for a move; beyond them the bank of 60 s is used.
        trust: the files are your own, and play in the workers themselves; see `evaluate`.
        workers: games at the same time, at most one a core to be fair.
        progress: show a bar on stderr, with how long it will take.

    Raises:
        ValueError, OSError, ImportError: bad input, or a player that would not be accepted.
    """
    settings = ComparisonSettings(margin, games, seed, opening_plies, act_timeout)
    players = _entrants([new, old], Referee.CONNECTX, Arena.OWN, trust)
    if players[0] == players[1]:
        raise ValueError(f"{players[0].name} is compared with itself: name another version, too")
    positions = read_position_set(SHIPPED_POSITIONS).sample(sample, seed)
    for player in players:
        with progress_bar(f"Checking {player.name}", progress) as show:
            require_accepted(player, show)
    with chosen_executor(workers, None) as executor:
        with progress_bar("Comparing:", progress) as show:
            played = play_until_decided(Pairing(*players), settings, executor, show)
        comparison = Comparison(settings, played)
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
    """Find the level that is as strong as a player, and its Elo, by games that adapt to it.

    Args:
        player: whom to rank.
        games: the most games; an even number.
        minutes: after so long no further game begins.
        seed: the same seed gives the same games, up to the players' clocks.
        opening_plies: games begin in turn in all positions of this ply.
        act_timeout: seconds for a move; beyond them the bank of 60 s is used.
        trust: the file is your own, and plays in the workers themselves; see `evaluate`.
        workers: games at the same time, at most one a core to be fair.
        progress: show a bar on stderr.

    Raises:
        ValueError, OSError, ModuleNotFoundError: bad input.
    """
    require_at_least("minutes", minutes, 0)
    (ranked,) = _entrants([player], Referee.CONNECTX, Arena.OWN, trust)
    settings = Settings(
        games=require_pairs(games),
        seed=seed,
        opening_plies=opening_plies,
        configuration=GameConfiguration(act_timeout=act_timeout),
        arena=Arena.OWN,
    )
    with (
        chosen_executor(workers, None) as executor,
        progress_bar(f"Ranking {ranked.name}", progress) as show,
    ):
        return rank_player(ranked, settings, 60 * minutes, executor, show)


def review(
    files: str | Path | Sequence[str | Path],
    player: str,
    *,
    logs: str | Path | None = None,
    time_limit: float | None = 10.0,
    progress: bool = True,
) -> Review:
    """Judge a player's moves in games that were played: where was the win or the draw given away?

    Args:
        files: a results file or an episode from Kaggle, or several.
        player: the name, as the files have it: in an episode, of the team.
        logs: the player's log of the one episode; by default those beside the episodes.
        time_limit: seconds for each position; None: until it is solved.
        progress: show a bar on stderr.

    Raises:
        ValueError, OSError: bad input; see `submission.reviewing.review.review_games`.
    """
    paths = [files] if isinstance(files, str | Path) else files
    log = None if logs is None else Path(logs)
    with progress_bar(f"Reviewing {player}", progress) as show:
        return review_games([*map(Path, paths)], player, log, time_limit, show)


def as_player(player: PlayerLike, referee: Referee = Referee.CONNECTX) -> Player:
    """The player that a name, a path, an agent, a submission or a function stands for.

    Args:
        player: any of these.
        referee: whose game an agent is to play.

    Raises:
        ValueError: it stands for none.
        OSError: a file cannot be read.
    """
    match player:
        case Player():
            return player
        case str() | Path():
            return find_player(os.fspath(player), referee)
        case Agent() if name := _registered_name(player):
            return find_player(_specification(name, _chosen_options(player)), referee)
    submission = _submission_of(player, referee.game)
    return Player(submission.name, PlayerKind.FILE, submission.source.encode())


def _entrants(players: Sequence[PlayerLike], referee: str, arena: str, trust: bool) -> list[Player]:
    """The players of a match, two versions of one function named apart."""
    entrants = named_apart([as_player(each, Referee(referee)) for each in players])
    if not trust:
        return entrants
    if Arena(arena) is not Arena.OWN:
        raise ValueError("trusted files play in the own arena alone: add --arena own to --trust")
    return [trusted(entrant) for entrant in entrants]


def _submission_of(player: PlayerLike, game: str) -> Submission:
    match player:
        case Submission():
            return player
        case Agent():
            return _bundled(player, game)
    return build(player)  # type: ignore[arg-type]


def _several(players: PlayerLike | Sequence[PlayerLike]) -> Sequence[PlayerLike]:
    return players if isinstance(players, list | tuple) else [players]  # type: ignore[list-item]


def _bundled(agent: Agent, game: str) -> Submission:
    """The bundle of an agent: one of ours, or one whose class stands in a file."""
    options = _chosen_options(agent)
    if name := _registered_name(agent):
        return build(name, game=game, **options)
    file = getsourcefile(type(agent))
    if file is None or not Path(file).is_file():
        raise ValueError(
            f"the class {type(agent).__name__} stands in no file: put it into one, and build it "
            "from there"
        )
    return build(type(agent).__name__, source=file, game=game, **options)


def _chosen_options(agent: Agent) -> dict[str, Any]:
    """The options of an agent that differ from their defaults."""
    return {
        option.name: value
        for option in agent_options(type(agent))
        if (value := getattr(agent, option.name)) != option.default
    }


def _registered_name(agent: Agent) -> str | None:
    """The name of an agent of ours; None for any other."""
    return next((name for name, cls in REGISTERED.items() if cls is type(agent)), None)


def _specification(name: str, options: dict[str, Any]) -> str:
    """The text that names an agent with its options."""
    words = option_texts(dict(sorted(options.items())))
    return f"{name}:{','.join(words)}" if words else name
