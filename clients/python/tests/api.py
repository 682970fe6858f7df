"""A program that uses the public names as their types say; ``mypy --strict`` and ``pyright`` read it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from svc_client import (
    AsyncJob,
    Circuit,
    Job,
    JobTimeout,
    Qpu,
    QpuSession,
    Result,
    Retries,
    Slot,
    SvcAsyncClient,
    SvcClient,
    SvcError,
    Timeout,
)

if TYPE_CHECKING:
    from typing_extensions import assert_type

    def synchronous(svc: SvcClient) -> None:
        job = svc.submit_job(["text", Path("bell.qasm"), Circuit("text", [0.5], 10, "name", {"a": 1})], shots=10)
        assert_type(job, Job)
        assert_type(job.result(), Result)
        assert_type(job.result()[0].counts, dict[str, int])
        assert_type(job.result()[0].expectation("ZZ"), tuple[float, float])
        assert_type(job.estimated_start, "tuple[datetime, datetime] | None")
        assert_type([each for each in svc.as_completed([job, "id"])], list[Job])
        assert_type([each for each in job.watch()], list[Job])
        assert_type(svc.wait([job]), list[Job])
        assert_type(svc.qpus(), list[Qpu])
        assert_type([each for each in svc.slots()], list[Slot])
        with svc.session("kelvin", seconds=600) as held:
            assert_type(svc.submit_job("text", session=held), Job)
        assert_type(svc.sessions.end(held), QpuSession)
        try:
            job.wait(timeout=1, progress=False)
        except JobTimeout as error:
            assert_type(error.message, str)
        except SvcError as error:
            assert_type(error.retry_after, "float | None")

    async def asynchronous() -> None:
        async with SvcAsyncClient("http://a", "b", timeout=Timeout(connect=1), retries=Retries(tries=1)) as svc:
            job = await svc.submit_job("text")
            assert_type(job, AsyncJob)
            assert_type(await job.result(), Result)
            assert_type([each async for each in svc.as_completed([job])], list[AsyncJob])
            assert_type(await svc.qpu("kelvin"), Qpu)
            async with svc.session() as held:
                assert_type(held, QpuSession)
