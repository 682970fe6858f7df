"""A plugin of pytest that runs Qiskit's own tests of its primitives on ``SvcSampler`` and ``SvcEstimator``.

``pytest -p qiskit_cases FOLDER/test/python/primitives/test_backend_sampler_v2.py`` with the folder ``test`` of
Qiskit's source distribution. The names that these modules use are replaced: the primitives by ours, ``BasicSimulator``
and ``AerSimulator`` by a simulator of a real server, ``GenericBackendV2`` by a simulated chip, whose circuits must be
transpiled. ``NOT_APPLICABLE`` has each case that does not run, with its reason.

The option ``abelian_grouping`` has no effect: ``SvcEstimator`` always measures commuting terms together.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from chips import device_file
from service import Service, until
from svc_client import SvcClient
from svc_client.qiskit import SvcBackend, SvcEstimator, SvcSampler

CHIP_QUBITS = 7

_NOT_TRANSPILED = "the circuit is not transpiled, and a QPU with described gates refuses those"
_METADATA = "the metadata of results name their jobs too; test_qiskit_sampler.py and test_qiskit_estimator.py check them"

# By the name of the method, or of one of its cases.
NOT_APPLICABLE = {
    "TestBackendSamplerV2::test_metadata": _METADATA,
    "TestBackendEstimatorV2::test_metadata": _METADATA,
    # Case 2 is that of the chip.
    "TestBackendSamplerV2::test_empty_creg_2": _NOT_TRANSPILED,
    "TestBackendSamplerV2::test_run_level1": "expects the points that the backend of this test makes up",
    "TestBackendEstimatorV2::test_job_size_limit_backend_v2": (
        "counts calls of backend.run, which SvcEstimator does not use; test_qiskit_estimator.py counts jobs"
    ),
}


class _Sampler(SvcSampler):
    """``SvcSampler`` with the arguments of ``BackendSamplerV2``."""

    def __init__(self, backend: SvcBackend, options: dict[str, Any] | None = None) -> None:
        super().__init__(backend, options=options)


class _Estimator(SvcEstimator):
    """``SvcEstimator`` with the arguments of ``BackendEstimatorV2``."""

    def __init__(self, backend: SvcBackend, options: dict[str, Any] | None = None) -> None:
        super().__init__(backend, options=options)


class _Backends:
    """The backends of the running server, as the classes that Qiskit's modules make them of."""

    client: SvcClient

    class Simulator(SvcBackend):
        def __init__(self) -> None:
            super().__init__(_Backends.client, "simulator")

    class Chip(SvcBackend):
        """Takes what ``GenericBackendV2`` takes, and is always the same chip."""

        def __init__(self, num_qubits: int, *_: Any, **__: Any) -> None:
            assert num_qubits <= CHIP_QUBITS
            super().__init__(_Backends.client, "chip")


# The modules import Aer inside of functions, and skip these tests without it.
_aer = ModuleType("qiskit_aer")
_aer.AerSimulator = _Backends.Simulator  # type: ignore[attr-defined]
sys.modules["qiskit_aer"] = _aer

REPLACED: dict[str, Any] = {
    "BackendSamplerV2": _Sampler,
    "BackendEstimatorV2": _Estimator,
    "BasicSimulator": _Backends.Simulator,
    "GenericBackendV2": _Backends.Chip,
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Replaces the names, and marks what does not apply. An entry without a case fails the run."""
    unused = set(NOT_APPLICABLE)
    for item in items:
        assert isinstance(item, pytest.Function)
        for name, value in REPLACED.items():
            if hasattr(item.module, name):
                setattr(item.module, name, value)
        found = [key for key in NOT_APPLICABLE if f"{_case(item)}_".startswith(f"{key}_")]
        unused.difference_update(found)
        for key in found:
            item.add_marker(pytest.mark.skip(reason=NOT_APPLICABLE[key]))
    if unused:
        raise pytest.UsageError(f"No case has the name {', '.join(sorted(unused))}")


def _case(item: pytest.Function) -> str:
    return f"{item.cls.__name__}::{item.name}" if item.cls else item.name


@pytest.fixture(scope="session", autouse=True)
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A server with both QPUs, once they are described."""
    service = Service(tmp_path_factory.mktemp("service"))
    try:
        chip = service.folder / "scheduler.device.yml"
        chip.write_text(device_file(CHIP_QUBITS))
        service.start_driver(service.create_qpu("simulator"), "aer_sim")
        service.start_driver(service.create_qpu("chip"), "aer_sim", f"noise={chip}")
        with service.client() as client:
            _Backends.client = client
            for name in ("simulator", "chip"):
                until(f"{name} is described", lambda name=name: client.qpu(name).description)
            yield
    finally:
        service.close()
