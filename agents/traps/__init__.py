"""Traps: in positions that are not won, the moves after which a likely opponent errs most."""
