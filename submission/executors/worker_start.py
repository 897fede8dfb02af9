"""Run by its path in a new worker, before anything of this project is imported.

The current folder comes first on a worker's search path, as in a notebook, and may hold a
`submission.py`. From here on this project's packages are found where this file lies.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from submission.executors.local_workers import prepare_worker  # found by now

if __name__ == "__main__":
    prepare_worker(globals()["temporary_folder"])  # handed in by `local_executor`
