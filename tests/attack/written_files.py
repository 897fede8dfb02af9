"""Every kind of file that the project writes and reads: a good one, and its reader."""

import gzip
import json
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from math import inf
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import NamedTuple

from agents.book.book_format import REPERTOIRE, decode_book, decode_repertoire, encode_book
from agents.book.book_positions import BookScope
from agents.book.building.book_building import Checkpoint, build_book, build_repertoire
from agents.book.building.replies_file import RepliesFile, TrapScope
from agents.book.building.trap_book import build_traps
from agents.book.opening_book import open_book
from agents.book.repertoire import Repertoire, RepertoireScope
from agents.networks.network import decode_policy, decode_scope, encode_policy
from agents.policy.training.label_files import read_labelled_positions, write_labelled_positions
from agents.policy.training.labelling import LabelSettings, make_labelled_positions
from agents.solver.saved_table import load_table, save_table
from agents.solver.solver import Solver
from agents.trace.exercise import read_open_tree
from envs.connectx import ConnectX
from envs.explicit_tree import parse_tree
from submission.arena.game_record import GameConfiguration
from submission.arena.players import against_each, find_player
from submission.grading import solved_positions
from submission.grading.published_sets import read_positions_to_ask
from submission.match.results_file import ResultsHeader, new_results, read_results
from submission.match.run import play_match
from submission.match.schedule import Arena, Settings
from submission.reviewing.replays import read_agent_log, read_replays
from submission.sandbox.staging import stage
from tests.helpers.archives import tar
from tests.helpers.checks import GOOD
from tests.helpers.episodes import episode_of, write_episode, write_log
from tests.helpers.shell import printed
from tests.helpers.toy_learner import begun, files_in, train
from tests.helpers.trained_policies import random_policy

BOARD = ConnectX(4, 4, 3)
BOOK = BookScope(4, 4, 3, 4)
MOVES = RepertoireScope(4, 4, 3, -1, 7, 7)
TRAPS = TrapScope(4, 4, 3, 2, ("greedy",))
MEGABYTES = 1


class Layer(NamedTuple):
    """A wrapping of content, such as a compression or a checksum."""

    unfold: Callable[[bytes], bytes]
    fold: Callable[[bytes, bytes, Random], bytes]
    """Wraps other content; it is given the good file, too."""


class Format(NamedTuple):
    """A kind of file."""

    write: Callable[[Path], Path]
    """Writes a good one into a folder."""
    read: Callable[[Path], object]
    """Reads one, and makes use of it."""
    layer: Layer | None = None


def _results(folder: Path) -> Path:
    path, players = folder / "games.jsonl", [find_player(name) for name in ("random:", "greedy")]
    rules = GameConfiguration(rows=4, columns=5)
    settings = Settings(games=6, configuration=rules, arena=Arena.OWN)
    pairings = against_each(players[0], players[1:])
    with new_results(path, ResultsHeader.of(pairings, settings)) as results:
        play_match(pairings, settings, on_game=results.append)
    return path


def _use_results(path: Path) -> None:
    match = read_results(path)
    printed(match.tables(), 200)
    json.dumps(match.to_dict(), allow_nan=False)


def _scores(folder: Path) -> Path:
    checkpoint = Checkpoint(folder / "book.scores", BOOK)
    with checkpoint.opened(resume=False) as known, ThreadPoolExecutor(1) as executor:
        content = build_book(checkpoint, known, executor, MEGABYTES, lambda *_: None)
    (folder / "book.bin").write_bytes(encode_book(content))
    return checkpoint.path


def _moves(folder: Path) -> Path:
    checkpoint = Checkpoint(folder / "book.moves", MOVES)
    with checkpoint.opened(resume=False) as known, ThreadPoolExecutor(1) as executor:
        build_repertoire(checkpoint, known, executor, MEGABYTES, lambda *_: None)
    return checkpoint.path


def _replies(folder: Path) -> Path:
    checkpoint = RepliesFile(folder / "traps.replies", TRAPS)
    with checkpoint.opened(resume=False) as known, ThreadPoolExecutor(1) as executor:
        build_traps(checkpoint, known, executor, 1, MEGABYTES, inf, lambda *_: None)
    return checkpoint.path


def _repertoire(folder: Path) -> Path:
    return _written(folder / "repertoire.cxrp", REPERTOIRE.read())


def _use_repertoire(path: Path) -> None:
    repertoire, rng = decode_repertoire(path.read_bytes()), Random(1)
    for _ in range(3):
        _walk(repertoire, rng)


def _walk(repertoire: Repertoire, rng: Random) -> None:
    env = ConnectX(*repertoire.scope[:3])
    state = env.initial_state()
    while actions := env.get_available_actions(state):
        move = repertoire.move(state)
        if move not in (None, *actions):
            raise AssertionError(f"the move {move} is not legal")
        state = env.get_next_state(state, rng.choice(actions) if move is None else move)


def _table(folder: Path) -> Path:
    solver = Solver(ConnectX(4, 5), MEGABYTES)
    solver.score(solver.env.initial_state())
    save_table(solver, folder / "table.bin")
    return folder / "table.bin"


def _use_table(path: Path) -> None:
    solver = Solver(ConnectX(4, 5), MEGABYTES)
    load_table(solver, path)
    solver.score(solver.env.initial_state())


def _labels(suffix: str) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        with ThreadPoolExecutor(1) as executor:
            settings = LabelSettings(BOARD, 40, 1)
            labelled, _ = make_labelled_positions(settings, executor, 1, lambda *_: None)
        write_labelled_positions(folder / f"labels{suffix}", labelled)
        return folder / f"labels{suffix}"

    return write


def _training(folder: Path) -> Path:
    train(folder, rounds=2)
    return files_in(folder).checkpoint


def _use_training(path: Path) -> None:
    files_in(path.parent)._replace(policy=path.with_suffix(".npz")).restore(begun(BOARD))


def _stage(path: Path) -> None:
    with TemporaryDirectory() as folder:
        stage(path, Path(folder))


def _use_tree(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if read_open_tree(text) is None:
        parse_tree(text)


def _written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def _pons(folder: Path) -> Path:
    return _written(folder / "pons.txt", b"4444 2\n445566 -3\n1 0\n")


def _shipped_positions(folder: Path) -> Path:
    lines = Path(solved_positions.__file__).with_name("positions.jsonl").read_bytes().split(b"\n")
    return _written(folder / "positions.jsonl", _sealed_positions(b"\n".join(lines[:30]), b"", 0))


# --- what lies around them


def _sealed_positions(content: bytes, _: bytes, __: object) -> bytes:
    header, _, lines = content.partition(b"\n")
    hashed = sha256("\n".join(lines.decode(errors="replace").splitlines()).encode()).hexdigest()
    begin, key, end = header.partition(b'"sha256": "')
    return b"".join((begin, key, hashed.encode() * bool(key), end[64:])) + b"\n" + lines


def _checked(content: bytes, _: bytes, __: object) -> bytes:
    return content + zlib.crc32(content).to_bytes(4, "little")


def _checked_and_packed(content: bytes, good: bytes, rng: Random) -> bytes:
    header = bytearray(good[:14])
    if rng.random() < 0.5:
        header[rng.randrange(4, 14)] = rng.randrange(256)
    return _checked(bytes(header) + zlib.compress(content), b"", None)


def _packed_table(content: bytes, good: bytes, _: object) -> bytes:
    return good.partition(b"\n")[0] + b"\n" + zlib.compress(content, 1)


WITHOUT_CHECKSUM = Layer(lambda content: content[:-4], _checked)

FORMATS: dict[str, Format] = {
    "results": Format(_results, _use_results),
    "results as replays": Format(_results, read_replays),
    "episodes": Format(lambda folder: write_episode(episode_of("1212121"), folder), read_replays),
    "agents' logs": Format(
        lambda folder: write_log(episode_of("1212121"), folder, 0),
        lambda path: read_agent_log(path, 1),
    ),
    "saved tables": Format(
        _table,
        _use_table,
        Layer(lambda good: zlib.decompress(good.partition(b"\n")[2]), _packed_table),
    ),
    "books": Format(
        lambda folder: _scores(folder).with_name("book.bin"),
        lambda path: open_book(decode_book(path.read_bytes())),
        Layer(lambda good: zlib.decompress(good[14:-4]), _checked_and_packed),
    ),
    "repertoires": Format(_repertoire, _use_repertoire, WITHOUT_CHECKSUM),
    "checkpoints of books": Format(_scores, lambda path: Checkpoint(path, BOOK).read()),
    "checkpoints of repertoires": Format(_moves, lambda path: Checkpoint(path, MOVES).read()),
    "checkpoints of traps": Format(_replies, lambda path: RepliesFile(path, TRAPS).read()),
    "labelled positions (.npz)": Format(_labels(".npz"), read_labelled_positions),
    "labelled positions (.parquet)": Format(_labels(".parquet"), read_labelled_positions),
    "weights": Format(
        lambda folder: _written(folder / "policy.npz", encode_policy(random_policy(BOARD, 1))),
        lambda path: (decode_scope(path.read_bytes()), decode_policy(path.read_bytes())),
    ),
    "checkpoints of trainings": Format(_training, _use_training),
    "positions to grade with": Format(
        _shipped_positions, read_positions_to_ask, Layer(lambda good: good, _sealed_positions)
    ),
    "published positions": Format(_pons, read_positions_to_ask),
    "submission archives": Format(
        lambda folder: _written(
            folder / "mine.tar.gz",
            gzip.compress(tar(("main.py", GOOD.encode()), ("data/weights.bin", bytes(99)))),
        ),
        _stage,
        Layer(gzip.decompress, lambda content, *_: gzip.compress(content, 1)),
    ),
    "trees": Format(
        lambda folder: _written(
            folder / "tree.txt",
            b"{'a': [3, 12, {'chance': [[0.5, 8], [0.5, 2]]}], 'b': {'min': [4, '?', -6.5]}}",
        ),
        _use_tree,
    ),
}
