"""`connectx book`, as it is typed."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from agents import make_agent
from agents.book.book_format import decode_book, decode_repertoire
from agents.book.book_positions import BookScope
from agents.book.building.book_building import Checkpoint
from agents.book.opening_book import open_book
from agents.book.repertoire import RepertoireScope
from envs import ConnectX
from submission.executors import work
from tests.helpers.brute_force import BruteForce, score_by_brute_force
from tests.helpers.processes import interrupted
from tests.helpers.shell import Shell
from tests.helpers.systems import needs_posix
from tests.helpers.trained_policies import policy_file

SCOPE = BookScope(4, 4, 3, 4)
SMALL = "--rows 4 --columns 4 --inarow 3 --plies 4 --workers 1 --table-megabytes 1"
LONG = "--rows 5 --columns 5 --inarow 4 --plies 10 --workers 1 --table-megabytes 64"


def test_a_book_is_written_and_its_scores_are_kept(shell: Shell, tmp_path: Path) -> None:
    outcome = shell.run("book", *SMALL.split())
    written = (tmp_path / "openings.cxbk").read_bytes()
    told = f"Wrote openings.cxbk, {len(written)} bytes: 82 scores.\n"
    assert (outcome.status, outcome.stdout) == (0, told)
    content = decode_book(written)
    assert content.scope == SCOPE
    scores = Checkpoint(tmp_path / "openings.cxbk.scores", SCOPE).read()
    assert content.deepest_scores.tolist() == [scores[key] for key in sorted(scores)]


def test_a_small_board_has_a_book_of_all_its_plies(shell: Shell, tmp_path: Path) -> None:
    board = "--rows 2 --columns 4 --inarow 3 --workers 1 --table-megabytes 1"
    assert shell.run("book", *board.split()).status == 0
    book, env = open_book(decode_book((tmp_path / "openings.cxbk").read_bytes())), ConnectX(2, 4, 3)
    assert book.scope.plies == 7
    begin = env.initial_state()
    assert book.score(begin) == score_by_brute_force(env, BruteForce(env), begin)


def test_resuming_solves_what_is_missing(shell: Shell, tmp_path: Path) -> None:
    shell.run("book", *SMALL.split(), "-o", "first.cxbk")
    whole = (tmp_path / "first.cxbk.scores").read_bytes()
    (tmp_path / "second.cxbk.scores").write_bytes(whole[:300])
    said = shell.output("book", *SMALL.split(), "-o", "second.cxbk", "--resume")
    assert "The last line of second.cxbk.scores was incomplete: its finding is" in said
    assert (tmp_path / "second.cxbk").read_bytes() == (tmp_path / "first.cxbk").read_bytes()
    written = (tmp_path / "second.cxbk.scores").read_bytes()
    assert sorted(written.splitlines()) == sorted(whole.splitlines())


@needs_posix
def test_ctrl_c_says_how_to_go_on(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "openings.cxbk.scores", BookScope(5, 5, 4, 10))
    ended = interrupted(
        *("book", *LONG.split()),
        until=lambda: checkpoint.path.exists() and checkpoint.read(),
        folder=tmp_path,
    )
    assert ended.returncode == 1
    said = r"Interrupted: (\d+) of 67752 positions are solved\. .*--resume.*\n"
    stopped = re.fullmatch(said, ended.stdout)
    assert stopped is not None
    assert len(checkpoint.read()) >= int(stopped[1])
    assert not (tmp_path / "openings.cxbk").exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--plies 42", "the plies of a book for ConnectX(rows=6, columns=7, inarow=4) must be"),
        ("--rows 9", "a book takes boards with columns * (rows + 1) at most 63"),
        ("--inarow 40", "and (inarow - 1) * (rows + 2) below 256, not 6 rows, 7 columns and 40 in"),
        ("--inarow 0", "inarow must be a whole number of at least 1, not 0"),
        ("--workers 0", "the number of workers must be at least 1, not 0"),
        (
            "--workers 2 --table-megabytes 99999999",
            "too little for 2 tables of 99999999 MB: give a smaller --table-megabytes or fewer",
        ),
        ("--seat 1", "--seat is only for --repertoire and --traps: add one of them"),
        ("--all-plies 3", "--all-plies is only for --repertoire: add it"),
        ("--traps --all-plies 3", "--all-plies is only for --repertoire: add it"),
        ("--minutes 3", "--opponent, --minutes and --improve are only for --traps: add it"),
        ("--opponent mcts", "--opponent, --minutes and --improve are only for --traps: add it"),
        ("--improve shipped", "--opponent, --minutes and --improve are only for --traps: add it"),
        ("--traps --improve absent.cxrp", "cannot read absent.cxrp"),
        ("--traps --improve shipped --seat 1", "shipped has no moves of player 1 on ConnectX("),
        ("--traps --improve shipped --rows 5", "shipped has no moves of player 2 on ConnectX("),
        ("--traps --repertoire", "--repertoire and --traps make different books: choose one"),
        ("--traps --seat 3", "the seat must be 1 or 2, not 3"),
        ("--traps --opponent nobody", "unknown agent 'nobody'"),
        ("--traps --opponent mcts:visits=3", "has no option 'visits'"),
        ("--traps --rows 5 --opponent policy", "this policy was trained for"),
        ("--traps --rows 8 --columns 8", "a repertoire takes boards with columns * (rows + 1)"),
        ("--repertoire --seat 3", "the seat must be 1 or 2, not 3"),
        ("--repertoire --plies 42", "must be from 0 to 41, not 42"),
        (
            "--repertoire --rows 8 --columns 8",
            "a repertoire takes boards with columns * (rows + 1)",
        ),
        ("--repertoire --resume --output absent/r.cxrp", "cannot write absent"),
    ],
)
def test_mistakes_are_one_sentence_and_leave_nothing(
    shell: Shell, tmp_path: Path, words: str, sentence: str
) -> None:
    assert sentence in shell.refusal("book", *words.split())
    assert list(tmp_path.iterdir()) == []


def test_the_weights_of_an_opponent_are_not_overwritten(shell: Shell, tmp_path: Path) -> None:
    weights = policy_file(ConnectX(4, 4, 3), tmp_path)
    words = ["book", "--traps", "--rows", "4", "--columns", "4", "--inarow", "3", "--opponent"]
    refusal = shell.refusal(*words, f"policy:weights={weights}", "--output", weights)
    assert "is read and would be overwritten" in refusal


REPERTOIRE = "book --repertoire --rows 4 --columns 4 --inarow 3 --workers 1 --table-megabytes 1"


def test_a_repertoire_of_one_seat(shell: Shell, tmp_path: Path) -> None:
    words = [*REPERTOIRE.split(), "--seat", "2", "--plies", "3", "-o", "moves.cxrp"]
    assert shell.run(*words).status == 0
    repertoire = decode_repertoire((tmp_path / "moves.cxrp").read_bytes())
    assert repertoire.scope == RepertoireScope(4, 4, 3, -1, -1, 3)
    assert "moves.cxrp.moves has the findings of an earlier run" in shell.refusal(*words)
    assert shell.run(*words, "--resume").status == 0


TRAPS = (
    "book --traps --rows 4 --columns 4 --inarow 3 --workers 1 --table-megabytes 1 --minutes inf "
    "--opponent greedy --opponent alphabeta:depth=2,time_limit=none"
)


@pytest.mark.parametrize(
    ("option", "words", "told", "scope"),
    [
        (
            "repertoire",
            f"{REPERTOIRE} --all-plies 2",
            r"the moves of \d+ positions",
            RepertoireScope(4, 4, 3, 2, 7, 7),
        ),
        # On this board player 2 is lost, and all that can be learnt is learnt in seconds.
        (
            "traps",
            TRAPS,
            r"\d+ traps, and the moves of the other positions",
            RepertoireScope(4, 4, 3, -1, -1, 7),
        ),
    ],
)
def test_moves_by_heart_are_written_and_played(
    shell: Shell, option: str, words: str, told: str, scope: RepertoireScope
) -> None:
    said = shell.output(*words.split())
    assert re.fullmatch(rf"Wrote {option}\.cxrp, \d+ bytes: {told}\.\n", said)
    book = decode_repertoire(Path(f"{option}.cxrp").read_bytes())
    assert book.scope == scope
    env, agent = ConnectX(4, 4, 3), make_agent("perfect", **{option: f"{option}.cxrp"})
    begin = env.initial_state()
    for state in (begin, *(env.get_next_state(begin, column) for column in range(4))):
        if scope.plies_of(state.player) >= 0:
            assert agent.act(env, state) == book.move(state) == agent.search(env, state).action
    assert shell.run("build", "perfect", "-O", f"{option}={option}.cxrp", "-o", "a.py").status == 0
    assert f"_{option.upper()}_FILE = b85decode(" in Path("a.py").read_text()


def test_a_book_of_traps_goes_on_from_what_was_found(shell: Shell, tmp_path: Path) -> None:
    assert shell.run(*TRAPS.split(), "-o", "first.cxrp").status == 0
    replies = (tmp_path / "first.cxrp.replies").read_bytes()
    (tmp_path / "second.cxrp.replies").write_bytes(replies[: len(replies) // 2])
    assert "earlier run" in shell.run(*TRAPS.split(), "-o", "second.cxrp").stderr
    assert shell.run(*TRAPS.split(), "-o", "second.cxrp", "--resume").status == 0
    found = (tmp_path / "second.cxrp.replies").read_bytes().splitlines()
    kept = replies[: len(replies) // 2].splitlines()[:-1]  # the last line was cut short
    assert found[: len(kept)] == kept
    assert len(set(found)) == len(found) > len(kept)
    repertoire = shell.run(*REPERTOIRE.split(), "--seat", "2", "-o", "second.cxrp", "--resume")
    assert "second.cxrp.moves does not belong to" in repertoire.stderr, "these are not exactly best"
    short = f"{TRAPS.replace('inf', '0')} --opponent minimax:depth=2 -o second.cxrp --resume"
    told = shell.run(*short.split()).stdout
    assert re.search(r"asked in 0 of the \d{2,} positions from before.* may be fewer traps", told)
    other = [word.replace("greedy", "random") for word in TRAPS.split()]
    for resume in ((), ("--resume",)):
        refused = shell.refusal(*other, "-o", "second.cxrp", *resume)
        assert re.search("second.cxrp.replies does not belong to .*: choose another", refused)


def test_a_finished_book_is_improved(shell: Shell, tmp_path: Path) -> None:
    assert shell.run(*TRAPS.split(), "-o", "first.cxrp").status == 0
    short = TRAPS.replace("inf", "0").split()
    assert shell.run(*short, "--improve", "first.cxrp", "-o", "second.cxrp").status == 0
    assert (tmp_path / "second.cxrp").read_bytes() == (tmp_path / "first.cxrp").read_bytes()
    assert shell.run(*short, "-o", "third.cxrp").status == 0
    assert (tmp_path / "third.cxrp").read_bytes() != (tmp_path / "first.cxrp").read_bytes()


def test_all_workers_of_a_cluster_look_for_traps(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def build(replies: object, known: object, executor: object, workers: int, *rest: object) -> Any:
        shared_by.append(workers)
        return {}

    shared_by = list[int]()
    monkeypatch.setattr("submission.cli.book.build_traps", build)
    monkeypatch.setattr(work, "dask_executor", lambda address: ThreadPoolExecutor(1))
    monkeypatch.setattr(work, "cluster_size", lambda address: 16)
    assert shell.run(*TRAPS.split(), "--plies", "0", "--dask", "127.0.0.1:8786").status == 0
    assert shared_by == [16]
