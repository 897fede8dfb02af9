"""Run by its path in a new process, before anything of this project is imported.

The current folder comes first on such a process's search path, as in a notebook, and may hold a
`submission.py`. From here on this project's packages are found where this file lies.
"""

import sys
from importlib import import_module
from pathlib import Path

if __name__ == "__main__":  # the names are handed in by `start_by_path`
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    module, function, arguments = (globals()[name] for name in ("module", "function", "arguments"))
    getattr(import_module(module), function)(*arguments)
