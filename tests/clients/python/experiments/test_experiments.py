"""Qiskit Experiments against the truth of a simulated chip, which ``SVC_CHIP`` names with its files."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any, Iterator

import numpy as np
import pytest
from qiskit import QuantumCircuit, generate_preset_pass_manager
from qiskit.circuit.library import XGate
from qiskit_experiments.framework import BaseExperiment, ExperimentData, ParallelExperiment
from qiskit_experiments.library import T1, FineDrag, FineXAmplitude, LocalReadoutError, StandardRB, T2Ramsey
from service import Service
from svc_client.qiskit import SvcBackend, SvcSampler

T1_S = [40e-6, 15e-6]
T2_S = [30e-6, 12e-6]
SLOW_T2_S, ECHO_S = 6e-6, 50e-6
PULSE_S = 56e-9
# Of the fringes within the longest wait.
CYCLES = 5


@pytest.fixture(scope="module")
def backend(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SvcBackend]:
    folder = Path(os.environ["SVC_CHIP"])
    service = Service(tmp_path_factory.mktemp("service"))
    try:
        files = [f"scheduler_device_config={folder}/scheduler.device.yml"]
        files += [f"scheduler_hardware_config={folder}/hardware.json"]
        service.start_driver(service.create_qpu("chip"), "scheduler_a", *files)
        yield service.client().get_backend("chip")
    finally:
        service.close()


def run(experiment: BaseExperiment, backend: SvcBackend, *, shots: int = 800, **options: Any) -> ExperimentData:
    """Runs an experiment; it has no errors."""
    experiment.backend = backend
    experiment.set_run_options(shots=shots)
    data = experiment.run(sampler=SvcSampler(backend, options=options)).block_for_results()
    assert not data.errors(), data.errors()
    return data


def found(data: ExperimentData, name: str) -> list[Any]:
    """The values of the results of this name, in the order of their qubits."""
    table = data.analysis_results(dataframe=True)
    rows = table[table.name == name]
    return sorted(zip((str(each) for each in rows.components), rows.value), key=lambda pair: pair[0])


def values(data: ExperimentData, name: str) -> list[tuple[float, float]]:
    """Nominal values with their standard errors."""
    return [(value.nominal_value, value.std_dev) for _, value in found(data, name)]


def together(*experiments: BaseExperiment) -> ParallelExperiment:
    return ParallelExperiment(list(experiments), flatten_results=True)


def ramsey(qubit: int, longest: float) -> BaseExperiment:
    return T2Ramsey([qubit], np.linspace(0.2e-6, longest, 25), osc_freq=CYCLES / longest)


def assert_near(data: ExperimentData, name: str, truths: list[float], within: float = 0.05) -> None:
    """Within five standard errors and what the model of the fit leaves out, and resolved."""
    for (value, error), truth in zip(values(data, name), truths, strict=True):
        assert abs(value - truth) < 5 * error + within * truth, (name, values(data, name), truths)
        assert error < 0.3 * truth, (name, values(data, name))


def test_t1_of_qubits_with_different_waits(backend: SvcBackend) -> None:
    waits = [np.linspace(1e-6, 3 * t1, 13) for t1 in T1_S]
    experiment = together(*(T1([at], each) for at, each in enumerate(waits)))
    assert_near(run(experiment, backend), "T1", T1_S)


def test_decay_in_decoupled_waits(backend: SvcBackend) -> None:
    """The two half turns of a wait exchange what has decayed and what has not."""
    circuit = QuantumCircuit(2)
    circuit.x([0, 1])
    for at, t1 in enumerate(T1_S):
        circuit.delay(t1, at, "s")
    circuit.measure_all()
    isa = generate_preset_pass_manager(optimization_level=0, backend=backend, initial_layout=[0, 1]).run(circuit)
    quarter, half = math.exp(-1 / 4), math.exp(-1 / 2)
    for options, left in [({}, math.exp(-1)), ({"decoupling": True}, quarter * (1 - (1 - quarter) * half))]:
        [result] = SvcSampler(backend, options=options).run([isa], shots=4_000).result()
        ones = [result.data.meas.slice_bits(at).get_counts()["1"] / 4_000 for at in (0, 1)]
        # Readout errors of up to 6 %.
        assert all(abs(each - left) < 0.07 for each in ones), (options, ones, left)


@pytest.mark.parametrize("options", [{}, {"decoupling": True}])
def test_ramsey_of_qubits_with_different_waits(backend: SvcBackend, options: dict[str, Any]) -> None:
    data = run(together(*(ramsey(at, 2 * t2) for at, t2 in enumerate(T2_S))), backend, **options)
    assert_near(data, "T2star", T2_S)
    assert_near(data, "Frequency", [CYCLES / (2 * t2) for t2 in T2_S])


def test_decoupling_cancels_slow_noise(backend: SvcBackend) -> None:
    assert_near(run(ramsey(2, 60e-6), backend, decoupling=True), "T2star", [ECHO_S])
    # Its fringes decay as a Gaussian mostly, which the fit of an exponential does not quite follow.
    assert_near(run(ramsey(2, 12e-6), backend), "T2star", [SLOW_T2_S], within=0.3)


@pytest.mark.parametrize("options", [{}, {"decoupling": True}])
def test_rb_of_qubits_with_different_lengths(backend: SvcBackend, options: dict[str, Any]) -> None:
    lengths = [[1, 100, 250, 500, 900], [1, 40, 100, 200, 400]]
    experiment = together(*(StandardRB([at], each, num_samples=5, seed=7 + at) for at, each in enumerate(lengths)))
    data = run(experiment, backend, **options)
    # The coherence limit of a pulse.
    limits = [1 / 2 - math.exp(-PULSE_S / t1) / 6 - math.exp(-PULSE_S / t2) / 3 for t1, t2 in zip(T1_S, T2_S)]
    assert_near(data, "EPG_sx", limits, within=0.1)


def test_an_amplitude_that_is_wrong_is_found(backend: SvcBackend) -> None:
    for qubit, wrong in [(0, 0.0), (3, 0.06)]:
        [(angle, _)] = values(run(FineXAmplitude([qubit]), backend, shots=1_000), "d_theta")
        assert abs(angle / math.pi - wrong) < 0.01


def test_a_second_quadrature_that_is_wrong_is_found(backend: SvcBackend) -> None:
    angles = {}
    for qubit in (0, 3):
        [(angles[qubit], _)] = values(run(FineDrag([qubit], XGate()), backend, shots=1_000), "d_theta")
    assert abs(angles[0]) < 0.01 and 0.03 < abs(angles[3]) < 0.1, angles


def test_readout_errors_are_those_of_the_description(backend: SvcBackend) -> None:
    data = run(LocalReadoutError([0, 1]), backend, shots=4_000)
    [(_, mitigator)] = found(data, "Local Readout Mitigator")
    for at in (0, 1):
        matrix = mitigator.assignment_matrix([at])
        described = backend.target["measure"][(at,)].error
        assert abs((matrix[0, 1] + matrix[1, 0]) / 2 - described) < 0.02
