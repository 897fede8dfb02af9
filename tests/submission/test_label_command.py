"""`connectx positions --labels`, as it is typed."""

import re
from pathlib import Path
from typing import Any

import pytest

from agents.policy.training import label_files, labelling
from agents.policy.training.label_files import read_labelled_positions
from envs import ConnectX
from envs.bitboard import mirrored
from tests.helpers.shell import Shell
from tests.helpers.shipped_positions import SHIPPED

SMALL = "--rows 4 --columns 4 --inarow 3 --workers 1"


def test_labels_are_written(shell: Shell, tmp_path: Path) -> None:
    outcome = shell.run("positions", "--labels", "200", *SMALL.split())
    assert (outcome.status, outcome.stdout) == (0, "Wrote labels.npz: 200 labelled positions.\n")
    positions = read_labelled_positions(tmp_path / "labels.npz")
    assert (len(positions), positions.env) == (200, ConnectX(4, 4, 3))


def test_a_board_with_fewer_positions_gives_those_that_are_found(
    shell: Shell, tmp_path: Path
) -> None:
    words = "--labels 100 --rows 2 --columns 2 --inarow 3 --workers 1 -o few.npz"
    said = shell.output("positions", *words.split())
    # Rare positions may be missing: the command does not claim that there are no others.
    told = r"Wrote few\.npz: (\d+) labelled positions; many more games found no others\.\n"
    found = re.fullmatch(told, said)
    assert found is not None
    assert len(read_labelled_positions(tmp_path / "few.npz")) == int(found[1]) < 100


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--labels 0", "the number of labelled positions must be from 1 to 10000000, not 0"),
        ("--labels 99999999", "must be from 1 to 10000000, not 99999999"),
        ("--labels 5 --seed -1", "seed must be at least 0"),
        ("--labels 5 --rows 11 --columns 12", "takes, of at most 124 cells and 256 bits"),
        ("--labels 5 --rows 0", "rows must be a whole number of at least 1, not 0"),
        ("--labels 5 --workers 0", "the number of workers must be at least 1, not 0"),
        ("--labels 5 -o labels.csv", r"must end in \.npz or \.parquet, not labels\.csv"),
        ("--labels 5 -o no/labels.npz", "cannot write .*labels.npz"),
        ("--labels 5 --per-ply 3", "leave them out with --labels"),
        ("--labels 5 --last-ply 20", "leave them out with --labels"),
        ("--columns 6", "add --labels for other boards"),
    ],
)
def test_bad_input_is_one_sentence(shell: Shell, tmp_path: Path, words: str, message: str) -> None:
    assert re.search(message, shell.refusal("positions", *words.split()))
    assert list(tmp_path.iterdir()) == []


def test_an_earlier_file_stays_whole_when_writing_fails(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell.run("positions", "--labels", "50", *SMALL.split())
    earlier = (tmp_path / "labels.npz").read_bytes()

    def fail(positions: object) -> bytes:
        raise OSError("the disk is full")

    monkeypatch.setitem(label_files.CODECS, ".npz", (fail, label_files.CODECS[".npz"][1]))
    assert shell.run("positions", "--labels", "60", *SMALL.split()).status == 2
    assert (tmp_path / "labels.npz").read_bytes() == earlier


def test_ctrl_c_keeps_what_is_labelled(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    take, calls = labelling._new_positions, 0

    def interrupted(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls in (1, 4):
            raise KeyboardInterrupt
        return take(*arguments)

    monkeypatch.setattr(labelling, "_new_positions", interrupted)
    words = f"positions --labels 5000000 {SMALL} -o some.npz".split()
    outcome = shell.run(*words)
    said = "Interrupted: nothing is labelled yet, and some.npz is not written.\n"
    assert (outcome.status, outcome.stdout, [*tmp_path.iterdir()]) == (1, said, [])
    outcome = shell.run(*words)
    said = r"Interrupted\. Wrote some\.npz: (\d+) labelled positions of 5000000\.\n"
    stopped = re.fullmatch(said, outcome.stdout)
    assert outcome.status == 1
    assert stopped is not None
    assert len(read_labelled_positions(tmp_path / "some.npz")) == int(stopped[1]) > 0


def test_graded_positions_are_left_out_but_for_where_every_game_begins(
    shell: Shell, tmp_path: Path
) -> None:
    """So are their mirror images; positions of up to 3 plies would be among the first 300."""
    said = shell.output("positions", "--labels", "300", "--workers", "1")
    labelled = read_labelled_positions(tmp_path / "labels.npz")
    pairs = set(zip(labelled.movers.tolist(), labelled.masks.tolist(), strict=True))
    graded = SHIPPED.positions
    for position in graded:
        mover, mask = position.state.mover, position.state.mask
        if position.ply > 3:
            assert (mover, mask) not in pairs
            assert (mirrored(6, 7, mover), mirrored(6, 7, mask)) not in pairs
    left_out = f", without {300 - len(labelled)} that `connectx grade` asks about.\n"
    assert said == f"Wrote labels.npz: {len(labelled)} labelled positions{left_out}"
    assert len(labelled) < 300
    assert ConnectX().initial_state() in [position.state for position in graded]
    assert labelled.plies.min() == 0
