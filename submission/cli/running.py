"""Games with a progress bar, wherever they are played and kept."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import typer

from submission.cli.console import console
from submission.evaluating.evaluate import evaluate
from submission.evaluating.evaluation import Ending, Evaluation
from submission.evaluating.game_record import GameRecord
from submission.evaluating.pairing import Pairing
from submission.evaluating.results.results_file import ResultsFile, new_results, resumed_results
from submission.evaluating.results.results_header import ResultsHeader
from submission.evaluating.settings import Settings
from submission.executors.choice import chosen_executor
from submission.progress import progress_bar


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

    def __post_init__(self) -> None:
        if self.resume and self.results is None:
            raise ValueError("--resume goes on from a file: name it with --results FILE")

    def play(self, title: str, pairings: Sequence[Pairing], settings: Settings) -> Evaluation:
        """Play what is not yet in the results file, and add it there.

        Raises:
            ValueError, OSError, ModuleNotFoundError: see `evaluate`, `resumed_results` and the
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
            with progress_bar(title) as show:
                show(len(played), total, "")

                def keep(record: GameRecord) -> None:
                    if results is not None:
                        results.append(record)
                    show(next(numbers), total, f"{record.player} against {record.opponent}")

                return evaluate(pairings, settings, executor=executor, played=played, on_game=keep)

    @contextmanager
    def _results_file(self, header: ResultsHeader) -> Iterator[ResultsFile | None]:
        if self.results is None:
            yield None
            return
        open_results = resumed_results if self.resume else new_results
        with open_results(self.results, header) as results:
            yield results


def require_complete(ending: Ending) -> None:
    """End the command with status 1 where something is missing.

    Raises:
        typer.Exit: an interrupt, or the death of workers, has ended the work.
    """
    if ending is not Ending.COMPLETE:
        raise typer.Exit(1)
