"""Files that play in the worker itself: the same games as in processes of their own."""

import os
import random
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from submission.arena.game_record import GameRecord
from submission.arena.players import Pairing, Player, PlayerKind, find_player, trusted
from submission.match.run import play_match
from submission.match.schedule import Arena, Settings
from tests.helpers.archives import archive
from tests.helpers.arena_games import play
from tests.helpers.shell import Shell

LEGAL = "[c for c in range(conf.columns) if obs.board[c] == 0]"
PYTHONS = f"import random\ndef agent(obs, conf):\n    return random.choice({LEGAL})\n"
NUMPYS = f"""
import numpy as np
noise = np.random.randn()  # draws a second one, too, and keeps it for the next time
def agent(obs, conf):
    legal = {LEGAL}
    return legal[int(abs(1000 * (noise + np.random.randn()))) % len(legal)]
"""
COUNTS = f"""
asked = []
def agent(obs, conf):
    asked.append(obs.step)
    return {LEGAL}[len(asked) % 3 - 3]
"""
FAULTS = {
    "raises": "def agent(obs, conf):\n    if obs.step > 3:\n        raise KeyError('lost')\n"
    "    return 3\n",
    "no column": "def agent(obs, conf):\n    return '3'\n",
    "broken": "import no_such_module\ndef agent(obs):\n    return 3\n",
    "leaves": "def agent(obs):\n    raise SystemExit(7)\n",
    "leaves early": "import sys\nsys.exit()\ndef agent(obs):\n    return 3\n",
    "returns nothing": "def agent(obs):\n    pass\n",
}


def player(folder: Path, name: str, source: str) -> Player:
    path = folder / f"{name}.py"
    path.write_text(source, encoding="utf-8")
    return find_player(str(path))


def played(players: tuple[Player, Player], seed: int) -> GameRecord:
    record = play(*players, game=seed, seed=seed, opening=(3, 3), arena=Arena.OWN)
    return replace(record, durations=((), ()))


def both_ways(players: tuple[Player, Player]) -> tuple[GameRecord, GameRecord]:
    """The same game with the files in this process, and in processes of their own."""
    first, second = players
    return played((trusted(first), trusted(second)), 0), played(players, 0)


def test_games_are_those_of_processes_of_their_own(tmp_path: Path) -> None:
    pythons, numpys = player(tmp_path, "pythons", PYTHONS), player(tmp_path, "numpys", NUMPYS)
    for pair in [
        (pythons, numpys),
        (numpys, numpys),
        (player(tmp_path, "counts", COUNTS), pythons),
    ]:
        here, apart = both_ways(pair)
        assert here == apart
        assert here.statuses == ("DONE", "DONE")


def test_every_game_loads_the_file_anew(tmp_path: Path) -> None:
    counts = trusted(player(tmp_path, "counts", COUNTS))
    assert len({played((counts, counts), 2).columns for _ in range(3)}) == 1


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_told_as_of_a_process_of_its_own(tmp_path: Path, fault: str) -> None:
    faulty = player(tmp_path, fault, FAULTS[fault])
    path = sys.path.copy()
    here, apart = both_ways((faulty, player(tmp_path, "counts", COUNTS)))
    assert (here.statuses, here.columns, here.cause) == (apart.statuses, apart.columns, apart.cause)
    assert sys.path == path


def test_it_plays_in_this_process_and_leaves_the_random_numbers_alone(tmp_path: Path) -> None:
    source = f"""
import os
import random
from pathlib import Path
random.seed(os.getpid())
Path({str(tmp_path / "id")!r}).write_text(str(os.getpid()))
{PYTHONS}"""
    random.seed(5)
    np.random.seed(5)
    played((trusted(player(tmp_path, "tells", source)), find_player("random")), 0)
    assert (tmp_path / "id").read_text() == str(os.getpid())
    assert random.random() == random.Random(5).random()
    assert np.random.rand() == np.random.RandomState(5).rand()


def test_games_in_threads_do_not_draw_each_others_numbers(tmp_path: Path) -> None:
    first, second = (trusted(player(tmp_path, name, PYTHONS)) for name in ("a", "b"))
    pairings = [Pairing(first, second), Pairing(first, find_player("random:"))]
    settings = Settings(24, arena=Arena.OWN)
    alone = [record.columns for record in play_match(pairings, settings).records]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as threads:
            match = play_match(pairings, settings, executor=threads)
    finally:
        sys.setswitchinterval(before)
    assert [record.columns for record in match.records] == alone


def test_archives_and_players_that_are_no_files_stay_where_they_are(tmp_path: Path) -> None:
    packed = archive(tmp_path / "packed.tar.gz", ("main.py", PYTHONS.encode()))
    assert not trusted(find_player(str(packed))).is_trusted
    assert not trusted(Player("random", PlayerKind.BUILT_IN)).is_trusted


def test_trust_is_for_the_own_arena_alone(shell: Shell, tmp_path: Path) -> None:
    player(tmp_path, "mine", PYTHONS)
    words = ("evaluate", "mine.py", "--against", "random", "--games", "2", "--workers", "1")
    assert "add --arena own to --trust" in shell.refusal(*words, "--trust")
    assert shell.run(*words, "--trust", "--arena", "own").status == 0
