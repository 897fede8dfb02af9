from dataclasses import replace

from submission.match.match import Ending, Identity, Versions, summarise
from submission.match.players import Player, PlayerKind
from tests.helpers.game_records import DRAW, LOSS, WIN, evaluation_of


def test_each_pairing_has_its_own_figures() -> None:
    other = replace(LOSS, opponent="other")
    evaluation = replace(
        evaluation_of(WIN, DRAW, other), pairings=(("hero", "other"), ("hero", "rival"))
    )
    assert evaluation.summaries() == (
        summarise(("hero", "other"), [other]),
        summarise(("hero", "rival"), [WIN, DRAW]),
    )


def test_current_versions_are_those_installed() -> None:
    versions = Versions.current()
    assert versions.kaggle_environments is not None
    assert versions.kaggle_environments.startswith("1.")
    assert versions.python.startswith("3.")


def test_a_player_is_known_by_its_content() -> None:
    # The SHA-256 of "abc" is an example of FIPS 180-2.
    identity = Identity.of(Player("main.py", PlayerKind.FILE, b"abc"))
    assert identity.sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_only_ctrl_c_is_an_interruption() -> None:
    evaluation = evaluation_of(WIN)
    interrupted = {ending: replace(evaluation, ending=ending).interrupted for ending in Ending}
    assert interrupted == {
        Ending.COMPLETE: False,
        Ending.INTERRUPTED: True,
        Ending.WORKER_DIED: False,
        Ending.UNFINISHED: False,
    }
