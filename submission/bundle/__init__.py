"""From an agent to one self-contained file."""
