"""The solver beside BitBully, and sets of solved positions."""
