"""The command line: from an agent's name to a submission that is built, checked and evaluated.

A module for each command; `arguments` has what several of them take.
"""

from submission.cli.app import app

__all__ = ["app"]
