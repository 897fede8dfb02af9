"""Packs the wheels that a Kaggle notebook without internet needs: `make wheelhouse`.

The zip is meant for a Kaggle dataset. It contains wheels of this package and of those dependencies
that Kaggle's image lacks.
"""

import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZipFile

from submission.checking.kaggle_image import LIST

ROOT = Path(__file__).parents[2]
OUTPUT = Path("dist", "connectx-wheelhouse.zip")
LACKING = ("msgspec",)  # dependencies, including the notebook extra's, that the image lacks
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
        ChildProcessError: pip cannot build or find a wheel; the message has pip's output.
    """
    with TemporaryDirectory() as name:
        _pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", name, str(root))
        version = f"--python-version={image_version()}"
        _pip("download", "--no-deps", f"--dest={name}", version, *WHERE, *LACKING)
        wheels = sorted(Path(name).glob("*.whl"))
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


def image_version() -> str:
    """The version of Python in Kaggle's image, from its list, such as `3.12`."""
    [found] = re.findall(r"^# Python (\S+)$", LIST.read_text(encoding="utf-8"), re.MULTILINE)
    return str(found)


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
