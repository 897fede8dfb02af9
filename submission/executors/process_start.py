"""Script that a new process runs by its path, before anything of this project is imported.

The current folder is first on such a process's search path, as in a notebook, and may contain a
`submission.py`. This script puts the folder of this project's packages before it.
"""

import sys
from importlib import import_module
from pathlib import Path

if __name__ == "__main__":  # `start_by_path` passes these names
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    module, function, arguments = (globals()[name] for name in ("module", "function", "arguments"))
    getattr(import_module(module), function)(*arguments)
