"""Strangers' code in processes of its own: limited, timed, and ended with all that it started.

This is the only way in which a submission is ever run. The process that asks for moves has a
supervisor for each player that it has at a time; the supervisor's starter, a fork server where the
system forks, starts the player::

    launcher, player  -->  supervisor  -->  fork server  -->  player_process

Such a process has the rights of the user who starts it, to files and to other processes, but for
the network and the home folder, from which Linux can keep it (`containment`); what Python itself
would open or reach is looked at on every system (`file_guard`, `network_guard`). What is contained
otherwise is carelessness, not malice; but nothing that it writes is believed (`messages`).
"""
