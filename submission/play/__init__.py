"""Play against an agent, a submission or another person, in the terminal or in a notebook."""
