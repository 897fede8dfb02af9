"""Makes the report of a check from its games."""

import re
from collections.abc import Iterator, Sequence
from math import ceil
from pathlib import Path
from statistics import fmean

from submission.checking.check_report import CheckReport, GameResult
from submission.checking.diagnosis import describe_choice, doubt_choice
from submission.checking.game_plan import SEATS, Limits
from submission.checking.game_watch import Timing, overtimes, overtimes_of_full_game
from submission.checking.kaggle_image import OLDER, doubt_import
from submission.checking.observed_game import ObservedGame
from submission.entry import PLAYED_WITH
from submission.sandbox.causes import of_hidden
from submission.sandbox.inside.containment import LINUX
from submission.sandbox.inside.file_guard import PROJECT_MODULES
from submission.sandbox.inside.kaggle_agent import LONGEST_TEXT
from submission.sandbox.inside.source_facts import SourceFacts
from submission.sandbox.messages import Choice
from submission.sandbox.move import STDERR_LINES, Move

LARGE_BYTES = 5_000_000  # submissions below this size are safe

FALL_BACK = "; falling back"
"""The end of a bundle's message that its agent gave no column; see `submission.entry`."""

KAGGLES_TRACEBACK = re.compile(
    r'^Traceback \(most recent call last\):\n  File "[^"\n]*kaggle_environments', re.MULTILINE
)

CHAINED = (
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:",
)
"""The lines above the second and further tracebacks of a chain."""

FRAME = r'^  File "[^"\n]*", line \d+ in .*\n?'
"""Pattern of a frame in the stack of a process that crashed or was ended."""

UNTOLD = re.compile(
    r'^  File "(?:[^"\n]*(?:kaggle_environments|submission.sandbox)[^"\n]*|<string>)", line \d+ in '
    r".*\n?|^Extension modules: .*\n?"
    r'|^  File "(?![^"\n]*", line \d+ in .)[^\n]*\Z',  # the process ended within this line
    re.MULTILINE,
)

OUTER_FRAMES = re.compile(f"((?:{FRAME}){{3}})(?:{FRAME})+", re.MULTILINE)


def summarise(
    path: Path,
    source: SourceFacts,
    limits: Limits,
    games: Sequence[ObservedGame],
    planned: int,
    patience: float,
) -> CheckReport:
    """The report of a check."""
    deciding = [game for game in games if game.plan.decides]
    ready = next((game.ready for game in games if game.ready), None)
    choice = next((game.loaded.choice for game in games if game.loaded), None)
    size = path.stat().st_size
    timing = timing_of(deciding, limits)
    return CheckReport(
        name=str(path),
        path=str(path),
        referee=games[0].plan.rules.referee,
        size=size,
        standard_imports=source.modules(standard=True),
        other_imports=source.modules(standard=False),
        versions=ready.versions if ready else None,
        speed=limits.speed,
        memory=limits.memory if LINUX else None,
        kept_from=ready.kept_from if ready else (),
        agent=describe_choice(choice, source) if choice else None,
        timing=timing,
        games=tuple(map(_result, games)),
        planned=planned,
        left_out=_why_left_out(games, planned, patience),
        makeshift=len(fallen_back(deciding)),
        warnings=tuple(_warnings(size, source, choice, timing, games)),
        stderr=last_words(sorted(deciding, key=lambda game: game.fault is None)),
    )


def timing_of(games: Sequence[ObservedGame], limits: Limits) -> Timing | None:
    """The timing of the games that decide; None if no move was made."""
    played = [seat for game in games for seat in game.moves.values() if seat]
    moves = sorted(move.seconds for seat in played for move in seat)
    loadings = [game.loaded.seconds for game in games if game.loaded]
    if not moves or not loadings:
        return None
    return Timing(
        loading=max(loadings),
        first_move=max(first.seconds for first, *_ in played),
        mean=fmean(moves),
        percentile_99=moves[ceil(0.99 * len(moves)) - 1],
        longest=moves[-1],
        longest_later=max((move.seconds for _, *later in played for move in later), default=None),
        bank=limits.bank,
        bank_taken=max(sum(overtimes(seat, limits.act_timeout)) for seat in played),
        bank_of_full_game=max(_of_full_games(games)),
    )


def _of_full_games(games: Sequence[ObservedGame]) -> Iterator[float]:
    """What a full game takes from the bank in each seat, judging by long games if there are any."""
    for seat in SEATS:
        of_seat = [game for game in games if game.moves.get(seat)]
        for game in [game for game in of_seat if game.plan.is_long] or of_seat:
            plan = game.plan
            moves, most = game.moves[seat], plan.most_moves(seat)
            yield sum(overtimes_of_full_game(moves, most, plan.rules.act_timeout))


def _why_left_out(games: Sequence[ObservedGame], planned: int, patience: float) -> str | None:
    if len(games) == planned:
        return None
    if not any(len(game.plan.seats) == 2 for game in games):
        return "the submission had failed"
    if patience == 0:
        return "those that only warn were left out on purpose, by a patience of 0"
    return "there was no time left; give more with --patience SECONDS"


def _result(game: ObservedGame) -> GameResult:
    return GameResult(
        name=str(game.plan),
        decides=game.plan.decides,
        act_timeout=game.plan.rules.act_timeout,
        moves=len(_moves(game)),
        longest=max((move.seconds for move in _moves(game)), default=None),
        is_complete=game.is_complete,
        fault=game.fault,
    )


def _moves(game: ObservedGame) -> list[Move]:
    return [move for moves in game.moves.values() for move in moves]


def _warnings(
    size: int,
    source: SourceFacts,
    choice: Choice | None,
    timing: Timing | None,
    games: Sequence[ObservedGame],
) -> Iterator[str]:
    """The warnings that are not part of a fault."""
    told = "\n".join(game.fault.cause for game in games if game.fault)
    if size > LARGE_BYTES:
        yield f"{size / 1e6:.1f} MB is large for Kaggle: stay well below {LARGE_BYTES / 1e6:g} MB"
    doubt = doubt_choice(choice, source)
    if doubt is not None and doubt not in told:
        yield doubt
    decisive_moves = [move for game in games if game.plan.decides for move in _moves(game)]
    if any(move.returned == "NoneType" for move in decisive_moves):
        yield "the agent returned None, which Kaggle plays as column 0: return a column"
    if failures := fallen_back(games):
        moves = sum(len(_moves(game)) for game in games)
        yield (
            f"in {len(failures)} of {moves} moves the agent gave no column that could be played, "
            f"and a makeshift one was played instead: fix its search ({failures[0]})"
        )
    if timing is not None and timing.bank / 2 < timing.bank_of_full_game <= timing.bank:
        yield (
            f"a full game would take about {timing.bank_of_full_game:.1f} s of the "
            f"{timing.bank:g} s in the bank: leave more, because Kaggle's machine may be slower"
        )
    if source.newer_line not in (None, source.unreadable_line):
        yield (
            f"Python {OLDER}, with which Kaggle may play, cannot read line {source.newer_line}: "
            "write it without the syntax of newer versions"
        )
    if source.early_line is not None:
        yield (
            f"an annotation in line {source.early_line} has a name that has no value there, but "
            "needs one in Kaggle's Python: begin with `from __future__ import annotations`"
        )
    for entry in source.imports or ():
        doubt, is_ours = doubt_import(entry), entry.module in PROJECT_MODULES
        if doubt and not is_ours and f"module {entry.module}" not in told:
            yield doubt
    for asked in dict.fromkeys(asked for game in games for asked in game.hidden):
        cause = of_hidden(asked)
        if cause.text not in told:
            yield f"{cause.text}: {cause.mend}"


def last_words(games: Sequence[ObservedGame]) -> str:
    """The last lines of standard error of the first of these games that has any.

    The traceback that Kaggle's runner writes when an exception ends a game is left out, because the
    fault contains the lines that concern the submission. Other stacks keep their innermost frames,
    without frames of Kaggle or of this project. The versions that a bundle reports are left out.
    """
    for game in games:
        text = OUTER_FRAMES.sub(r"\1", UNTOLD.sub("", _own_words(game)))
        lines = text.splitlines()
        words = "\n".join(line for line in lines if not line.startswith(PLAYED_WITH)).strip()
        if words:
            return "\n".join(words.splitlines()[-STDERR_LINES:])
    return ""


def _own_words(game: ObservedGame) -> str:
    """Standard error up to the traceback that Kaggle's runner wrote when it ended the game.

    Only the end of a move's output is kept, so the traceback's beginning may be missing.
    """
    text, failure = game.stderr, game.failure
    last_move = max(0, len(text) - LONGEST_TEXT)
    if failure is None or failure.status != "ERROR" or '  File "' not in text[last_move:]:
        return text
    begin = KAGGLES_TRACEBACK.search(text, last_move)
    own = text[: begin.start()].rstrip() if begin else ""
    if own and not any(own.endswith(chain) or chain.endswith(own) for chain in CHAINED):
        return own
    return text[:last_move] if begin or failure.lines else text


def fallen_back(games: Sequence[ObservedGame]) -> list[str]:
    """The reasons that a bundle wrote to standard error each time its agent gave no column."""
    return [
        line.removesuffix(FALL_BACK)
        for game in games
        for line in game.stderr.splitlines()
        if line.endswith(FALL_BACK)
    ]
