"""A player's own process: strangers' code from the first request on."""

import contextlib
import json
import os
import random
import resource
import socket
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy.random

from submission.isolation.forking import close_all_files_but
from submission.isolation.kaggle_agent import KaggleAgent, escape
from submission.isolation.limits import resource_limits
from submission.isolation.move import Move
from submission.isolation.player_job import CHANNEL_LOST, PlayerJob


class Responder:
    """Answers requests. It binds what it needs: a submission may replace it.

    Args:
        job: what this process is told.
        channel: a line of JSON for each request and each answer.
    """

    def __init__(self, job: PlayerJob, channel: socket.socket) -> None:
        self._key = job.key
        self._channel = channel
        self._requests = channel.makefile("rb")
        self._agent = KaggleAgent(str(job.main))
        self._process_id = os.getpid()
        self._process_id_now = os.getpid
        self._exit = os._exit
        self._encode = json.JSONEncoder().encode
        self._decode = json.JSONDecoder().decode

    def serve(self) -> None:
        """Answer until nobody asks; a process that the submission has forked ends in here."""
        self._send(ready=True)
        for line in self._requests:
            request = self._decode(line.decode())
            move = self._move(request["observation"], request["configuration"])
            if self._process_id_now() != self._process_id:
                self._exit(0)
            self._send(column=move.column, seconds=move.seconds, failure=move.failure)

    def _move(self, observation: dict[str, Any], configuration: dict[str, Any]) -> Move:
        begin = perf_counter()
        try:
            return self._agent.act(observation, configuration)
        except BaseException as error:
            return escape(error, perf_counter() - begin)

    def _send(self, **fields: Any) -> None:
        # The first line break ends whatever the submission may have written there.
        line = f"\n{self._encode({'key': self._key, **fields})}\n"
        try:
            self._channel.sendall(line.encode())
        except OSError:
            self._exit(CHANNEL_LOST)


def run_player(job: PlayerJob, channel: socket.socket, errors: int) -> None:
    """Become a player's process, in a session of its own, and end as one.

    Args:
        job: what this process is told.
        channel: where it is asked for moves.
        errors: what standard error becomes.
    """
    os.setsid()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard, file in ((0, nowhere), (1, nowhere), (2, errors)):
        os.dup2(file, standard)
    close_all_files_but(channel.fileno())
    _settle(job.working)
    _seed(job.seed)
    _limit(job.memory)
    Responder(job, channel).serve()


def _settle(folder: Path) -> None:
    os.chdir(folder)
    os.environ["HOME"] = os.environ["TMPDIR"] = str(folder)
    tempfile.tempdir = None


def _seed(seed: int) -> None:
    """Seed the global generators, which forked processes would share otherwise."""
    random.seed(seed)
    numpy.random.seed(seed)


def _limit(memory: int) -> None:
    for kind, limit in resource_limits(_address_space() + memory).items():
        resource.setrlimit(kind, limit)
    _offer_to_oom_killer()


def _address_space() -> int:
    """Bytes of address space in use; 0 where the system does not tell."""
    try:
        pages = Path("/proc/self/statm").read_text().split()[0]
    except FileNotFoundError:
        return 0
    return int(pages) * resource.getpagesize()


def _offer_to_oom_killer() -> None:
    """Where memory runs out, this process goes first."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")
