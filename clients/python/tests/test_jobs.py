"""Jobs and results, against a server."""

from __future__ import annotations

import asyncio
import math
import threading
import types
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from programs import BELL, TURN, TWO_REGISTERS
from service import Service
from svc_client import Circuit, JobFailedError, Qpu, SvcAsyncClient, SvcClient


def test_a_job_is_submitted_awaited_and_read(svc: SvcClient) -> None:
    job = svc.submit_job(BELL, shots=200, qpu="kelvin", seed=7, name="first", tags=["demo"])
    assert (job.name, job.tags, str(job), job.shots) == ("first", ("demo",), job.id, 200)
    result = job.result(timeout=60)
    assert sorted(result.counts()) == ["00", "11"]
    assert sum(result[0].probabilities().values()) == pytest.approx(1)
    assert (result.provenance.device, result.provenance.seed, result.provenance.attempt) == ("aer_sim", 7, 1)
    done = svc.job(job.id)
    assert done.done() and done.status == "completed"
    assert done.finished is not None and done.created <= done.finished
    assert done.charged_seconds is not None and done.charged_seconds > 0
    assert [step.event for step in done.timeline][0] == "submitted"
    assert done.circuits() == [BELL]
    assert done.refresh().id == job.id
    assert f"<Job {job.id} 'first': completed in" in repr(done)
    assert job.id in done._repr_html_()


def test_memory_registers_and_expectation_values_are_those_of_the_shots(svc: SvcClient) -> None:
    [circuit] = svc.run(Circuit(TWO_REGISTERS, name="two"), shots=200, qpu="kelvin", memory=True)
    assert circuit.name == "two"
    assert circuit.register("a") == {"000000001": 200}
    assert sum(circuit.register("b").values()) == 200
    assert circuit.memory is not None
    assert Counter(circuit.memory) == circuit.counts
    packed = circuit.packed_memory()
    assert packed is not None and len(packed) == 2 * 200
    assert int.from_bytes(packed[:2], "big") == int(circuit.memory[0], 2)
    assert circuit.expectation("IIIIIIIIIZ") == (-1, 0)
    with pytest.raises(ValueError, match='The circuit has no register "c"; it has a, b'):
        circuit.register("c")


def test_each_set_of_parameters_has_a_result(svc: SvcClient) -> None:
    numpy = pytest.importorskip("numpy")
    for values in ([[0], [math.pi]], numpy.array([[0.0], [math.pi]])):
        result = svc.run(TURN, parameter_values=values, shots=100, qpu="kelvin")
        assert [circuit.counts for circuit in result] == [{"0": 100}, {"1": 100}]
        with pytest.raises(IndexError, match="The job has 2 results; there is no number 2"):
            result.counts(2)


def test_results_as_a_table(svc: SvcClient) -> None:
    pytest.importorskip("pandas")
    frame = svc.run([BELL, Circuit(BELL, shots=7)], shots=5, qpu="kelvin").to_dataframe()
    assert list(frame.columns) == ["circuit", "name", "outcome", "count", "probability"]
    assert frame["count"].sum() == 12


def test_programs_have_many_forms(svc: SvcClient, tmp_path: Path) -> None:
    file = tmp_path / "bell.qasm"
    file.write_text(BELL)
    given = [BELL, file, Circuit(BELL, shots=7, name="mine", metadata={"x": [1]})]
    result = svc.run(given, shots=5, qpu=svc.qpu("kelvin"))
    assert [(each.shots, each.name, each.metadata) for each in result] == [
        (5, "circuit_0", {}),
        (5, "circuit_1", {}),
        (7, "mine", {"x": [1]}),
    ]
    with pytest.raises(ValueError, match="is a path rather than a program"):
        svc.submit_job(str(file))
    with pytest.raises(TypeError, match="Expected OpenQASM text.* not int"):
        svc.submit_job([3])
    with pytest.raises(TypeError, match="pass a list such as"):
        svc.submit_job(BELL, tags="demo")


def test_circuits_of_other_libraries_go_to_their_adapter(monkeypatch: pytest.MonkeyPatch, svc: SvcClient) -> None:
    foreign = type("Foreign", (), {"__module__": "cirq.circuits.circuit"})
    adapter = types.ModuleType("svc_client.cirq")
    adapter.to_circuit = lambda circuit: Circuit(BELL, name=type(circuit).__name__)  # type: ignore[attr-defined]
    monkeypatch.setitem(__import__("sys").modules, "svc_client.cirq", adapter)
    # Also of a class that is derived from one of the library, and several.
    derived = type("Derived", (foreign,), {"__module__": "lab"})
    result = svc.run([foreign(), derived()], shots=5, qpu="kelvin")
    assert [each.name for each in result] == ["Foreign", "Derived"]


def test_averaged_and_single_points_are_complex(svc: SvcClient) -> None:
    single = svc.run(BELL, shots=5, qpu="kelvin", meas_level=1)[0].iq
    averaged = svc.run(BELL, shots=5, qpu="kelvin", meas_level=1, meas_return="avg")[0].iq
    assert single is not None and averaged is not None
    assert (single.shape, averaged.shape, single.dtype.kind) == ((5, 2), (2,), "c")


def test_large_programs_and_results_cross_compressed(svc: SvcClient) -> None:
    program = BELL + "\n" + "// a comment that makes the program long\n" * 3_000
    assert len(program) > 64 * 1024
    result = svc.run(program, shots=20_000, qpu="kelvin", memory=True)
    assert len(result[0].memory or []) == 20_000
    assert svc.job(result.job_id).circuits() == [program]


def test_jobs_are_listed_page_by_page_newest_first(svc: SvcClient) -> None:
    jobs = [svc.submit_job(BELL, shots=5, qpu="kelvin", tags=["page"]) for _ in range(3)]
    svc.wait(jobs)
    assert [job.id for job in svc.jobs(tag="page")] == [job.id for job in reversed(jobs)]
    assert [job.id for job in svc.jobs(tag="page", limit=1, before=jobs[2])] == [jobs[1].id]
    # The results of a listed job are read when they are asked for.
    assert sum(next(svc.jobs(tag="page")).result().counts().values()) == 5


def test_jobs_are_listed_beyond_one_page(svc: SvcClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("svc_client._sync.client._PAGE", 2)
    jobs = svc.wait(svc.submit_job(BELL, shots=5, qpu="kelvin", tags=["pages"]) for _ in range(5))
    assert [job.id for job in svc.jobs(tag="pages")] == [job.id for job in reversed(jobs)]
    assert len(list(svc.jobs(tag="pages", limit=3))) == 3


def test_one_client_serves_many_threads(svc: SvcClient) -> None:
    counts: list[int] = []

    def work() -> None:
        counts.append(sum(svc.run(BELL, shots=5, qpu="kelvin").counts().values()))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == [5] * 8


def test_a_failed_job_raises_with_its_reason(service: Service, svc: SvcClient) -> None:
    service.start_driver(service.create_qpu("faulty"), "mock", "fail=error")
    job = svc.submit_job(BELL, shots=5, qpu="faulty")
    assert job.wait().status == "failed"
    with pytest.raises(JobFailedError, match=f"Job {job.id} failed: .") as caught:
        job.result()
    assert caught.value.job_id == job.id and caught.value.code


def test_the_asynchronous_client_does_the_same(service: Service) -> None:
    async def use() -> list[Any]:
        async with SvcAsyncClient(service.url, service.token) as svc:
            jobs = await asyncio.gather(*(svc.submit_job(BELL, shots=5, qpu="kelvin") for _ in range(12)))
            results = await asyncio.gather(*(job.result(timeout=60) for job in jobs))
            ended = [job.id async for job in svc.as_completed(jobs)]
            assert sorted(ended) == sorted(job.id for job in jobs)
            assert (await svc.run(BELL, shots=5, qpu="kelvin")).counts()
            assert isinstance(await svc.qpu("kelvin"), Qpu)
            assert [job.id async for job in svc.jobs(limit=1)]
            assert (await jobs[0].circuits()) == [BELL]
            return [sum(result.counts().values()) for result in results]

    assert asyncio.run(use()) == [5] * 12


def test_synchronous_code_works_within_an_event_loop(svc: SvcClient) -> None:
    async def notebook() -> int:
        jobs = [svc.submit_job(BELL, shots=5, qpu="kelvin") for _ in range(4)]
        return sum(sum(job.result().counts().values()) for job in svc.wait(jobs))

    assert asyncio.run(notebook()) == 20
