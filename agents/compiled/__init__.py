"""Searches compiled by Numba for ConnectX on boards of up to 64 bits; the references decide."""
