"""Marks of tests that need what not every system has."""

import os
import sys

import pytest

needs_posix = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="forks, signals and permissions as only POSIX has them"
)

needs_linux = pytest.mark.skipif(
    sys.platform != "linux", reason="limits, and words of the system, as only Linux has them"
)
