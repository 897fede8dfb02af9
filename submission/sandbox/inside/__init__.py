"""What runs in players' processes or reads their source, maybe in another interpreter.

It needs the standard library only. The asking process and the supervisors import from here, and
nothing here imports from them.
"""
