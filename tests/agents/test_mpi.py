"""Games on the processes of an MPI run, where there is an MPI."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from shutil import which

import pytest

from submission.arena.game_record import GameConfiguration
from submission.arena.players import Pairing, find_player
from submission.match.run import play_match
from submission.match.schedule import Arena, Settings

LAUNCHER = which("mpiexec", path=str(Path(sys.executable).parent)) or which("mpiexec")

SCRIPT = """
import json
import os
from mpi4py.futures import MPIPoolExecutor
from submission.match.run import play_match
from tests.agents.test_mpi import SETTINGS, pairings

if __name__ == "__main__":
    with MPIPoolExecutor() as executor:
        match = play_match(pairings(), SETTINGS, executor=executor)
    print(json.dumps([record.columns for record in match.records]))
"""

SETTINGS = Settings(games=6, seed=1, configuration=GameConfiguration(4, 5, 3), arena=Arena.OWN)


def pairings() -> list[Pairing]:
    return [Pairing(find_player("greedy"), find_player("random:"))]


@pytest.mark.skipif(not (LAUNCHER and find_spec("mpi4py")), reason="needs mpi4py and an MPI")
def test_the_executor_of_mpi4py_will_do(tmp_path: Path) -> None:
    script = tmp_path / "matches.py"
    script.write_text(SCRIPT)
    words = [str(LAUNCHER), "-n", "2", sys.executable, "-m", "mpi4py.futures", str(script)]
    root = Path(__file__).parents[2]
    played = subprocess.run(
        words,
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        stdout=subprocess.PIPE,
        check=True,
        timeout=60,
    )
    here = play_match(pairings(), SETTINGS)
    assert json.loads(played.stdout) == [list(record.columns) for record in here.records]
