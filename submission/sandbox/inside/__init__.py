"""What runs in players' processes, maybe in another interpreter: the standard library only.

The asking process and the supervisors import from here, and nothing here imports from them.
"""
