"""What users of qiskit-ibm-runtime call: jobs, backends, options, sessions and batches, with a real server."""

from __future__ import annotations

import copy
import pickle
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from chips import device_file
from qiskit import QuantumCircuit
from qiskit.circuit import Parameter
from qiskit.providers import JobStatus
from qiskit.quantum_info import SparsePauliOp
from service import Service, until
from svc_client import ConflictError, JobTimeout, SessionEndedError, SvcAsyncClient, SvcClient
from svc_client.qiskit import (
    Batch,
    EstimatorOptions,
    OptionError,
    SamplerOptions,
    Session,
    SvcBackend,
    SvcEstimator,
    SvcPrimitiveJob,
    SvcSampler,
)
from svc_client.qiskit.properties import description_at


def bell() -> QuantumCircuit:
    circuit = QuantumCircuit(2, name="bell")
    circuit.h(0)
    circuit.cx(0, 1)
    circuit.measure_all()
    return circuit


@pytest.fixture
def backend(svc: SvcClient) -> SvcBackend:
    return svc.get_backend("kelvin")


@pytest.fixture(scope="module")
def waiting(service: Service) -> str:
    """The name of a QPU whose jobs wait."""
    return str(service.create_qpu("quiet")["name"])


def test_a_primitive_job_says_what_it_was_and_what_it_used(backend: SvcBackend, svc: SvcClient) -> None:
    sampler = SvcSampler(backend, options={"environment": {"job_tags": ["a"]}})
    job = sampler.run([(bell(), None, 30)])
    assert (job.primitive_id, job.tags, job.backend().name) == ("sampler", ["a"], "kelvin")
    job.wait_for_final_state(timeout=60)
    assert job.errored() is False and job.error_message() is None and job.queue_position() is None
    metrics = job.metrics()
    assert metrics["usage"]["status"] == "completed" and metrics["job_ids"] == job.job_ids and metrics["attempts"] == 1
    times = [metrics["timestamps"][each] for each in ("created", "running", "finished")]
    assert times == sorted(times)
    assert job.usage() == metrics["usage"]["charged_seconds"] == svc.job(job.job_id()).charged_seconds
    assert abs(datetime.now(timezone.utc) - job.creation_date) < timedelta(minutes=5) and job.creation_date.tzinfo
    assert job.update_tags(["b", "c"]) == ["b", "c"] == list(svc.job(job.job_id()).tags)
    [sent] = job.inputs["circuits"]
    assert sent["shots"] == 30 and "cx" in sent["circuit"] and job.inputs["options"]["memory"] is True


def test_a_job_that_waits_has_a_position(svc: SvcClient, waiting: str) -> None:
    job = SvcSampler(svc.get_backend(waiting)).run([bell()])
    assert job.metrics()["usage"] == {"quantum_seconds": 0, "charged_seconds": 0, "status": "pending"}
    assert job.usage() == 0 and job.metrics()["timestamps"]["running"] is None
    with pytest.raises(JobTimeout):
        job.wait_for_final_state(timeout=0.1)
    assert job.cancel() and job.status() is JobStatus.CANCELLED


def test_a_job_of_a_primitive_is_found_by_one_of_its_ids(service: Service, backend: SvcBackend) -> None:
    job = SvcSampler(backend).run([(bell(), None, 3)] * 301)
    assert len(job.job_ids) == 2
    again = service.client().primitive_job(job.job_ids[1])
    assert isinstance(again, SvcPrimitiveJob) and again.job_ids == job.job_ids and len(again.result()) == 301
    assert SvcAsyncClient(service.url, service.token).primitive_job(job.job_ids).backend().name == "kelvin"
    with pytest.raises(ValueError, match="expected the ids of one call of a primitive"):
        service.client().primitive_job(backend.run(bell()).job_id())


def test_backends_are_found_by_what_they_have(svc: SvcClient, waiting: str) -> None:
    assert [each.name for each in svc.backends()] == sorted(each.name for each in svc.qpus())
    assert [each.name for each in svc.backends("kelvin")] == ["kelvin"]
    assert [each.name for each in svc.backends(operational=True, simulator=True, dynamic_circuits=True)] == ["kelvin"]
    assert svc.backends(min_num_qubits=1_000_000) == []
    assert waiting in [each.name for each in svc.backends(operational=False)]
    assert [each.name for each in svc.backends(filters=lambda each: each.name == waiting)] == [waiting]
    with pytest.raises(ValueError, match="No QPU that runs jobs now satisfies the conditions"):
        svc.least_busy(min_num_qubits=1_000_000)


def test_the_least_busy_backend_starts_first(service: Service, svc: SvcClient) -> None:
    service.start_driver(service.create_qpu("spare"), "aer_sim")
    now = datetime.now(timezone.utc)
    slot = service.root.book("kelvin", now + timedelta(seconds=1), now + timedelta(hours=1))
    try:
        until("kelvin is booked by another account", lambda: svc.least_busy(simulator=True).name == "spare")
    finally:
        service.root._transport.request("DELETE", f"/api/bookings/{slot.id}")


def test_a_backend_has_a_status_and_properties(service: Service) -> None:
    file = service.folder / "proper.yml"
    file.write_text(device_file(2, t1=3e-5))
    service.start_driver(service.create_qpu("proper"), "aer_sim", f"noise={file}")
    backend = service.client().get_backend("proper")
    status = backend.status()
    assert (status.backend_name, status.operational, status.pending_jobs, status.status_msg) == ("proper", True, 0, "active")
    properties = backend.properties()
    assert (properties.t1(0), properties.t2(0), properties.readout_error(0)) == (3e-5, 1e-5, pytest.approx(0.015))
    assert properties.gate_length("cz", [0, 1]) == 4e-8 and properties.gate_error("sx", 0) is not None
    assert properties.readout_length(1) == 1e-6 and properties.frequency(0) is None
    assert properties.gate_error("rz", 1) == 0 and properties.is_qubit_operational(1)
    assert properties.faulty_qubits() == [] and properties.faulty_gates() == []
    with pytest.raises(ValueError, match="has no gate cx; it has rz, sx, x, cz"):
        properties.gate_error("cx", [0, 1])
    with pytest.raises(ValueError, match="there is no qubit 2"):
        properties.t1(2)
    backend.check_faulty(QuantumCircuit(2))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"defalt_shots": 5}, "There is no option defalt_shots; did you mean default_shots?"),
        ({"execution": {"meas_typ": "kerneled"}}, "There is no option execution.meas_typ; did you mean"),
        ({"default_shots": 0}, "The option default_shots is 0; expected an integer of at least 1"),
        ({"seed": -1}, "The option seed is -1"),
        ({"optimization_level": 3}, "expected 0, 1, 2 or None"),
        ({"meas_type": "raw"}, "expected classified, kerneled or avg_kerneled"),
        ({"tags": "x"}, "expected a list of texts"),
        ({"dynamical_decoupling": {"sequence_type": "XpXm"}}, "sequence_type is 'XpXm'; expected XX or XY4"),
        ({"dynamical_decoupling": {"scheduling_method": "alap"}}, "scheduling_method is not supported: .*PadDynamicalDecoupling"),
        ({"twirling": {"enable_gates": True}}, "twirling.enable_gates is not supported"),
        ({"max_execution_time": 60}, "max_execution_time is not supported: job_timeout"),
    ],
)
def test_options_that_do_not_exist_or_have_no_effect_are_refused(
    backend: SvcBackend, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(OptionError, match=message):
        SvcSampler(backend, options=options)
    [(name, value)] = options.items()
    sampler = SvcSampler(backend)
    with pytest.raises(OptionError, match=message):
        setattr(sampler.options, name, value)
    with pytest.raises(OptionError, match=message):
        sampler.options.update(**options)
    assert sampler.options == SamplerOptions()


def test_options_work_by_both_names(backend: SvcBackend) -> None:
    options = {
        "execution": {"meas_type": "kerneled", "init_qubits": True},
        "simulator": {"seed_simulator": 7, "noise_model": None},
        "environment": {"job_tags": ["x"], "private": False},
        "dynamical_decoupling": {"enable": False, "sequence_type": "XX"},
        "twirling": {},
    }
    sampler = SvcSampler(backend, options=options)
    assert sampler.options == SamplerOptions(seed=7, tags=["x"], meas_type="kerneled")
    sampler.options.environment.job_tags = ["y"]
    sampler.options.default_shots = 9
    assert sampler.options.environment.job_tags == ["y"] == sampler.options.tags
    assert copy.deepcopy(sampler.options) == sampler.options == pickle.loads(pickle.dumps(sampler.options))
    with pytest.raises(OptionError, match="resilience.zne_mitigation is not supported"):
        sampler.options.resilience.zne_mitigation = True
    sampler.options.dynamical_decoupling.enable = True
    assert sampler.options.dynamical_decoupling.sequence_type == "XX"
    sampler.options.update(dynamical_decoupling={"enable": True, "sequence_type": "XY4"})
    assert sampler.options._submitted()["dynamical_decoupling"] == "XY4"
    sampler.options.update(dynamical_decoupling={"enable": False, "scheduling_method": "alap"})
    assert sampler.options._submitted()["dynamical_decoupling"] is None
    assert not hasattr(sampler.options, "default_precision")
    job = sampler.run([bell()])
    assert job.tags == ["y"] and job.result()[0].data.meas.shape == (9, 2)
    estimator = SvcEstimator(backend, options={"default_shots": 400, "resilience_level": 0, "seed_estimator": 3})
    assert estimator.options == EstimatorOptions(default_precision=0.05, seed=3)


def test_options_of_a_backend_are_refused_with_the_near_name(svc: SvcClient, backend: SvcBackend) -> None:
    with pytest.raises(OptionError, match="There is no option seed_simulater; did you mean seed_simulator?"):
        backend.run(bell(), seed_simulater=3)
    with pytest.raises(OptionError, match="did you mean shots?"):
        SvcBackend(svc, "kelvin", shot=3)
    with pytest.raises(OptionError, match="did you mean memory?"):
        backend.set_options(memroy=True)
    assert backend.run(bell(), optimization_level=0, shots=5).svc.wait().status == "completed"


def test_a_precision_of_more_shots_than_a_circuit_may_have_is_measured(backend: SvcBackend, monkeypatch: Any) -> None:
    monkeypatch.setattr(SvcBackend, "max_shots", 100)
    angle = Parameter("a")
    circuit = QuantumCircuit(1)
    circuit.ry(angle, 0)
    pub = (circuit, SparsePauliOp(["Z", "X"], [1.0, 2.0]), [[0.3], [1.2]])
    job = SvcEstimator(backend, options={"seed": 1}).run([pub], precision=0.05)
    [result] = job.result()
    assert result.metadata["shots"] == 400 and {each["shots"] for each in job.inputs["circuits"]} == {100}
    exact = [0.955336 + 2 * 0.29552, 0.362358 + 2 * 0.932039]
    assert all(abs(result.data.evs - exact) < 5 * result.data.stds) and all(result.data.stds < 0.13)
    again = SvcPrimitiveJob.restore(backend.client, job.job_ids).result()[0]
    assert list(again.data.evs) == list(result.data.evs)
    # Repetitions with one seed are different shots.
    counts = [each.counts for each in job.svc[0].result()][:8:2]
    assert len({tuple(sorted(each.items())) for each in counts}) > 1


def test_a_session_is_the_booking_of_the_account(service: Service, svc: SvcClient, backend: SvcBackend) -> None:
    now = datetime.now(timezone.utc)
    later = svc.book("kelvin", now + timedelta(hours=3), now + timedelta(hours=4))
    with Session(backend, max_time=300) as early:
        assert early.slot is None
    now = datetime.now(timezone.utc)
    slot = svc.book("kelvin", now + timedelta(seconds=1), now + timedelta(hours=1))
    until("the booking begins", lambda: datetime.now(timezone.utc) > slot.start)
    with Session(backend) as session:
        assert session.session_id == slot.id and session.status() == "In progress, accepting new jobs"
        first = SvcSampler(session).run([(bell(), None, 5)])
        second = SvcEstimator().run([(QuantumCircuit(1), SparsePauliOp("Z"))])
        assert session.jobs == [first, second] and len(session.results()) == 2
        assert session.usage() == first.usage() + second.usage() and session.backend() == "kelvin"
        assert session.details()["mode"] == "dedicated"
    assert session.status() == "In progress, not accepting new jobs"
    with pytest.raises(RuntimeError, match="This Session is closed"):
        SvcSampler(session).run([bell()])
    with pytest.raises(TypeError, match="mode is missing"):
        SvcSampler()
    for each in (slot, later):
        service.root._transport.request("DELETE", f"/api/bookings/{each.id}")


def test_a_batch_waits_for_its_jobs_together(backend: SvcBackend, svc: SvcClient, waiting: str) -> None:
    with Batch(backend) as batch:
        sampler = SvcSampler(batch)
        jobs = [sampler.run([(bell(), None, shots)]) for shots in range(1, 8)]
        assert sampler.mode is batch and batch.jobs == jobs
    results = batch.results(timeout=60)
    assert [result[0].data.meas.num_shots for result in results] == list(range(1, 8))
    until("the batch ends with its jobs", lambda: batch.status() == "Closed")
    assert batch.usage() == sum(job.usage() for job in jobs)
    with Batch(backend) as unread:
        SvcSampler().run([(bell(), None, 5)])
    until("a batch ends with its jobs although nobody reads them", lambda: unread.status() == "Closed")
    with Batch(svc.get_backend(waiting)) as other:
        pending = SvcSampler().run([bell()])
    other.cancel()
    assert pending.status() is JobStatus.CANCELLED


def test_a_session_is_opened_where_nothing_is_booked(service: Service, svc: SvcClient, backend: SvcBackend) -> None:
    with Session(backend, max_time=300) as session:
        first, second = (SvcSampler().run([(bell(), None, shots)]) for shots in (5, 6))
        assert first.result()[0].data.meas.num_shots == 5
        assert session.status() == "In progress, accepting new jobs"
        details = session.details()
        assert (details["mode"], details["max_time"], details["id"]) == ("dedicated", 300, session.session_id)
    # It goes on until the last job has ended.
    assert second.result()[0].data.meas.num_shots == 6
    until("the session ends with its jobs", lambda: session.status() == "Closed")
    assert svc.sessions.get(session.session_id).end == "ended"
    assert session.usage() > 0 and sum(job.usage() for job in session.jobs) == 0
    with pytest.raises(KeyError), Session(backend) as failing:
        raise KeyError
    assert failing.status() == "Closed"
    with Batch(backend):
        with pytest.raises(ConflictError) as caught:
            Session(backend)
        assert caught.value.code == "session_open"


def test_a_program_of_a_batch_job_needs_no_arguments(
    service: Service, svc: SvcClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = svc.sessions.start("kelvin", seconds=300)
    monkeypatch.setenv("SVC_ADDR", service.url)
    monkeypatch.setenv("SVC_SESSION", started.secret)
    job = SvcSampler().run([(bell(), None, 5)])
    assert len(job.result()) == 1 and job.usage() == 0 and SvcSampler().backend is SvcEstimator().backend
    backend = SvcClient().get_backend()
    for context in (Session(backend), Batch(backend)):
        with context:
            assert context.session_id == started.id and len(SvcSampler().run([(bell(), None, 5)]).result()) == 1
    assert svc.sessions.end(started).state == "closed"
    with pytest.raises(SessionEndedError):
        SvcSampler().run([bell()])


def test_a_mode_of_another_kind_is_refused() -> None:
    with pytest.raises(TypeError, match="expected a backend of client.get_backend"):
        SvcSampler("kelvin")  # type: ignore[arg-type]


def test_a_target_of_an_earlier_time_has_what_calibrations_had_found(service: Service) -> None:
    file = service.folder / "earlier.yml"
    file.write_text(device_file(2, t1=3e-5))
    service.start_driver(service.create_qpu("earlier"), "aer_sim", f"noise={file}")
    backend = service.client().get_backend("earlier")
    before = datetime.now(timezone.utc) - timedelta(days=1)
    target = backend.target_history(before)
    # Nothing had been reported: what the device says now is not what it was.
    assert target.qubit_properties[0].t1 is None and target["cz"][(0, 1)].error is None
    assert target["cz"][(0, 1)].duration == 4e-8 and backend.target_history() is backend.target
    assert backend.properties(datetime=before).t1(0) is None and backend.properties().t1(0) == 3e-5


def test_values_of_calibrations_complete_a_description() -> None:
    at = "2026-11-20 10:00:00.000Z"
    values = [
        {"element": "a", "parameter": "coherence.t1", "value": 1e-5, "at": at},
        {"element": "b", "parameter": "clock_freqs.f01", "value": 5e9, "at": at},
        {"element": "b_a", "parameter": "cz_rb.fidelity", "value": 0.99, "at": "2026-11-21 10:00:00.000Z"},
        {"element": "a", "parameter": "readout.fidelity", "value": 0.9, "at": at},
        {"element": "gone", "parameter": "coherence.t1", "value": 1e-5, "at": at},
    ]
    described = {
        "schema": 1,
        "qubits": [{"name": "a", "t2_s": 1e-6}, {"name": "b", "readout_error": 0.5}],
        "gates": [{"name": "rz", "virtual": True}, {"name": "cz", "on": [{"qubits": [0, 1], "error": 0.3}]}],
    }
    found = description_at(described, values)
    assert found is not None and found["calibrated_at"] == "2026-11-21 10:00:00.000Z"
    assert found["qubits"] == [
        {"name": "a", "t1_s": 1e-5, "readout_error": pytest.approx(0.1)},
        {"name": "b", "frequency_hz": 5e9},
    ]
    assert found["gates"][1]["on"] == [{"qubits": [0, 1], "error": pytest.approx(0.01)}]
    assert described["gates"][1] == {"name": "cz", "on": [{"qubits": [0, 1], "error": 0.3}]}
    assert description_at(None, values) is None
