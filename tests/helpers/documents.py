"""The documents whose code is run: where they are, their commands and their Python."""

import re
import shlex
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
SEARCHES = ROOT / "agents" / "README.md"
SUBMISSIONS = ROOT / "submission" / "README.md"
ENVIRONMENTS = ROOT / "envs" / "README.md"
BENCHMARKS = ROOT / "benchmarks" / "README.md"
DOCUMENTS = [README, SUBMISSIONS, SEARCHES, ENVIRONMENTS, BENCHMARKS]


def text_of(document: Path) -> str:
    return document.read_text(encoding="utf-8")


def commands_of(document: Path) -> list[str]:
    return re.findall(r"^\$ connectx (.*)$", text_of(document), flags=re.MULTILINE)


def plain_blocks(document: Path) -> list[str]:
    """The Python blocks without prompts and outputs: programs that train."""
    blocks = re.findall(r"^```python\n(.*?)^```$", text_of(document), re.DOTALL | re.MULTILINE)
    return [block for block in blocks if not block.startswith(">>>")]


def links_of(document: Path) -> list[tuple[Path, str]]:
    """The files that a document links to or shows, each with the heading or an empty string."""
    targets = re.findall(r"\]\((?!https:)([^)#]*)#?([^)]*)\)", text_of(document))
    return [
        ((document.parent / path).resolve() if path else document, heading)
        for path, heading in targets
    ]


def written_files(command: str) -> set[str]:
    """The files and folders that a command is to write, by its options."""
    return set(re.findall(r"--(?:export|html|output|results|svg) (\S+)", command))


def command_chains() -> list[list[str]]:
    """The commands of all documents, each once, in a list with those whose files it names."""
    chains: list[list[str]] = []
    for command in dict.fromkeys(each for document in DOCUMENTS for each in commands_of(document)):
        words = shlex.split(command)
        for chain in chains:
            if any(file in words for earlier in chain for file in written_files(earlier)):
                chain.append(command)
                break
        else:
            chains.append([command])
    return chains


def files_of(chain: list[str]) -> set[str]:
    """The files that these commands write."""
    return set[str]().union(*map(written_files, chain))
