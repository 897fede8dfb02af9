"""Where work is done: worker processes on this machine, or on a cluster."""
