from dataclasses import replace

from submission.arena.players import Identity, Player, PlayerKind
from submission.executors.local_workers import Versions
from submission.match.completion import Completion
from submission.match.pairing_stats import pairing_stats
from tests.helpers.game_records import DRAW, LOSS, WIN, match_of


def test_each_pairing_has_its_own_figures() -> None:
    other = replace(LOSS, opponent="other")
    match = replace(match_of(WIN, DRAW, other), pairings=(("hero", "other"), ("hero", "rival")))
    assert match.stats() == (
        pairing_stats(("hero", "other"), [other]),
        pairing_stats(("hero", "rival"), [WIN, DRAW]),
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
    match = match_of(WIN)
    interrupted = {ending: replace(match, completion=ending).interrupted for ending in Completion}
    assert interrupted == {
        Completion.COMPLETE: False,
        Completion.INTERRUPTED: True,
        Completion.WORKER_DIED: False,
        Completion.UNFINISHED: False,
    }
