"""Strangers' code in processes of their own: limited, timed, and ended with all they started.

Such a process has the rights of the user who starts it, to files and to other processes: what is
contained is carelessness, not malice.
"""
