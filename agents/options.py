"""Options of agents: declared as fields of their classes, checked, and listed."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from math import inf
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from agents.agent import Agent
from agents.reporting.input_file import one_line, read_content

Chosen = TypeVar("Chosen", bound=Callable[..., Any])

ENGINES = ("auto", "compiled", "reference")
"""How a search runs: by the faster engine that supports the game, compiled, or in plain Python."""


def option(default: Any, help_text: str) -> Any:
    """A dataclass field with a default and a line of help."""
    return field(default=default, metadata={"help": help_text})


def file_content(file: str | bytes) -> bytes:
    """Read the file of a `file_option`; an OSError if it cannot be read."""
    if isinstance(file, bytes):
        return file
    return read_content(file, "give the path of a file that can be read")


def file_option(
    help_text: str, default: Any = MISSING, read: Callable[[str | bytes], bytes] = file_content
) -> Any:
    """A dataclass field for a data file of an agent.

    Its type is `str | bytes`, optionally with None: the path, or the file's content. The bundler
    replaces the path by the content, which `read` returns, so that a submission needs no other
    file. The default may be a word that `read` accepts in place of a path.
    """
    return field(default=default, metadata={"help": help_text, "read": read})


def choose(name: str, choice: str | Chosen, known: Mapping[str, Chosen]) -> Chosen:
    """The function that an option names, or the option if it is a function; else a ValueError."""
    if callable(choice):
        return choice
    require_one_of(name, choice, known)
    return known[choice]


def alternatives(names: Iterable[str]) -> str:
    """`a`, `a or b`, `a, b or c`: at least one name."""
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last


LARGEST = 2**63 - 1  # the limit of all numbers: compiled searches count in words of 64 bits


def require_at_least(name: str, number: float | None, least: float, most: float = LARGEST) -> None:
    """Check a limit; None is no limit.

    Raises ValueError if it is not a number, below `least`, above `most`, or not finite.
    """
    if not isinstance(number, Real | None):
        raise ValueError(f"{name} must be a number, not {number!r}")
    if number is not None and not least <= number <= most:
        highest = "finite" if number == inf else f"at most {most}"
        expected = highest if number > most else f"at least {least}"
        raise ValueError(f"{name} must be {expected}, not {number!r}")


def require_within(name: str, number: float, least: float, most: float) -> None:
    """Check that a number is in a range; the ValueError states the range."""
    if not least <= number <= most:
        raise ValueError(f"{name} must be from {least} to {most}, not {number!r}")


def require_whole(name: str, number: int | None, least: int, most: float = LARGEST) -> None:
    """Check a count or a seed, which may be a NumPy integer, as in `require_at_least`."""
    if not isinstance(number, Integral | None):
        raise ValueError(f"{name} must be a whole number, not {number!r}")
    require_at_least(name, number, least, most)


def require_path(name: str, path: str | PathLike[str]) -> Path:
    """The path that an option gives; a ValueError if it cannot be one."""
    if not isinstance(path, str | PathLike) or "\0" in str(path):
        raise ValueError(f"{name} must be a path, not {one_line(repr(path))}")
    return Path(path)


def require_one_of(name: str, choice: str, known: Collection[str]) -> None:
    """Check a choice among words; the ValueError lists the known ones."""
    if choice not in [*known]:  # a list, as not every choice can be hashed
        raise ValueError(f"unknown {name} {choice!r}: choose one of {', '.join(known)}")


@dataclass(frozen=True)
class OptionInfo:
    """An option of an agent."""

    name: str
    type: Any  # its annotation
    default: Any  # `dataclasses.MISSING` where there is none
    help: str
    read: Callable[[str | bytes], bytes] | None
    """Reads the file of an option declared by `agents.options.file_option`; None for others."""

    @property
    def is_file(self) -> bool:
        """Whether it was declared by `agents.options.file_option`."""
        return self.read is not None


def agent_help(agent: type[Agent]) -> str:
    """The first line of an agent's docstring."""
    return (agent.__doc__ or agent.__name__).strip().splitlines()[0]


def agent_options(agent: type[Agent]) -> list[OptionInfo]:
    """The options of an agent class; a ValueError if a type is not defined at run time."""
    try:
        types = get_type_hints(agent)
    except NameError as error:
        try:  # in a bundle, where a class has no module, all names are those of this module
            types = get_type_hints(agent, globals())
        except NameError:
            raise ValueError(
                f"the type of an option of {agent.__name__} cannot be found ({error}): import it "
                "outside of `if TYPE_CHECKING`"
            ) from error
    return [
        OptionInfo(
            field.name,
            types[field.name],
            field.default if field.default_factory is MISSING else field.default_factory(),
            field.metadata.get("help", ""),
            field.metadata.get("read"),
        )
        for field in fields(agent)  # type: ignore[arg-type]
        if field.init
    ]


def unlimited_options(agent: type[Agent], options: Mapping[str, Any]) -> dict[str, Any]:
    """The options, without the limits that they do not set: the caller's clock is the limit."""
    return {**agent.unlimited, **options}


def check_options(name: str, agent: type[Agent], options: Mapping[str, Any]) -> None:
    """Check that an agent has these options and that their values are of the right type.

    The ValueError says what is valid instead, or that an option without a default is missing.
    """
    known = {option.name: option for option in agent_options(agent)}
    for option in options:
        if option not in known:
            listing = ", ".join(known) or "none"
            raise ValueError(f"agent {name} has no option {option!r}; its options: {listing}")
    for option, info in known.items():
        if option in options:
            what = f"option {option} of agent {name}"
            _check_type(what, info.type, options[option])
            may_be_none = info.is_file and NoneType in united_types(info.type)
            if may_be_none and options[option] in ("none", "None"):
                raise ValueError(
                    f"{what} must be None, not the text {options[option]!r} (or ./none for a file)"
                )
        elif info.default is MISSING:
            what = f" ({info.help})" if info.help else ""
            raise ValueError(
                f"option {option} of agent {name} has no default: give it a value{what}"
            )


def _check_type(what: str, annotation: Any, value: Any) -> None:
    members = united_types(annotation)
    if Any in members:
        return
    types = [get_origin(member) or member for member in members]
    if type(value) is int and float in types:
        return  # a whole number fits where a fraction is expected
    if type(value) not in types and not (callable(value) and Callable in types):
        names = ["none" if t is NoneType else t.__name__ for t in types if t is not Callable]
        given = f"the text {value!r}" if isinstance(value, str) else repr(value)
        raise ValueError(f"{what} must be {' or '.join(names)}, not {given}")


def united_types(annotation: Any) -> tuple[Any, ...]:
    """The types that an annotation unites, or the annotation alone."""
    is_union = get_origin(annotation) in (Union, UnionType)
    return get_args(annotation) if is_union else (annotation,)
