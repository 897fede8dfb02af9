"""The `play` command: a person against an agent, in the terminal."""
