"""Waiting, against a server that is killed, restarted and slow."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import threading
import time
from typing import Any

import pytest
from programs import BELL
from service import PATIENCE, Service, until
from svc_client import JobCancelledError, JobTimeout, NotFoundError, SvcAsyncClient, SvcClient


def test_many_jobs_share_requests_and_come_as_they_end(svc: SvcClient) -> None:
    jobs = [svc.submit_job(BELL, shots=5, qpu="kelvin") for _ in range(12)]
    ended = [job.id for job in svc.as_completed(jobs, timeout=PATIENCE)]
    assert sorted(ended) == sorted(job.id for job in jobs)
    assert [job.id for job in svc.wait([*jobs, jobs[0].id])] == [*(job.id for job in jobs), jobs[0].id]
    assert threading.active_count() == 1


def test_a_loop_over_ends_may_be_left(svc: SvcClient, silent: dict[str, Any]) -> None:
    jobs = [svc.submit_job(BELL, shots=5, qpu=qpu) for qpu in ("silent", "kelvin", "silent")]
    for job in svc.as_completed(jobs, timeout=PATIENCE):
        assert job.id == jobs[1].id
        break
    assert threading.active_count() == 1
    for job in (jobs[0], jobs[2]):
        assert job.cancel().status == "cancelled"


def test_two_jobs_come_in_the_order_of_their_ends(svc: SvcClient, silent: dict[str, Any]) -> None:
    slow = svc.submit_job(BELL, shots=5, qpu="silent")
    ends = svc.as_completed([slow, svc.submit_job(BELL, shots=5, qpu="kelvin")], timeout=PATIENCE)
    assert next(ends).status == "completed"
    slow.cancel()
    assert [job.status for job in ends] == ["cancelled"]


def test_a_timeout_holds_the_job_which_goes_on(svc: SvcClient, silent: dict[str, Any]) -> None:
    job = svc.submit_job(BELL, shots=5, qpu="silent")
    with pytest.raises(JobTimeout, match=f"Job {job.id} has not ended within 0.3 s; it goes on") as caught:
        job.result(timeout=0.3)
    assert caught.value.job is not None and caught.value.job.refresh().status == "pending"
    assert isinstance(caught.value, TimeoutError)
    others = [svc.submit_job(BELL, shots=5, qpu="silent") for _ in range(3)]
    with pytest.raises(JobTimeout, match="4 jobs have not ended within 0.3 s; they go on") as several:
        svc.wait([job, *others], timeout=0.3)
    assert [each.id for each in several.value.jobs] == [job.id, *(other.id for other in others)]
    for each in (job, *others):
        each.cancel()
    with pytest.raises(JobCancelledError):
        job.result()


@pytest.mark.parametrize("count", [1, 4])
def test_a_timeout_of_zero_looks_once(svc: SvcClient, count: int) -> None:
    jobs = [svc.submit_job(BELL, shots=5, qpu="kelvin") for _ in range(count)]
    svc.wait([job.id for job in jobs])
    # As they were when they were submitted.
    assert [job.status for job in svc.wait(jobs, timeout=0)] == ["completed"] * count


def test_a_job_that_is_gone_ends_the_wait(svc: SvcClient, silent: dict[str, Any]) -> None:
    with pytest.raises(NotFoundError):
        svc.wait(["aaaaaaaaaaaaaaa"])
    job = svc.submit_job(BELL, shots=5, qpu="silent")
    job.cancel()
    svc._transport.request("DELETE", f"/api/jobs/{job.id}")
    with pytest.raises(NotFoundError):
        job.wait()


def test_a_job_is_watched(service: Service, svc: SvcClient, silent: dict[str, Any]) -> None:
    service.root.admin.drain(silent["id"], reason="warm")
    job = svc.submit_job(BELL, shots=5, qpu="silent")
    seen = []
    for each in job.watch():
        seen.append((each.status, each.waiting.code if each.status == "pending" and each.waiting else ""))
        if each.status == "pending":
            each.cancel()
    service.root.admin.drain(silent["id"], False)
    assert seen == [("pending", "draining"), ("cancelled", "")]


@pytest.mark.parametrize("count", [1, 6])
def test_the_wait_survives_a_server_that_is_killed(service: Service, count: int) -> None:
    qpu = service.create_qpu(f"late{count}")
    with service.client() as svc:
        jobs = [svc.submit_job(BELL, shots=5, qpu=qpu["name"]) for _ in range(count)]
        ended: list[str] = []
        thread = threading.Thread(target=lambda: ended.extend(job.status for job in svc.wait(jobs)))
        thread.start()
        for _ in range(2):
            time.sleep(0.3)
            service.stop(signal.SIGKILL)
            service.start()
        service.start_driver(qpu, "mock")
        thread.join(PATIENCE)
        assert ended == ["completed"] * count


def test_the_asynchronous_wait_survives_a_server_that_is_killed(service: Service) -> None:
    qpu = service.create_qpu("later")

    async def use() -> list[str]:
        async with SvcAsyncClient(service.url, service.token) as svc:
            jobs = [await svc.submit_job(BELL, shots=5, qpu="later") for _ in range(4)]
            waits = asyncio.gather(*(job.wait() for job in jobs))
            await asyncio.sleep(0.3)
            await asyncio.to_thread(service.stop, signal.SIGKILL)
            await asyncio.to_thread(service.start)
            await asyncio.to_thread(service.start_driver, qpu, "mock")
            return [job.status for job in await asyncio.wait_for(waits, PATIENCE)]

    assert asyncio.run(use()) == ["completed"] * 4


def test_an_asynchronous_wait_is_cancelled_like_any_task(service: Service, silent: dict[str, Any]) -> None:
    async def use() -> None:
        async with SvcAsyncClient(service.url, service.token) as svc:
            jobs = [await svc.submit_job(BELL, shots=5, qpu="silent") for _ in range(4)]
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(svc.wait(jobs), 0.3)
            assert not svc._waiting._groups and not svc._waiting._held
            assert (await jobs[0].refresh()).status == "pending"
            for job in jobs:
                await job.cancel()
        await asyncio.sleep(0)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(use())


def test_an_interrupt_ends_the_wait_and_not_the_job(service: Service, svc: SvcClient, silent: dict[str, Any]) -> None:
    program = (
        "import sys; from svc_client import SvcClient; svc = SvcClient(); jobs = [svc.job(id) for id in sys.argv[1:]]\n"
        "print('waiting', flush=True)\nsvc.wait(jobs)"
    )
    for count in (1, 4):
        jobs = [svc.submit_job(BELL, shots=5, qpu="silent") for _ in range(count)]
        env = {**os.environ, "SVC_ADDR": service.url, "SVC_API_TOKEN": service.token}
        command = [sys.executable, "-c", program, *(job.id for job in jobs)]
        process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert process.stdout is not None and process.stdout.readline() == "waiting\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == -signal.SIGINT and re.fullmatch(r"Stopped waiting; .*\n", err)
        for job in jobs:
            assert job.refresh().status == "pending"
            job.cancel()
