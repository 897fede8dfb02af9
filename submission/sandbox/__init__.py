"""Strangers' code in processes of its own: limited, timed, and ended with all of their children.

This is the only way in which a submission is ever run. The process that asks for moves has a
supervisor for each player that it has at a time; the supervisor's starter, a fork server on Linux,
starts the player::

    launcher, player  -->  supervisor  -->  fork server  -->  inside.player_process

A player has the rights of the user who starts it, to files and to other processes. Linux can keep
it from the network and the home folder (`inside.containment`); what Python itself opens or connects
to is checked on every system (`inside.file_guard`, `inside.network_guard`). Apart from that the
sandbox contains carelessness, not malice; but it trusts nothing that a player writes (`messages`).
"""
