"""What options an agent class has, and whether given values fit them."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from agents.protocol import Agent


@dataclass(frozen=True)
class OptionInfo:
    """An option of an agent."""

    name: str
    type: Any
    """Its annotation."""
    default: Any
    """`dataclasses.MISSING` where there is none."""
    help: str
    is_file: bool
    """Whether it was declared by `agents.options.file_option`."""


def agent_help(agent: type[Agent]) -> str:
    """What an agent does, in one line."""
    return (agent.__doc__ or agent.__name__).strip().splitlines()[0]


def agent_options(agent: type[Agent]) -> list[OptionInfo]:
    """The options of an agent class, in the order of their declaration."""
    types = get_type_hints(agent)
    return [
        OptionInfo(
            field.name,
            types[field.name],
            field.default,
            field.metadata.get("help", ""),
            field.metadata.get("is_file", False),
        )
        for field in fields(agent)  # type: ignore[arg-type]
        if field.init
    ]


def unlimited_options(agent: type[Agent], options: Mapping[str, Any]) -> dict[str, Any]:
    """The options, with those limits lifted that they leave open: the caller's clock limits."""
    return {**agent.unlimited, **options}


def check_options(name: str, agent: type[Agent], options: Mapping[str, Any]) -> None:
    """Check that an agent has these options and that their values are of the right type.

    Raises:
        ValueError: an unknown option, one without a default that is not given, or a value of a
            wrong type; the message lists what fits.
    """
    known = {option.name: option for option in agent_options(agent)}
    for option in options:
        if option not in known:
            listing = ", ".join(known) or "none"
            raise ValueError(f"agent {name} has no option {option!r}; its options: {listing}")
    for option, info in known.items():
        if option in options:
            _check_type(f"option {option} of agent {name}", info.type, options[option])
        elif info.default is MISSING:
            what = f" ({info.help})" if info.help else ""
            raise ValueError(
                f"option {option} of agent {name} has no default: give it a value{what}"
            )


def _check_type(what: str, annotation: Any, value: Any) -> None:
    members = get_args(annotation) if _is_union(annotation) else (annotation,)
    if Any in members:
        return
    types = [get_origin(member) or member for member in members]
    if float in types and int not in types:
        types.append(int)  # a whole number fits where a fraction is expected
    if type(value) not in types and not (callable(value) and Callable in types):
        names = ["none" if t is NoneType else t.__name__ for t in types if t is not Callable]
        raise ValueError(f"{what} is {' or '.join(names)}, not {value!r}")


def _is_union(annotation: Any) -> bool:
    return get_origin(annotation) in (Union, UnionType)
