"""P. Pons' solved Connect Four positions, where their folder stands beside the checkout."""

from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[3] / "shared" / "positions"
SETS = {
    "end-easy": "Test_L3_R1",
    "middle-easy": "Test_L2_R1",
    "middle-medium": "Test_L2_R2",
    "begin-easy": "Test_L1_R1",
    "begin-medium": "Test_L1_R2",
    "begin-hard": "Test_L1_R3",
}


def published_positions(name: str, count: int | None = None) -> list[tuple[str, int]]:
    """The first moves strings and scores of a set; skips the test where the folder is missing."""
    path = FOLDER / SETS[name]
    if not path.exists():
        pytest.skip(f"no published positions in {FOLDER}")
    lines = path.read_text(encoding="utf-8").splitlines()[:count]
    return [(moves, int(score)) for moves, score in map(str.split, lines)]
