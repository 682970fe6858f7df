"""The contract cases, replayed by the synchronous and the asynchronous client."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import warnings
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from contract_stub import TOKEN, ContractStub, has_all
from svc_client import (
    Circuit,
    CircuitResult,
    ConnectionLostError,
    JobCancelledError,
    JobFailedError,
    JobTimeout,
    Result,
    SvcAsyncClient,
    SvcClient,
    SvcError,
)

CASES = json.loads(Path(os.environ["SVC_CONTRACT_CASES"]).read_text("utf-8"))["cases"]
# Classes that have another name than in JavaScript.
NAMES = {"JobTimeout": "JobTimeoutError", "ValueError": "RangeError"}


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
@pytest.mark.parametrize("kind", ["sync", "async"])
def test_contract(case: dict[str, Any], kind: str) -> None:
    with ContractStub(case["exchanges"]) as stub:
        returned, raised, message = asyncio.run(perform(case, stub.url)) if kind == "async" else blocking(case, stub.url)
    assert stub.breaches == []
    wanted = dict(case.get("raises") or {})
    parts = wanted.pop("contains", [])
    if case.get("raises"):
        assert has_all(raised, wanted), (raised or returned, wanted)
    else:
        assert has_all(returned, case.get("returns")), (raised or returned, case.get("returns"))
    for part in parts:
        assert part in message


async def perform(case: dict[str, Any], url: str) -> tuple[Any, Any, str]:
    async with SvcAsyncClient(url, TOKEN) as svc:
        return await outcome(svc, case)


def blocking(case: dict[str, Any], url: str) -> tuple[Any, Any, str]:
    """Drives the same calls with the synchronous client: nothing in them suspends."""
    with SvcClient(url, TOKEN) as svc:
        steps = outcome(svc, case)
        try:
            steps.send(None)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
    raise AssertionError("a call of the synchronous client was suspended")


async def outcome(svc: Any, case: dict[str, Any]) -> tuple[Any, Any, str]:
    try:
        return plain(await call(svc, case["call"], case["args"])), None, ""
    except (SvcError, ValueError) as error:
        return None, plain_error(error), str(error)


async def call(svc: Any, name: str, args: dict[str, Any]) -> Any:
    """Makes the call of a case; ``result`` unpacks what either client returns."""
    target, _, method = name.partition(".")
    if target in ("submit_job", "check_job"):
        return await done(getattr(svc, target)(**submission(args)))
    if target == "jobs":
        found = svc.jobs(**args["options"])
        return [job async for job in found] if hasattr(found, "__aiter__") else list(found)
    if target == "resume":
        return await done(svc.resume(args["idempotency_key"]))
    if name == "job.calibration":
        known = (await done(svc.job(args["id"]))).calibration()
        return known and known.raw
    if name == "job.partial_results":
        found = await done((await done(svc.job(args["id"]))).partial_results())
        counts = {str(at): circuit.counts for at, circuit in found.circuits.items()}
        return {"attempt": found.attempt, "progress": found.progress, "complete": found.complete, "counts": counts}
    if target in ("cancel_job", "wait", "result"):
        job = await done(svc.job(args["id"]))
        if target == "cancel_job":
            return await done(job.cancel())
        if target == "wait":
            return await done(job.wait(args.get("timeout")))
        if method == "warns":
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                await done(job.result())
            return any(args["reason"] in str(each.message) for each in seen)
        result = await done(job.result())
        return of_circuit(result[args["circuit"]], method, args) if method else result
    if target in ("schedule", "book"):
        times = {key: datetime.fromisoformat(args[key].replace("Z", "+00:00")) for key in ("start", "end")}
        return await done(getattr(svc, target)(**{**args, **times}))
    if target == "collection":
        return await records(svc.collection(args["collection"]), method, args)
    if target in ("sessions", "tokens", "admin"):
        given = {key: value for key, value in args.items() if key not in ("body", "id")}
        first = [args["id"]] if "id" in args else []
        return await done(getattr(getattr(svc, target), method)(*first, **given, **args.get("body", {})))
    return await done(getattr(svc, name)(**{"job" if key == "id" else key: value for key, value in args.items()}))


async def done(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


async def records(collection: Any, method: str, args: dict[str, Any]) -> Any:
    if method == "list":
        options = {"per_page" if key == "perPage" else key: value for key, value in args["options"].items()}
        return await done(collection.list(**options))
    return await done(getattr(collection, method)(*[args[key] for key in ("id", "body") if key in args]))


def of_circuit(circuit: CircuitResult, method: str, args: dict[str, Any]) -> Any:
    given = {key: value for key, value in args.items() if key not in ("id", "circuit")}
    found = getattr(circuit, method)(**given)
    return {"value": found[0], "error": found[1]} if method == "expectation" else found


def submission(args: dict[str, Any]) -> dict[str, Any]:
    circuits = [
        each if isinstance(each, str) else Circuit(**{"text" if key == "circuit" else key: each[key] for key in each})
        for each in args["circuits"]
    ]
    return {**args, "circuits": circuits}


def plain(value: Any) -> Any:
    """What a call returns in the form of the cases."""
    if isinstance(value, Result):
        return plain_result(value)
    if isinstance(value, list):
        return [plain(each) for each in value]
    if hasattr(value, "queue_position"):
        return plain_job(value)
    return getattr(value, "raw", value)


def plain_job(job: Any) -> dict[str, Any]:
    fields = ["id", "name", "tags", "status", "qpu", "charged_seconds", "queue_position"]
    return {
        **{field: getattr(job, field) for field in fields},
        **{field: moment(getattr(job, field)) for field in ("created", "started", "finished")},
        "waiting": {"code": job.waiting.code, "text": job.waiting.text} if job.waiting else None,
        "estimated_start": [moment(each) for each in job.estimated_start] if job.estimated_start else None,
        "progress": job.progress,
        "recalled": job.recalled.reason if job.recalled else None,
        "disturbed_by": job.disturbed_by,
        "give_up_at": moment(job.give_up_at),
        "error": {"code": job.error.code, "message": job.error.message} if job.error else None,
    }


def plain_result(result: Result) -> dict[str, Any]:
    circuits = [
        {
            **{field: getattr(each, field) for field in ("name", "shots", "counts", "metadata", "memory")},
            "iq": None if each.iq is None else points(each.iq.tolist()),
        }
        for each in result
    ]
    return {"job_id": result.job_id, "device": result.provenance.device, "circuits": circuits}


def points(value: Any) -> Any:
    return [points(each) for each in value] if isinstance(value, list) else [value.real, value.imag]


def moment(time: datetime | None) -> str | None:
    return None if time is None else time.isoformat()


def plain_error(error: Exception) -> dict[str, Any]:
    name = NAMES.get(type(error).__name__, type(error).__name__)
    if isinstance(error, ConnectionLostError):
        return {"error": name, "maybe_done": error.maybe_done}
    if isinstance(error, JobFailedError):
        return {"error": name, "job_id": error.job_id, "code": error.code}
    if isinstance(error, (JobCancelledError, JobTimeout)):
        return {"error": name, "job_id": error.job_id}
    if not isinstance(error, SvcError):
        return {"error": name}
    fields = {"status": error.status, "code": error.code, "request_id": error.request_id, "fields": error.fields}
    return {"error": name, **fields, "retry_after": error.retry_after}
