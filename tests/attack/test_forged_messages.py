"""Players that write messages of their process themselves: they alone fail, and the run goes on."""

from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from submission.match.results_file import read_results
from submission.sandbox.messages import KeyedLines, Message
from tests.helpers.attacks import Tally, Workplace, bounded, chance, scaled
from tests.helpers.forgeries import ANSWER, GENUINE, distorted, is_sound, line_of
from tests.helpers.sandboxed import ask, player

pytestmark = pytest.mark.attack

PLAYERS = 60
LINES = 8
"""The messages that each of them writes at a time."""
COMMAND_PLAYERS = 10
CHUNKS = 3000

KEY = b"THE-KEY"
"""Stands for the key of a player's messages, which it finds in its own process."""


def forged(rng: Random) -> bytes:
    """A line that is nearly a message."""
    line = KEY * (rng.random() < 0.97) + line_of(distorted(rng, GENUINE))
    for _ in range(rng.choice([0, 0, 0, 1, 5])):
        place = rng.randrange(len(line))
        line = line[:place] + rng.randbytes(rng.randrange(3)) + line[place + rng.randrange(2) :]
    return line + b"\n"


FORGER = """
import gc, os, time
LINES = {lines!r}
def agent(observation):
    responder = next(one for one in gc.get_objects() if type(one).__name__ == "Responder")
    for line in LINES:
        os.write(responder._answers, line.replace({key!r}, responder._key.encode()))
    {then}
"""

THEN = ("return 3", "time.sleep(999)", "os._exit(0)", "raise ValueError('x')")


def forger(lines: Sequence[bytes], then: str) -> str:
    return FORGER.format(lines=list(lines), key=KEY, then=then)


def random_forger(rng: Random) -> str:
    return forger([forged(rng) for _ in range(LINES)], rng.choice(THEN))


def test_a_forged_answer_arrives() -> None:
    """So the attacks of this module are attacks: who sleeps has moved all the same."""
    answer = b"\n" + KEY + line_of(ANSWER)
    with player(forger([answer], "time.sleep(999)")) as running:
        assert ask(running, limit=5).column == 3


def test_who_forges_messages_harms_nobody_else(tally: Tally) -> None:
    rng = chance("forged")
    for number in range(scaled(PLAYERS)):
        source = random_forger(rng)
        try:
            with bounded(60), player(source) as running:
                moves = [ask(running, limit=0.5) for _ in range(2)]
            with bounded(60), player("def agent(observation): return 5") as running:
                honest = ask(running)
        except BaseException as error:
            tally.hold(False, f"{number}: {error!r} of\n{source}")
            continue
        tally.add("forged messages", LINES * 2)
        tally.hold(all(map(is_sound, moves)), f"{number}: {moves} of\n{source}")
        tally.hold(honest.column == 5, f"{number}: the next player {honest} after\n{source}")


def test_a_match_with_forgers_has_all_games(tmp_path: Path, tally: Tally) -> None:
    place, rng, count = Workplace(tmp_path), chance("forgers"), scaled(COMMAND_PLAYERS)
    for number in range(count):
        source = forger([forged(rng) for _ in range(LINES)], "return 3")
        (place.folder / f"{number}.py").write_text(source)
        tally.add("forged messages", LINES)
    against = " ".join(f"--against {number}.py" for number in range(count))
    ended = place.run(
        f"evaluate good.py {against} --games 2 --act-timeout 1 --workers 2 --results games.jsonl"
    )
    tally.hold(ended.is_orderly, str(ended))
    records = read_results(place.folder / "games.jsonl").records
    tally.hold(len(records) == 2 * count, f"{len(records)} games of {2 * count}")
    for record in records:
        tally.hold("good.py" not in record.failures, f"the honest player failed: {record}")
    tally.hold(not (left := place.left_behind()), f"left behind: {left}")


def test_the_reader_takes_in_anything(tally: Tally) -> None:
    rng = chance("reader")
    lines, broken = KeyedLines(KEY.decode()), 0
    for _ in range(scaled(CHUNKS)):
        chunk = forged(rng) if rng.random() < 0.7 else rng.randbytes(rng.randrange(3000))
        for part in (chunk[: len(chunk) // 2], chunk[len(chunk) // 2 :]):
            found = lines.take_in(part)
            broken += not all(isinstance(message, Message) for message in found)
        tally.add("forged messages")
    tally.hold(not broken, f"{broken} messages without an event")
