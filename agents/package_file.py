"""Data files in the package's folders."""

from base64 import b85decode
from importlib.resources import files
from typing import NamedTuple


class PackageFile(NamedTuple):
    """A data file of the package.

    A bundle includes the content of each `PackageFile` that is a constant of one of its modules.
    """

    package: str  # the package in whose folder the file lies
    name: str
    base85: str = ""  # the content, in a bundle

    def read(self) -> bytes:
        """The content; an OSError if neither the package nor the content is available."""
        if self.base85:
            return b85decode(self.base85)
        try:
            return files(self.package).joinpath(self.name).read_bytes()
        except ModuleNotFoundError as error:
            raise OSError(
                f"{self.name} comes with the package, which is not installed: give a file"
            ) from error
