"""An evaluation from its results file, for whoever reports on it."""

from collections import Counter
from pathlib import Path

from submission.evaluating.evaluation import Ending, Evaluation
from submission.evaluating.ledger import Ledger
from submission.evaluating.results.results_content import parse_results


def read_results(path: Path) -> Evaluation:
    """The evaluation of all games in a results file, which is left as it is.

    It counts as unfinished where games are missing.

    Raises:
        ValueError: it is no results file, one of another version, or it is damaged.
        OSError: it cannot be read.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise OSError(
            f"cannot read {path} ({error.strerror}): name a file that --results has written"
        ) from error
    header, records, _ = parse_results(content, path)
    ledger = Ledger(header.pairings, header.settings.sprt)
    for record in records:
        ledger.add(record)
    played = Counter(record.pairing for record in records)
    is_complete = all(
        played[names] == header.settings.games or names in ledger.decisions
        for names in header.pairings
    )
    return Evaluation(
        players=header.players,
        pairings=header.pairings,
        settings=header.settings,
        versions=header.versions,
        ending=Ending.COMPLETE if is_complete else Ending.UNFINISHED,
        records=ledger.records,
    )
