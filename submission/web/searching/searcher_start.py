"""Run by its path in a new process that searches, before anything of this project is imported.

As `submission/executors/worker_start.py` does, it has this project's packages found where this file
lies, whatever the current folder holds.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from submission.web.searching.searcher import search_until_ended  # found by now

if __name__ == "__main__":  # the names are handed in by `submission.web.searching.search_pool`
    search_until_ended(
        globals()["connection"], globals()["temporary_folder"], globals()["is_quick"]
    )
