"""Functions that become files."""
