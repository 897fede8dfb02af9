"""Archives and sources that are made to do damage: they are read or refused, and nothing else."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from submission.arena.players import find_player
from submission.sandbox.staging import stage
from tests.attack.hostile_archives import SOURCES, hostile_weights, submissions
from tests.attack.written_files import FORMATS
from tests.helpers.attacks import Tally, Workplace, chance, fault_of_reading, scaled

pytestmark = pytest.mark.attack

ARCHIVES_OF_ARRAYS = ("weights", "labelled positions (.npz)", "checkpoints of trainings")

COMMANDS = 8
"""So many archives, too, are given to commands."""


def test_submissions_are_unpacked_or_refused(tmp_path: Path, tally: Tally) -> None:
    place = tmp_path / "place"
    place.mkdir()
    for number, (name, content) in enumerate(submissions().items()):
        file, folder = place / f"{number}.tar.gz", place / f"folder{number}"
        file.write_bytes(content)
        folder.mkdir()
        readings: dict[str, Callable[[], object]] = {
            "checked": partial(stage, file, folder),
            "played": partial(find_player, str(file)),
        }
        for way, read in readings.items():
            fault = fault_of_reading(read)
            tally.hold(fault is None, f"{name}, {way}: {fault}")
        there = [*folder.rglob("*")]
        tally.hold(
            all(path.is_dir() or path.is_file() for path in there if not path.is_symlink())
            and not any(path.is_symlink() for path in there),
            f"{name}: it has left what is no plain file",
        )
        tally.add("hostile archives")
    escaped = [*tmp_path.glob("escaped"), *Path("/tmp").glob("connectx-escap*")]
    tally.hold(not escaped, f"written outside: {escaped}")


def test_archives_of_arrays_are_read_or_refused(tmp_path: Path, tally: Tally) -> None:
    for kind in ARCHIVES_OF_ARRAYS:
        written, folder = FORMATS[kind], tmp_path / kind
        folder.mkdir()
        good = written.write(folder)
        hostile = good.with_name(f"hostile{good.suffix}")
        for name, content in hostile_weights(good.read_bytes()).items():
            hostile.write_bytes(content)
            fault = fault_of_reading(partial(written.read, hostile))
            tally.hold(fault is None, f"{kind}, {name}: {fault}")
            tally.add("hostile archives of arrays")


def test_commands_say_what_is_wrong_with_an_archive(tmp_path: Path, tally: Tally) -> None:
    place, rng = Workplace(tmp_path), chance("archives")
    chosen = rng.sample(sorted(submissions()), scaled(COMMANDS))
    for number, name in enumerate(chosen):
        (place.folder / f"{number}.tar.gz").write_bytes(submissions()[name])
        ended = place.run(f"check {number}.tar.gz --patience 0 --game-seconds 1")
        tally.hold(ended.is_orderly, f"{name}: {ended}")
        tally.add("commands on hostile files")
    every = hostile_weights(FORMATS["weights"].write(tmp_path).read_bytes())
    for number, name in enumerate(rng.sample(sorted(every), scaled(COMMANDS))):
        (place.folder / f"{number}.npz").write_bytes(every[name])
        ended = place.run(f"build alphazero --option weights={number}.npz --force")
        tally.hold(ended.is_orderly, f"weights, {name}: {ended}")
        tally.add("commands on hostile files")
    tally.hold(not (left := place.left_behind()), f"left behind: {left}")


def test_commands_say_what_is_wrong_with_a_source(tmp_path: Path, tally: Tally) -> None:
    """Each by a process of its own, which Python's own parser could crash."""
    place, rng = Workplace(tmp_path), chance("sources")
    for number, (name, source) in enumerate(SOURCES.items()):
        (place.folder / f"{number}.py").write_bytes(source)
        evaluate = f"evaluate good.py --against {number}.py --games 2 --workers 1"
        check = f"check {number}.py --patience 0 --game-seconds 1"
        ended = place.run(rng.choice([evaluate, check]))
        tally.hold(ended.is_orderly, f"{name}: {ended}")
        tally.add("commands on hostile files")
    tally.hold(not (left := place.left_behind()), f"left behind: {left}")
