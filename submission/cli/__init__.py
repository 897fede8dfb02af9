"""The command line: from an agent's name to a submission that is built, checked and evaluated.

`app` says which module a command is in; `options` declares what the commands take.
"""

from submission.cli.app import app

__all__ = ["app"]
