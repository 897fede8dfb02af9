"""The bounds within which strangers' bytes are read: what takes too long is ended."""

from collections.abc import Callable
from time import monotonic, sleep

import pytest

from tests.helpers import attacks
from tests.helpers.attacks import Hang, bounded

pytestmark = pytest.mark.attack


def compute(seconds: float) -> None:
    end = monotonic() + seconds
    while monotonic() < end:
        pass


@pytest.mark.parametrize("last", [sleep, compute])
def test_what_waits_or_computes_for_too_long_is_ended(last: Callable[[float], None]) -> None:
    with pytest.raises(Hang, match=r"^no end after 0\.2 s$"), bounded(0.2):
        last(60)


def test_time_in_which_others_have_the_processors_is_not_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(attacks, "seconds_in_queue", lambda: monotonic() * 3 / 4)
    with bounded(0.2):
        sleep(0.4)
    with pytest.raises(Hang), bounded(0.2):
        sleep(60)
