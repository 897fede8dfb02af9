"""What games are played with: where workers differ in it, they would play others."""

import platform
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
        """The versions of this process.

        Raises:
            ModuleNotFoundError: this package is not installed.
        """
        return cls(
            package=metadata.version("connectx-agents"),
            kaggle_environments=_version_if_installed("kaggle-environments"),
            python=platform.python_version(),
        )


def _version_if_installed(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None
