"""Grades: a player judged by its moves in solved positions."""
