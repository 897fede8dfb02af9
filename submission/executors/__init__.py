"""Executors: worker processes on this machine, or on a cluster."""
