"""P. Pons' solved Connect Four positions, if their folder is beside the checkout."""

from pathlib import Path

import pytest

from benchmarks.strength.value_losses import PUBLISHED_FILES

FOLDER = Path(__file__).parents[3] / "shared" / "positions"


def published_positions(name: str, count: int | None = None) -> list[tuple[str, int]]:
    """The first move strings and scores of a set; skips the test if the folder is missing."""
    path = FOLDER / PUBLISHED_FILES[name]
    if not path.exists():
        pytest.skip(f"no published positions in {FOLDER}")
    lines = path.read_text(encoding="utf-8").splitlines()[:count]
    return [(moves, int(score)) for moves, score in map(str.split, lines)]
