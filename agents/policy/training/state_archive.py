"""States of learners as bytes: trees of numbers, arrays and tensors, that nobody's code reads.

A tree is JSON in which lists stand for themselves and each other container, array or tensor is an
object of one item that says what it is. Arrays and tensors lie beside it in an .npz archive: there
is no pickle in it, so a stranger's file can do no harm.
"""

import json
from collections.abc import Callable, Mapping
from io import BytesIO
from typing import Any

import numpy as np

TREE = "tree"
"""The name of the JSON among the arrays; they are named by their numbers."""


def encode_state(state: Any) -> bytes:
    """Pack a state.

    Args:
        state: numbers, texts, None, bytes, numpy arrays and PyTorch tensors, alone or in lists,
            tuples and dicts.

    Raises:
        TypeError: something else is among it.
    """
    arrays: dict[str, Any] = {}

    def add(array: Any) -> str:
        name = str(len(arrays))
        arrays[name] = array
        return name

    tree = json.dumps(_packed(state, add))
    file = BytesIO()
    arrays[TREE] = np.frombuffer(tree.encode(), np.uint8)
    np.savez(file, **arrays)
    return file.getvalue()


def decode_state(content: bytes) -> Any:
    """Unpack what `encode_state` has packed.

    Raises:
        ValueError: it is something else, or damaged.
    """
    try:
        with np.load(BytesIO(content), allow_pickle=False) as archive:
            tree = json.loads(archive[TREE].tobytes())
            return _unpacked(tree, lambda name: archive[name])
    except Exception as error:  # whatever a torn or a stranger's file may lead to
        raise ValueError(f"damaged ({error})") from error


def _packed(value: Any, add: Callable[[Any], str]) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return {"array": add(value)}
    if isinstance(value, bytes):
        return {"bytes": add(np.frombuffer(value, np.uint8))}
    if isinstance(value, list):
        return [_packed(item, add) for item in value]
    if isinstance(value, tuple):
        return {"tuple": [_packed(item, add) for item in value]}
    if isinstance(value, Mapping):
        return {"dict": [[_packed(key, add), _packed(item, add)] for key, item in value.items()]}
    if hasattr(value, "detach"):
        return {"tensor": add(value.detach().cpu().numpy())}
    raise TypeError(f"a {type(value).__name__} cannot be kept in a checkpoint")


def _unpacked(value: Any, array: Callable[[str], Any]) -> Any:
    if isinstance(value, list):
        return [_unpacked(item, array) for item in value]
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    return READERS[kind](content, array)


def _tensor(name: str, array: Callable[[str], Any]) -> Any:
    from torch import from_numpy

    return from_numpy(array(name))


READERS: Mapping[str, Callable[[Any, Callable[[str], Any]], Any]] = {
    "array": lambda name, array: array(name),
    "bytes": lambda name, array: array(name).tobytes(),
    "tuple": lambda items, array: tuple(_unpacked(items, array)),
    "dict": lambda items, array: dict(_unpacked(items, array)),
    "tensor": _tensor,
}
