"""Each response belongs to its request: in threads, event loops, forked and other processes, and for copies."""

from __future__ import annotations

import asyncio
import copy
import multiprocessing
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Iterator

import httpx
import pytest
from programs import BELL
from service import PATIENCE, Service
from svc_client import Job, SvcAsyncClient, SvcClient

JOBS = 24
# What a forked worker inherits.
inherited: dict[str, SvcClient] = {}


@pytest.fixture(scope="module")
def jobs(service: Service) -> Iterator[list[Job]]:
    """Jobs that have ended, each with another number of shots."""
    with service.client() as svc:
        jobs = [svc.submit_job(BELL, shots=100 + at, qpu="kelvin") for at in range(JOBS)]
        svc.wait(jobs, timeout=PATIENCE)
        yield jobs


def is_own(job: Job, id: str, shots: int) -> bool:
    return job.id == id and sum(job.result().counts().values()) == shots


def read_inherited(given: tuple[str, int]) -> bool:
    return is_own(inherited["svc"].job(given[0]), *given)


def read_pickled(given: tuple[Job, int]) -> bool:
    return is_own(given[0].refresh(), given[0].id, given[1]) and is_own(given[0], given[0].id, given[1])


def with_shots(jobs: list[Job]) -> list[tuple[str, int]]:
    return [(job.id, 100 + at) for at, job in enumerate(jobs)]


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork")
def test_forked_workers_read_what_they_ask_for(svc: SvcClient, jobs: list[Job], silent: dict[str, Any]) -> None:
    inherited["svc"] = svc
    waiting = svc.submit_job(BELL, shots=5, qpu="silent")
    # Its request is on its way, and locks may be held, whenever a worker is forked.
    waiter = threading.Thread(target=waiting.wait)
    waiter.start()
    for _ in range(10):
        svc.me()
        with multiprocessing.get_context("fork").Pool(8) as pool:
            assert all(pool.map(read_inherited, with_shots(jobs) * 20, chunksize=1))
    waiting.cancel()
    waiter.join(PATIENCE)
    assert not waiter.is_alive()


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_other_processes_read_with_pickled_jobs(method: str, jobs: list[Job]) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method}")
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert all(pool.map(read_pickled, [(job, 100 + at) for at, job in enumerate(jobs)]))


def test_threads_share_a_client(svc: SvcClient, jobs: list[Job]) -> None:
    inherited["svc"] = svc
    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(read_inherited, with_shots(jobs) * 5))


def test_event_loops_share_a_client_one_after_the_other_and_at_the_same_time(service: Service, jobs: list[Job]) -> None:
    svc = SvcAsyncClient(service.url, service.token)

    async def run(given: tuple[str, int]) -> bool:
        submitted = await svc.submit_job(BELL, shots=given[1], qpu="kelvin")
        own = (await submitted.result()).counts()
        job = await svc.job(given[0])
        return sum(own.values()) == given[1] and job.id == given[0] and (await job.result()).job_id == given[0]

    assert all(asyncio.run(run(given)) for given in with_shots(jobs)[:4])
    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(lambda given: asyncio.run(run(given)), with_shots(jobs)))


def test_copies_use_the_same_client_and_pickles_another_one(service: Service, svc: SvcClient, jobs: list[Job]) -> None:
    for each in (svc, SvcAsyncClient(service.url, service.token)):
        assert copy.copy(each) is each and copy.deepcopy([each])[0] is each
        assert pickle.loads(pickle.dumps(each))._options == each._options
    for way in (copy.copy, copy.deepcopy, lambda job: pickle.loads(pickle.dumps(job))):
        remade: Callable[[Job], Job] = way
        assert is_own(remade(jobs[3]), jobs[3].id, 103) and is_own(remade(jobs[3]).refresh(), jobs[3].id, 103)


def test_a_transport_of_the_caller_stays_where_it_is(service: Service) -> None:
    with pytest.raises(TypeError, match="with a transport of its own is not pickled; make a client in each process"):
        pickle.dumps(service.client(transport=httpx.HTTPTransport()))
    svc = SvcAsyncClient(service.url, service.token, transport=httpx.AsyncHTTPTransport())
    asyncio.run(svc.me())
    with pytest.raises(RuntimeError, match="belongs to another event loop; make a client in each event loop"):
        asyncio.run(svc.me())
