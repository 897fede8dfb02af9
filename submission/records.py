"""Dataclasses from JSON, with exactly the declared fields and types."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T", bound="DataclassInstance")


def record_of(kind: type[T], fields: object) -> T:
    """Make the dataclass from JSON that was made by `dataclasses.asdict`.

    Raises:
        ValueError: a field is missing, unknown, of another type or out of its range.
    """
    try:
        record = msgspec.convert(fields, kind)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from None
    for name in _unknown(fields, asdict(record)):
        raise ValueError(f"there is no field {name!r}")
    return record


def _unknown(told: Any, known: Any) -> Iterator[str]:
    """The names in the JSON that are no fields of the record or of a record inside it."""
    if isinstance(told, dict):
        yield from told.keys() - known.keys()
        for name in told.keys() & known.keys():
            yield from _unknown(told[name], known[name])
    elif isinstance(told, list):
        for each, counterpart in zip(told, known, strict=True):
            yield from _unknown(each, counterpart)
