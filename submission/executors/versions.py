"""The versions that games are played with: workers with others would play other games."""

import platform
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata


@dataclass(frozen=True, slots=True)
class Versions:
    """The versions that the games were played with."""

    package: str
    kaggle_environments: str | None
    """None where it is not installed."""
    python: str

    @classmethod
    def current(cls) -> "Versions":
        """The versions of this process; a ModuleNotFoundError if this package is not installed."""
        kaggle = None
        with suppress(metadata.PackageNotFoundError):
            kaggle = metadata.version("kaggle-environments")
        return cls(metadata.version("connectx-agents"), kaggle, platform.python_version())
