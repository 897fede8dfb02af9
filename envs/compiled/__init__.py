"""Compiled code: kernels by Numba from plain functions, and the numbers that they work with."""
