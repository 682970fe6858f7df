"""Backends, primitives and their jobs are copied and pickled, as Qiskit Experiments, joblib and dask do it."""

from __future__ import annotations

import copy
import pickle
from typing import Any, Callable

import pytest
from qiskit import QuantumCircuit
from svc_client import SvcClient
from svc_client.qiskit import Batch, SvcBackend, SvcEstimator, SvcJob, SvcSampler

Way = Callable[[Any], Any]
WAYS: list[Way] = [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))]
FLIP = QuantumCircuit(1, 1)
FLIP.x(0)
FLIP.measure(0, 0)


def read(backend: SvcBackend, job: SvcJob, shots: int) -> bool:
    own = backend.run(FLIP, shots=3).result().get_counts()
    return bool(job.result().get_counts() == {"1": shots} and own == {"1": 3})


@pytest.mark.parametrize("way", WAYS, ids=["copy", "deepcopy", "pickle"])
def test_a_copy_does_what_the_original_does(svc: SvcClient, way: Way) -> None:
    backend = way(svc.get_backend("kelvin"))
    assert (backend.name, backend.num_qubits) == ("kelvin", svc.get_backend("kelvin").num_qubits)
    job = way(backend.run(FLIP, shots=7))
    assert job.result().get_counts() == {"1": 7} and job.backend().name == "kelvin"
    sampler = way(SvcSampler(backend, options={"tags": ["copied"]}))
    assert sampler.options.tags == ["copied"]
    sampled = way(way(sampler.run([FLIP], shots=8)))
    assert sampled.result()[0].data.c.get_counts() == way(sampled).result()[0].data.c.get_counts() == {"1": 8}
    estimator = way(SvcEstimator(Batch(backend)))
    bare = FLIP.remove_final_measurements(inplace=False)
    assert way(estimator.run([(bare, "Z")], precision=0.1)).result()[0].data.evs == -1


def test_workers_of_joblib_and_dask_run_with_what_they_are_given(svc: SvcClient) -> None:
    joblib, distributed = pytest.importorskip("joblib"), pytest.importorskip("distributed")
    backend = svc.get_backend("kelvin")
    jobs = [(backend, backend.run(FLIP, shots=10 + at), 10 + at) for at in range(8)]
    for backend_of_joblib in ("loky", "multiprocessing", "threading"):
        assert all(joblib.Parallel(2, backend=backend_of_joblib)(joblib.delayed(read)(*each) for each in jobs))
    with distributed.Client(n_workers=2, threads_per_worker=2, dashboard_address=None) as cluster:
        assert all(cluster.gather(cluster.map(read, *zip(*jobs))))
