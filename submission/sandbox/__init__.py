"""Untrusted code in processes of its own: limited, timed, and ended with all their children.

Submissions run only in this way, unless their files are trusted. The process that asks for moves
has one supervisor for each simultaneous player; the supervisor's starter, a fork server on Linux,
starts the player::

    launcher, player  -->  supervisor  -->  fork server  -->  inside.player_process

A player has its user's rights to files and to other processes. Linux can keep it from the network
and the home folder (`inside.containment`); what Python itself opens or connects to is checked on
every system (`inside.file_guard`, `inside.network_guard`). Beyond that the sandbox protects against
carelessness, not malice; but it trusts nothing that a player writes (`messages`).
"""
