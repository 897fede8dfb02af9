"""What tests share: oracles, small games, the command line."""
