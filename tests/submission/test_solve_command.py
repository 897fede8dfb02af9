"""`connectx solve`: scores as other solvers give them, in words, in lines, and in JSON."""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from signal import SIGINT
from types import SimpleNamespace

import pytest

from agents.solver.saved_table import save_table
from agents.solver.score_words import in_words
from agents.solver.solver import ScoreBounds, Solver
from envs import ConnectFour, board_text, state_from_moves
from tests.helpers.bitbully_judge import Judge
from tests.helpers.processes import Piped, running_command
from tests.helpers.published_positions import published_positions
from tests.helpers.shell import Outcome, Shell, Terminal
from tests.helpers.strategies import quiet_game
from tests.helpers.systems import needs_posix

Solve = Callable[..., Outcome]

LATE = "526413766633133111176537"


@pytest.fixture
def solve(shell: Shell) -> Solve:
    """As at a terminal, unless something comes through a pipe."""
    return lambda *words, stdin=None: shell.run("solve", *words, stdin=stdin or Terminal())


@pytest.fixture(scope="module")
def late_scores() -> dict[int, int]:
    """The score of each column that is not full, from 0, by BitBully."""
    return Judge().scores(LATE)


def test_lines_of_moves_become_lines_with_the_published_scores(solve: Solve) -> None:
    positions = published_positions("mid-easy", 50)
    outcome = solve("-", stdin="".join(f"{moves}\n" for moves, _ in positions))
    assert outcome.status == 0
    assert outcome.stdout == "".join(f"{moves} {score}\n" for moves, score in positions)


def test_all_adds_the_score_of_each_column(solve: Solve, late_scores: dict[int, int]) -> None:
    outcome = solve("--all", stdin=f"{LATE}\n")
    columns = [str(late_scores.get(column, "-")) for column in range(7)]
    assert outcome.stdout.split() == [LATE, str(max(late_scores.values())), *columns]


def test_json_has_the_score_of_each_column(solve: Solve, late_scores: dict[int, int]) -> None:
    record = json.loads(solve(LATE, "--json").stdout)
    assert record["moves"] == LATE
    assert record["score"] == record["lower"] == record["upper"] == -2
    assert record["best"] == [4]
    assert {entry["column"] - 1: entry["score"] for entry in record["columns"]} == late_scores


def test_json_of_many_positions_is_a_line_each(solve: Solve) -> None:
    lines = solve("--json", stdin=f"{LATE}\n\n{LATE}4\n").stdout.splitlines()
    records = [json.loads(line) for line in lines]
    assert [record["moves"] for record in records] == [LATE, f"{LATE}4"]
    assert [record["score"] for record in records] == [-2, 2]
    assert all("columns" not in record for record in records)


def test_the_picture_has_the_board_the_scores_and_their_meaning(
    solve: Solve, late_scores: dict[int, int]
) -> None:
    lines = solve(LATE).stdout.splitlines()
    shown = [line.split() for line in lines]
    board = board_text(ConnectFour(), state_from_moves(ConnectFour(), LATE)).splitlines()
    assert shown[:7] == [line.split() for line in board]
    assert shown[7] == [*map(str, late_scores.values())]
    assert "Player 1 (X) is to move: loses in 8 moves." in lines
    assert [line.split()[1] for line in lines if line.endswith("best")] == ["4"]
    assert any(line.startswith("A score of 3: the player to move wins") for line in lines)


@pytest.mark.parametrize(
    ("rows", "columns", "winner", "last_move"), [(4, 6, "-", 24), (5, 5, "=", 25)]
)
def test_the_size_of_a_board_is_enough(
    solve: Solve, rows: int, columns: int, winner: str, last_move: int
) -> None:
    """Values by J. Tromp, last moves by C. Steininger."""
    outcome = solve("--rows", str(rows), "--columns", str(columns))
    assert outcome.status == 0
    lines = outcome.stdout.splitlines()
    meaning = {"-": "loses in 12 moves", "=": "draw"}[winner]
    assert f"Player 1 (X) is to move: {meaning}." in lines
    assert f"Under best play the game ends with move {last_move}." in lines
    assert f"Score: {-1 if winner == '-' else 0}" in lines
    assert not any(line.startswith("column") for line in lines)
    assert " positions visited, " in lines[-1]


def test_the_last_move_is_the_last_of_best_play(solve: Solve) -> None:
    """Both players follow the best columns until the game is over."""
    env, moves = ConnectFour(), LATE
    expected = json.loads(solve(LATE, "--json").stdout)["last_move"]
    while env.get_available_actions(state_from_moves(env, moves)):
        record = json.loads(solve(moves, "--json").stdout)
        assert record["last_move"] == expected
        moves += str(record["best"][0])
    assert len(moves) == expected
    unsolved = json.loads(solve(LATE[:12], "--json", "--time-limit", "0").stdout)
    assert unsolved["last_move"] is None


def test_ctrl_c_prints_the_bounds_and_keeps_the_table(
    solve: Solve, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("agents.solver.solver.STEP_NODES", 100_000)
    monkeypatch.setattr("submission.cli.solve.KEEP_SECONDS", 0.0)
    kept: list[Path] = []

    def keep(solver: Solver, file: Path) -> None:
        save_table(solver, file)
        kept.append(file)
        if len(kept) == 1:
            raise KeyboardInterrupt

    monkeypatch.setattr("submission.cli.solve.save_table", keep)
    board = ("--rows", "5", "--columns", "7", "--table-megabytes", "4", "--table", "my.table")
    outcome = solve(*board)
    assert outcome.status == 1
    assert "Player 1 (X) is to move: not decided yet." in outcome.stdout
    assert re.search(r"^Score: -?[0-9]+\.\.[0-9]+$", outcome.stdout, re.MULTILINE)
    assert kept == [Path("my.table")] * 2, "at an interval, and at the end"
    assert [path.name for path in tmp_path.iterdir()] == ["my.table"]

    monkeypatch.setattr("submission.cli.solve.save_table", save_table)
    outcome = solve(*board, "--resume")
    assert outcome.status == 0
    assert "Under best play the game ends with move 35." in outcome.stdout
    again = solve(*board, "--resume", "--json")
    assert json.loads(again.stdout)["score"] == 0


def test_a_disk_that_is_full_for_a_while_ends_no_search(
    solve: Solve, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("agents.solver.solver.STEP_NODES", 100_000)
    monkeypatch.setattr("submission.cli.solve.KEEP_SECONDS", 0.0)
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    full = [OSError("cannot write my.table (No space left on device)")]

    def keep(solver: Solver, file: Path) -> None:
        if full:
            raise full.pop()
        save_table(solver, file)

    monkeypatch.setattr("submission.cli.solve.save_table", keep)
    outcome = solve("--rows", "5", "--columns", "5", "--table", "my.table", "--json")
    assert (outcome.status, json.loads(outcome.stdout)["score"]) == (0, 0)
    assert "No space left on device" in outcome.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["my.table"]


def test_a_time_limit_gives_bounds_and_no_guess(solve: Solve) -> None:
    """On 6 rows and 8 columns the second player wins (J. Tromp), so each first move loses."""
    board = ("--rows", "6", "--columns", "8")
    record = json.loads(solve("", *board, "--json", "--time-limit", "0.2").stdout)
    assert record["score"] is None
    assert record["lower"] < 0
    assert all(entry["lower"] < 0 for entry in record["columns"])
    assert "?" in solve("", *board, "--time-limit", "0").stdout


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        (ScoreBounds(2, 2), "wins in 8 moves"),
        (ScoreBounds(2, 9), "wins in at most 8 moves"),
        (ScoreBounds(-9, -2), "loses in at most 8 moves"),
        (ScoreBounds(0, 0), "draw"),
        (ScoreBounds(0, 5), "draws at least"),
        (ScoreBounds(-5, 0), "draws at most"),
        (ScoreBounds(-1, 1), "not decided yet"),
    ],
)
def test_bounds_in_words(bounds: ScoreBounds, words: str) -> None:
    state = state_from_moves(ConnectFour(), LATE)
    assert in_words(ConnectFour(), state, bounds) == words


@pytest.mark.parametrize(
    ("words", "lines", "sentence"),
    [
        ("9", None, "move 1 of '9' is 9: legal: 1, 2, 3, 4, 5, 6, 7"),
        ("1212121", None, "after '1212121' the game is over, and won by player 1"),
        ("1 --rows 1 --columns 1", None, "after '1' the game is over, in a draw"),
        ("4 --rows 20", None, "columns * (rows + 1) at most 256"),
        ("4 --inarow 0", None, "inarow must be a whole number of at least 1"),
        ("4 --rows 101", None, "'--rows'"),
        (f"4 --columns {10**30}", None, "'--columns'"),
        ("4 --inarow 10000000", None, "'--inarow'"),
        ("4 --table-megabytes 65536", None, "give a smaller --table-megabytes"),
        ("4 --time-limit -1", None, "'--time-limit'"),
        ("4 --time-limit inf", None, "time_limit must be finite, not inf"),
        ("", None, "no position is given: add its moves, as in `connectx solve 4453`"),
        ("--rows 4 --columns 5", "\n", "no position is given: add its moves"),
        ("-", "4\n\n48\n", "line 3: move 2 of '48' is 8"),
        ("-", "4\n1212121\n", "line 2: after '1212121' the game is over"),
        ("--table old", None, "old already exists: go on from it with --resume, or name another"),
        ("--table old --resume", None, "old must begin with the format 'connectx solver table"),
        ("--table absent --resume", None, "cannot read the table absent"),
        ("--table no/such/folder", None, "cannot write no/such/folder"),
        ("--rows 5 --resume", None, "--resume goes on from a table: name its file with --table"),
        ("--resume", None, "--resume goes on from a table: name its file with --table"),
        ("- --table new", None, "--table is for one position: add its moves"),
        ("4 --threads 0", None, "'--threads'"),
        ("4 --table-megabytes 0", None, "'--table-megabytes'"),
        ("4 --table-megabytes 99999999", None, "'--table-megabytes'"),
    ],
)
def test_mistakes_are_one_sentence_and_nothing_is_solved(
    shell: Shell, words: str, lines: str | None, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("old").write_text("something else\n")
    monkeypatch.setattr("psutil.virtual_memory", lambda: SimpleNamespace(available=4 << 30))
    stdin = Terminal() if lines is None else lines
    assert sentence in shell.refusal("solve", *words.split(), stdin=stdin)
    assert [*Path().iterdir()] == [Path("old")]
    assert Path("old").read_text() == "something else\n"


@pytest.mark.parametrize("sizes", ["--inarow 8", "--inarow 30", "--rows 9 --columns 8 --inarow 10"])
def test_where_no_line_fits_every_game_is_a_draw(solve: Solve, sizes: str) -> None:
    record = json.loads(solve("1", "--json", *sizes.split()).stdout)
    assert {entry["score"] for entry in record["columns"]} == {record["score"]} == {0}


@pytest.mark.parametrize(
    ("line", "moves"),
    [
        (", ".join(LATE), ",".join(LATE)),
        (" ".join(LATE), ",".join(LATE)),
        (f"{' '.join(LATE[:9])} , {','.join(LATE[9:])}", ",".join(LATE)),
        (f"\N{ZERO WIDTH NO-BREAK SPACE}{LATE}", LATE),  # a byte order mark
    ],
)
def test_moves_may_be_separated_or_marked(solve: Solve, line: str, moves: str) -> None:
    assert solve("-", stdin=f"{line}\n{LATE}4\n").stdout == f"{moves} -2\n{LATE}4 2\n"


def test_the_bar_stays_out_of_a_file(solve: Solve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal, but for the lines
    outcome = solve("-", stdin=f"{LATE}\n{LATE}4\n")
    assert outcome.stdout == f"{LATE} -2\n{LATE}4 2\n"
    assert "Solving" in outcome.stderr
    assert "2/2" in outcome.stderr


def complaints(process: Piped) -> str:
    """What it has said on standard error, but for the notice that something is compiled."""
    said = process.stderr.read().splitlines()
    return "".join(line for line in said if "is being compiled" not in line).strip()


def ask(process: Piped, moves: str) -> str:
    """The answer to a line, while the input goes on."""
    process.stdin.write(f"{moves}\n")
    process.stdin.flush()
    return process.stdout.readline().strip()


def test_what_comes_through_a_pipe_is_answered_up_to_a_mistake(solve: Solve) -> None:
    read_end, write_end = os.pipe()
    with open(read_end) as lines:  # noqa: PTH123 (a descriptor)
        os.write(write_end, f"{LATE}\n\n{LATE}4\n48\n".encode())
        os.close(write_end)
        outcome = solve("-", stdin=lines)
    assert (outcome.status, outcome.stdout) == (2, f"{LATE} -2\n{LATE}4 2\n")
    assert "Error: line 4: move 2 of '48' is 8" in outcome.stderr


def test_lines_are_answered_one_by_one_until_the_reader_leaves(late_scores: dict[int, int]) -> None:
    with running_command("solve", "-", "--all", "--json") as process:
        record = json.loads(ask(process, LATE))
        assert [entry["score"] for entry in record["columns"]] == [*late_scores.values()]
        assert json.loads(ask(process, f"\n{LATE}4"))["score"] == 2
        process.stdout.close()
        process.stdin.write(f"{LATE}4\n")
        process.stdin.close()
        assert process.wait(timeout=30) == 1
        assert complaints(process) == ""


def test_a_file_is_read_before_anything_is_solved(solve: Solve, tmp_path: Path) -> None:
    (tmp_path / "moves.txt").write_text(f"{LATE}\n48\n")
    with (tmp_path / "moves.txt").open() as lines:
        outcome = solve("-", stdin=lines)
    assert (outcome.status, outcome.stdout) == (2, "")


@needs_posix
def test_ctrl_c_leaves_what_is_solved_and_no_traceback() -> None:
    rng = Random(1)
    hard = "\n".join(quiet_game(ConnectFour(), 9, rng) for _ in range(200))
    with running_command("solve", "-") as process:
        process.stdin.write(f"{LATE}\n{hard}\n")
        process.stdin.close()
        assert process.stdout.readline() == f"{LATE} -2\n"
        process.send_signal(SIGINT)
        assert process.wait(timeout=30) == 130
        assert process.stdout.read() == ""
        assert complaints(process) == ""
