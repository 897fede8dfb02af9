"""Benchmarks of the solver beside BitBully, and sets of solved positions."""
