"""Packs the wheels that a Kaggle notebook without internet needs: `make wheelhouse`.

The zip is meant for a Kaggle dataset. It holds a wheel of this package, and wheels of the
dependencies, also of its extras, that Kaggle's image lacks.
"""

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import PathDistribution
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZipFile
from zipfile import Path as ZipPath

from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from submission.checking.kaggle_image import LIST

ROOT = Path(__file__).parents[2]
OUTPUT = Path("dist", "connectx-wheelhouse.zip")
PACKAGE = "connectx-agents"
EXTRAS = ("kaggle-light", "notebook", "web")
PLATFORMS = ("manylinux2014_x86_64", "manylinux_2_28_x86_64", "linux_x86_64")
WHERE = ("--only-binary=:all:", *(f"--platform={platform}" for platform in PLATFORMS))
PIP = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")

README = """\
# connectx-agents for Kaggle notebooks without internet

Make a Kaggle dataset of this zip, add it to a notebook as an input, and begin the notebook with

```
{lines}
```

The wheels are for Python {python} on Linux (x86_64), as in Kaggle's image, which has all else that
the package needs:

{names}
"""
LINES = """\
from pathlib import Path
links = next(Path("/kaggle/input").rglob("connectx_agents-*.whl")).parent
%pip install --quiet --no-index --find-links {links} "connectx-agents[notebook]\""""


def make_wheelhouse(output: Path, root: Path = ROOT) -> list[str]:
    """Write the zip, from the sources in `root`; return the names of its wheels.

    Raises:
        ChildProcessError: pip cannot build or find a wheel; its words say why.
    """
    with TemporaryDirectory() as name:
        folder = Path(name)
        _pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", name, str(root))
        _fetch_missing(folder)
        wheels = sorted(folder.glob("*.whl"))
        names = [wheel.name for wheel in wheels]
        output.parent.mkdir(parents=True, exist_ok=True)
        with ZipFile(output, "w", ZIP_DEFLATED) as archive:
            for wheel in wheels:
                archive.write(wheel, wheel.name)
            text = README.format(
                lines=LINES, python=image_version(), names="\n".join(f"- {name}" for name in names)
            )
            archive.writestr("README.md", text)
    return names


def _fetch_missing(folder: Path) -> None:
    """Download wheels until the image and the folder together satisfy all requirements."""
    waiting = [Requirement(f"{PACKAGE}[{','.join(EXTRAS)}]")]
    done = set[tuple[str, frozenset[str]]]()
    while waiting:
        requirement = waiting.pop()
        key = canonicalize_name(requirement.name), frozenset(requirement.extras)
        if key in done or _image_satisfies(requirement):
            continue
        done.add(key)
        if not _wheels_of(folder, requirement.name):
            wanted = f"{requirement.name}{requirement.specifier}"
            version = f"--python-version={image_version()}"
            _pip("download", "--no-deps", f"--dest={folder}", version, *WHERE, wanted)
        for wheel in _wheels_of(folder, requirement.name):
            waiting += _requirements(wheel, requirement.extras)


def _requirements(wheel: Path, extras: Iterable[str]) -> Iterator[Requirement]:
    """The requirements of a wheel on Kaggle's machine, with these extras."""
    machine = {
        **{key: str(value) for key, value in default_environment().items()},
        "python_version": image_version(),
        "python_full_version": f"{image_version()}.0",
        "sys_platform": "linux",
        "platform_system": "Linux",
        "platform_machine": "x86_64",
        "os_name": "posix",
    }
    with ZipFile(wheel) as archive:
        (info,) = (each for each in ZipPath(archive).iterdir() if each.name.endswith(".dist-info"))
        required = PathDistribution(info).requires or []
    for requirement in map(Requirement, required):
        marker = requirement.marker
        if marker is None or any(marker.evaluate({**machine, "extra": e}) for e in extras or [""]):
            yield requirement


def _wheels_of(folder: Path, name: str) -> list[Path]:
    wanted = canonicalize_name(name)
    return [w for w in folder.glob("*.whl") if canonicalize_name(w.name.split("-")[0]) == wanted]


def _image_satisfies(requirement: Requirement) -> bool:
    """Whether the image has a distribution; if its version is known, one that satisfies."""
    lines = LIST.read_text(encoding="utf-8").splitlines()
    entries = [Requirement(line) for line in lines if line and not line.startswith("#")]
    name = canonicalize_name(requirement.name)
    listed = [entry for entry in entries if canonicalize_name(entry.name) == name]
    pinned = [each.version for entry in listed for each in entry.specifier if each.operator == "=="]
    return bool(listed) and (not pinned or requirement.specifier.contains(pinned[-1]))


def image_version() -> str:
    """The version of Python in Kaggle's image, as its list says it: `3.12`."""
    found = re.search(r"^# Python (\S+)$", LIST.read_text(encoding="utf-8"), re.MULTILINE)
    if found is None:
        raise ValueError(f"{LIST} names no version of Python")
    return found[1]


def _pip(command: str, *words: str) -> None:
    result = subprocess.run([*PIP, command, *words], capture_output=True, text=True, check=False)
    if result.returncode:
        raise ChildProcessError(f"pip {command} has failed: {result.stderr.strip()}")


def main() -> None:
    """Write the zip, and print what to do with it."""
    names = make_wheelhouse(OUTPUT)
    size = OUTPUT.stat().st_size / 1e6
    print(f"{OUTPUT}, {size:.1f} MB: {', '.join(names)}\n")
    print("Make a Kaggle dataset of it, add that to a notebook, and begin the notebook with\n")
    print(LINES)


if __name__ == "__main__":
    main()
