"""Grades: how well a player moves in solved positions."""
