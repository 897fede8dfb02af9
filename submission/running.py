"""Runs a match with a progress bar, on the executor that is asked for."""

import os
from collections.abc import Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from submission.executors.dask_workers import dask_executor
from submission.executors.local_workers import local_executor
from submission.match.game_record import GameRecord
from submission.match.match import Match
from submission.match.players import Pairing
from submission.match.results_content import ResultsHeader
from submission.match.results_file import ResultsFile, new_results, resumed_results
from submission.match.run import play_match
from submission.match.schedule import Settings
from submission.terminal import console, progress_bar

CORES = (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()) or 1


def chosen_executor(workers: int, dask: str | None) -> AbstractContextManager[Executor]:
    """So many worker processes here; or those of the Dask scheduler at an address.

    Raises:
        ValueError, OSError, ModuleNotFoundError: as `local_executor` and `dask_executor`.
    """
    return local_executor(workers) if dask is None else dask_executor(dask)


@dataclass(frozen=True)
class Run:
    """Where games are played, and where they are kept.

    Raises:
        ValueError: a run to resume without its file.
    """

    workers: int
    dask: str | None = None
    """Address of a Dask scheduler, whose workers play instead of `workers` processes here."""
    results: Path | None = None
    resume: bool = False
    progress: bool = True
    """Whether a bar on stderr shows how far it is."""

    def __post_init__(self) -> None:
        if self.resume and self.results is None:
            raise ValueError("--resume goes on from a file: name it with --results FILE")

    def play(self, title: str, pairings: Sequence[Pairing], settings: Settings) -> Match:
        """Play what is not yet in the results file, and add it there.

        Raises:
            ValueError, OSError, ModuleNotFoundError: see `play_match`, `resumed_results` and the
                executors; before any game is played.
        """
        header = ResultsHeader.of(pairings, settings)
        with (
            self._results_file(header) as results,
            chosen_executor(self.workers, self.dask) as executor,
        ):
            played = () if results is None else results.played
            if results is not None and results.was_torn:
                console.print("The last game of the file was not whole: it is played again.")
            total, numbers = settings.games * len(pairings), count(len(played) + 1)
            with progress_bar(title, self.progress) as show:
                show(len(played), total, "")

                def keep(record: GameRecord) -> None:
                    if results is not None:
                        results.append(record)
                    show(next(numbers), total, f"{record.player} against {record.opponent}")

                return play_match(
                    pairings, settings, executor=executor, played=played, on_game=keep
                )

    def _results_file(self, header: ResultsHeader) -> AbstractContextManager[ResultsFile | None]:
        if self.results is None:
            return nullcontext()
        return (resumed_results if self.resume else new_results)(self.results, header)
