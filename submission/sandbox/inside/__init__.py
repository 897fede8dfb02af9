"""What runs in the processes of players, be it by another interpreter: the standard library only.

The asking process and the supervisors import from here, and nothing here imports from them.
"""
