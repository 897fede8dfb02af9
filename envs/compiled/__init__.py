"""Compiled code: plain functions that Numba compiles, their random numbers and wide words."""
