"""The command line: from an agent's name to a submission that is built, checked and evaluated.

`app` says which module a command is in; `arguments` and `games` have what several of them take.
"""

from submission.cli.app import app

__all__ = ["app"]
