"""The `train` command: a policy learns by playing itself."""
