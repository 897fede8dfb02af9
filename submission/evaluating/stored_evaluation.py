"""An evaluation from its results file, for whoever reports on it."""

from collections import Counter
from pathlib import Path

from submission.evaluating.evaluation import Ending, Evaluation
from submission.evaluating.ledger import Ledger
from submission.evaluating.pairing import Pairing
from submission.evaluating.players import Player
from submission.evaluating.results_content import parse_results
from submission.evaluating.results_header import ResultsHeader


def read_results(path: Path) -> Evaluation:
    """The evaluation of all games in a results file, which is left as it is.

    It counts as interrupted where games are missing.

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
    ledger = Ledger(_pairings(header), header.settings.sprt)
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
        ending=Ending.COMPLETE if is_complete else Ending.INTERRUPTED,
        records=ledger.records,
    )


def _pairings(header: ResultsHeader) -> list[Pairing]:
    """Who met whom: the players by name and kind, without what they submitted."""
    players = {player.name: Player(player.name, player.kind) for player in header.players}
    return [Pairing(players[player], players[opponent]) for player, opponent in header.pairings]
