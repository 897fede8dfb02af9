"""The reference searches, compiled by Numba for ConnectX on boards of up to 256 bits."""
