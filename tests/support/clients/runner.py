"""What tests and benchmarks of clients run in a process of its own, here with the Python client; see ``runners.ts``.

``submit N`` submits N jobs, ten at a time, and prints their ids; ``wait N`` submits N jobs, prints ``waiting``, waits
for all, and prints how many have completed; ``read IDS`` waits for jobs by their ids and prints the same. Address and token come from the environment.
"""

from __future__ import annotations

import asyncio
import sys
from concurrent.futures import ThreadPoolExecutor

from svc_client import Job, SvcAsyncClient, SvcClient

BELL = 'OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; bit[2] c; h q[0]; cx q[0], q[1]; c = measure q;'


def read(ids: list[str]) -> None:
    print("completed", sum(job.status == "completed" for job in SvcClient().wait(ids)), flush=True)


def main(command: str, count: int) -> None:
    svc = SvcClient()

    def submit(at: int) -> Job:
        return svc.submit_job(BELL, shots=10, qpu="kelvin", name=f"job {at}")

    if command == "submit":
        with ThreadPoolExecutor(10) as threads:
            for job in threads.map(submit, range(count)):
                print(job.id, flush=True)
        return
    jobs = [submit(at) for at in range(count)]
    print("waiting", flush=True)
    ended = svc.wait(jobs)
    print("completed", sum(job.status == "completed" for job in ended), flush=True)


async def submit_asynchronously(count: int) -> None:
    numbers = iter(range(count))
    async with SvcAsyncClient() as svc:

        async def submit_rest() -> None:
            for at in numbers:
                print((await svc.submit_job(BELL, shots=10, qpu="kelvin", name=f"job {at}")).id, flush=True)

        await asyncio.gather(*(submit_rest() for _ in range(10)))


if sys.argv[1] == "submit-asynchronously":
    asyncio.run(submit_asynchronously(int(sys.argv[2])))
elif sys.argv[1] == "read":
    read(sys.argv[2].split(","))
else:
    main(sys.argv[1], int(sys.argv[2]))
