"""Workers of a Dask cluster.

A cluster with mpi4py needs none of this: `play_match` takes an `mpi4py.futures.MPIPoolExecutor`
directly, in a script that is started with `mpiexec -n 9 python -m mpi4py.futures`.
"""

from collections.abc import Iterator, Mapping
from concurrent.futures import CancelledError, Executor, ThreadPoolExecutor
from contextlib import contextmanager
from logging import LogRecord, getLogger
from threading import Event, Thread
from time import monotonic, sleep
from typing import TYPE_CHECKING

from submission.executors.local_workers import RenewedExecutor, Versions

if TYPE_CHECKING:
    from distributed import Client

CONNECT_SECONDS = 10  # time for the scheduler to answer, and again for the first worker to join
NO_WORKER_SECONDS = 60  # the work is abandoned after this time without any worker
WATCH_SECONDS = 1  # time between two checks for workers
BETWEEN_QUESTIONS = 0.1  # seconds until a worker whose connection was lost is asked again

START_WORKERS = "`dask worker {address} --nthreads 1 --nworkers K`"


def cluster_size(address: str) -> int:
    """The number of workers that have joined a scheduler's cluster so far."""
    with _connected(address) as client:
        return len(_living(client, address))


@contextmanager
def dask_executor(address: str) -> Iterator[Executor]:
    """The workers of a Dask scheduler, until the `with` block ends; they keep running afterwards.

    The work of a worker that dies goes to another one. It ends with `BrokenExecutor` if it has
    killed too many workers (the scheduler's `allowed-failures`), if the scheduler is gone, or if
    there has been no worker for `NO_WORKER_SECONDS`.

    Raises:
        ModuleNotFoundError: the package `distributed` is not installed.
        ConnectionError: no scheduler answers at the address, or it has no workers.
        ValueError: a worker plays several games at a time in one process, cannot import this
            package, or has versions that differ from this process's.
    """
    with _connected(address) as client:
        _require_workers(client, address)
        with _watched(client) as executor:
            yield executor


@contextmanager
def _connected(address: str) -> Iterator["Client"]:
    try:
        from distributed import Client
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f'--dask needs {error.name}: install the extra `dask` by `pip install -e ".[dask]"`'
        ) from error
    _require_answer(address)
    with _unlogged(), Client(address, timeout=CONNECT_SECONDS, set_as_default=False) as client:
        yield client


@contextmanager
def _unlogged() -> Iterator[None]:
    """Keep Dask's client from logging that the scheduler is gone: the work's exceptions say so."""
    loggers = [getLogger(name) for name in ("distributed.client", "tornado.application")]
    for logger in loggers:
        logger.addFilter(_is_no_lost_connection)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(_is_no_lost_connection)


def _is_no_lost_connection(record: LogRecord) -> bool:
    is_lost = record.exc_info is not None and isinstance(record.exc_info[1], OSError)
    return not (is_lost or record.name == "distributed.client")


def _require_answer(address: str) -> None:
    """Check that a scheduler answers: if another server did, a client would wait forever."""
    from asyncio import run

    try:
        with ThreadPoolExecutor(1) as thread:  # a notebook's own thread already has a loop
            thread.submit(run, _shake_hands(address)).result()
    except ValueError as error:
        raise ValueError(
            f"{address!r} is not an address ({error}): give one such as tcp://127.0.0.1:8786"
        ) from error
    except OSError as error:
        raise ConnectionError(
            f"no Dask scheduler answers at {address}: start one with `dask scheduler`"
        ) from error


async def _shake_hands(address: str) -> None:
    from asyncio import wait_for

    from distributed import Security, connect

    security = Security().get_connection_args("client")
    connection = await wait_for(connect(address, CONNECT_SECONDS, **security), CONNECT_SECONDS)
    await connection.close()


def _require_workers(client: "Client", address: str) -> None:
    here, end = Versions.current(), monotonic() + CONNECT_SECONDS
    checked = set[str]()
    while unknown := _living(client, address).keys() - checked:
        answers = client.run(Versions.current, workers=sorted(unknown), on_error="return")
        living = _living(client, address)
        for worker, there in answers.items():
            if isinstance(there, OSError) and monotonic() < end:  # it may be about to die
                sleep(BETWEEN_QUESTIONS)
            elif worker in living:
                _require_alike(worker, living[worker], there, here, address)
                checked.add(worker)


def _living(client: "Client", address: str) -> Mapping[str, int]:
    """The workers and their numbers of threads; ConnectionError if none joins in time."""
    try:
        client.wait_for_workers(1, CONNECT_SECONDS)
    except TimeoutError as error:
        advice = START_WORKERS.format(address=address)
        raise ConnectionError(
            f"the scheduler at {address} has no workers: start some with {advice}"
        ) from error
    threads: Mapping[str, int] = client.nthreads()
    return threads


def _require_alike(
    worker: str, threads: int, there: Versions | Exception, here: Versions, address: str
) -> None:
    """Refuse a worker that would play differently from this process, or several games at a time."""
    if threads > 1:
        raise ValueError(
            f"the worker {worker} has {threads} threads, so that its games would slow one another "
            f"down: start workers with {START_WORKERS.format(address=address)}"
        )
    if isinstance(there, Exception):
        raise ValueError(
            f"the worker {worker} cannot import this package ({there}): install it there"
        )
    if there != here:
        raise ValueError(
            f"the worker {worker} has {there}, but here are {here}: install the same there"
        )


@contextmanager
def _watched(client: "Client") -> Iterator[Executor]:
    """The client's executor, which breaks when there are no workers left."""
    from distributed import KilledWorker

    tasks, is_over = client.get_executor(pure=False), Event()
    watch = Thread(target=_call_off_without_workers, args=(client, tasks, is_over), daemon=True)
    watch.start()
    try:
        yield RenewedExecutor(lambda: tasks, renewals=0, deaths=(KilledWorker, CancelledError))
    finally:
        is_over.set()
        watch.join(CONNECT_SECONDS)


def _call_off_without_workers(client: "Client", tasks: Executor, is_over: Event) -> None:
    """Cancel all tasks after a long time without workers; Dask itself would keep waiting."""
    last_seen = monotonic()
    while not is_over.wait(WATCH_SECONDS):
        try:
            has_workers = bool(client.nthreads())
        except OSError:  # the scheduler is gone, and the client has cancelled all tasks
            return
        if has_workers:
            last_seen = monotonic()
        elif monotonic() - last_seen > NO_WORKER_SECONDS:
            tasks.shutdown(wait=False)
            return
