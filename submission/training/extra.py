"""The libraries that training needs beyond those of the package."""

from importlib.util import find_spec

LIBRARIES = (
    "gymnasium",
    "torch",
    "stable_baselines3",
    "sb3_contrib",
    "matplotlib",
    "threadpoolctl",
)


def require_training_libraries() -> None:
    """See to it that training can begin.

    Raises:
        ModuleNotFoundError: a library is missing; the message says what to install.
    """
    missing = [name for name in LIBRARIES if find_spec(name) is None]
    if missing:
        raise ModuleNotFoundError(
            f"training needs {', '.join(missing)}: install the extra `train` by "
            '`pip install -e ".[train]"`'
        )
