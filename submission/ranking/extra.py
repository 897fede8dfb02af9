"""The library that ratings need beyond those of the package."""

from importlib.util import find_spec


def require_ranking_library() -> None:
    """See to it that ratings can be computed.

    Raises:
        ModuleNotFoundError: choix is missing; the message says what to install.
    """
    if find_spec("choix") is None:
        raise ModuleNotFoundError(
            'ratings need choix: install the extra `rank` by `pip install -e ".[rank]"`'
        )
