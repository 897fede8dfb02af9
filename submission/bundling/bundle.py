"""One self-contained file from an agent's modules."""

import json
import shlex
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType

import agents
import envs
import submission
from agents.agent import Agent
from agents.options import agent_help, check_options, unlimited_options
from agents.registry import JsonValue, agent_class
from submission.bundling.closure import SourceTree, close
from submission.bundling.compose import COMPILING, Header, compose
from submission.bundling.data_files import data_files
from submission.bundling.user_agent import load_user_agent

DISTRIBUTION = "connectx-agents"
PACKAGES = (agents, envs, submission)


def build_bundle(agent: str, options: Mapping[str, JsonValue], source: Path | None = None) -> str:
    """The text of a submission file: the same text for the same input.

    Limits that the options leave open are lifted: on Kaggle the clock is the limit.

    Args:
        agent: name of a registered agent; with `source`, of a class in that file.
        options: the agent's options. The content of a file that one names goes into the bundle.
        source: a module of the user's own, with an agent written against `agents.Agent`. Modules
            beside it that it imports go into the bundle as well.

    Raises:
        ValueError: unknown agent or option, a value that does not fit, or a construct that cannot
            be bundled (`submission.bundling.sources.BundleError`, with file and line).
        OSError: `source`, or a file that an option names, cannot be read.
    """
    roots = {package.__name__: _folder(package) for package in PACKAGES}
    if source is None:
        cls = agent_class(agent)
        module = cls.__module__
    else:
        cls = load_user_agent(source, agent)
        module = source.stem
        if module in roots:
            raise ValueError(f"{source} is named like a package of this project: rename it")
        siblings = source.resolve().parent.glob("*.py")
        roots = {path.stem: path for path in siblings} | roots
    check_options(agent, cls, options)
    chosen = unlimited_options(cls, options)
    cls(**chosen)
    files = data_files(cls, chosen)

    tree = SourceTree(roots)
    closure = close(tree, [("submission.entry", "KagglePlayer"), (module, cls.__name__)])
    written = {key: repr(value) for key, value in chosen.items()}
    constants = {file.option: file.constant for file in files}
    header = Header(
        title=f"A ConnectX agent: {_call(cls, written)}.",
        summary=agent_help(cls),
        made_by=_made_by(),
        command=_command(agent, options, source),
    )
    text = compose(closure, tree, header, _call(cls, {**written, **constants}), files)
    _prove(text)
    return text


def _call(cls: type[Agent], arguments: Mapping[str, str]) -> str:
    """The expression that makes an agent, with the source of each argument."""
    return f"{cls.__name__}({', '.join(f'{key}={value}' for key, value in arguments.items())})"


def _made_by() -> str:
    try:
        return f"{DISTRIBUTION} {version(DISTRIBUTION)}"
    except PackageNotFoundError:  # a source tree on the search path
        return DISTRIBUTION


def _folder(package: ModuleType) -> Path:
    return Path(str(package.__file__)).parent


def _command(agent: str, options: Mapping[str, JsonValue], source: Path | None) -> str:
    """The command that builds the same file again."""
    words = ["connectx", "build", agent]
    if source is not None:
        words += ["--from", source.name]
    for key, value in options.items():
        words += ["--option", f"{key}={value if isinstance(value, str) else json.dumps(value)}"]
    return shlex.join(words)


def _prove(text: str) -> None:
    """Load the file in the way of Kaggle's loader, and see which callable comes last.

    Nothing is compiled for it: the threads of that would outlive the loading.
    """
    namespace: dict[str, object] = {}
    exec(compile(text.replace(COMPILING, ""), "submission.py", "exec"), namespace)  # noqa: S102
    last = [name for name, value in namespace.items() if callable(value)][-1]
    if last != "agent":
        raise ValueError(f"Kaggle would take {last} for the agent: it is the last callable")
