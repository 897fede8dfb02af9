"""What a process that runs strangers' code may take of the machine."""

import os
import resource
import sys

GIB = 2**30

FILE_BYTES = 256 * 2**20
"""The longest file that a process can write."""


def default_memory() -> int:
    """A third of the machine's memory in bytes, at least 4 GiB and at most Kaggle's 16 GiB."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min(16 * GIB, max(4 * GIB, machine // 3))


def resource_limits(memory: int) -> dict[int, tuple[int, int]]:
    """Soft and hard limit of each kind that is limited, none above what this process may have.

    Args:
        memory: bytes of address space, which only Linux limits.
    """
    wanted = {resource.RLIMIT_FSIZE: FILE_BYTES, resource.RLIMIT_CORE: 0}
    if sys.platform == "linux":
        wanted[resource.RLIMIT_AS] = memory
    return {kind: (limit, limit) for kind, limit in map(_allowed, wanted.items())}


def _allowed(item: tuple[int, int]) -> tuple[int, int]:
    kind, wanted = item
    _, highest = resource.getrlimit(kind)
    return kind, wanted if highest == resource.RLIM_INFINITY else min(wanted, highest)
