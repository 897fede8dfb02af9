"""The process that players' processes are forked from: what all of them import is loaded once."""

import gc
import json
import os
import sys
import traceback

from submission.sandbox.player_process import PlayerJob, play, prepare, read_job


def main() -> None:
    """Fork a player for each job on standard input, one after the other, and report its end."""
    sources = prepare()
    gc.freeze()
    while (job := read_job()) is not None:
        _, status = os.waitpid(_fork(job, sources), 0)
        ended = {"key": job.key, "event": "exit", "code": os.waitstatus_to_exitcode(status)}
        os.write(1, f"\n{json.dumps(ended)}\n".encode())


def _fork(job: PlayerJob, sources: list[str]) -> int:
    process_id = os.fork()
    if process_id:
        return process_id
    try:
        os.setsid()
        play(job, sources)
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    os._exit(0)
