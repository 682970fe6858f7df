"""Compiles circuits with quantify-scheduler, for `bench/compiler/quantify.ts`."""

import tempfile

from answers import serve
from qcodes.instrument import Instrument
from quantify_core.data.handling import set_datadir
from quantify_scheduler import Schedule
from quantify_scheduler.backends.graph_compilation import SerialCompiler
from quantify_scheduler.device_under_test.composite_square_edge import CompositeSquareEdge
from quantify_scheduler.device_under_test.quantum_device import QuantumDevice
from quantify_scheduler.device_under_test.transmon_element import BasicTransmonElement
from quantify_scheduler.enums import BinMode
from quantify_scheduler.operations.gate_library import CZ, Measure, Reset, Rxy
from quantify_scheduler.operations.pulse_library import IdlePulse

set_datadir(tempfile.mkdtemp())


def device_of(elements, hardware):
    Instrument.close_all()
    device = QuantumDevice("device")
    for name, body in elements.items():
        if "cz" in body:
            parent, child = name.split("_")
            element = CompositeSquareEdge(parent_element_name=parent, child_element_name=child)
        else:
            element = BasicTransmonElement(name)
        for module, values in body.items():
            for key, value in values.items():
                getattr(getattr(element, module), key)(value)
        add = device.add_edge if "cz" in body else device.add_element
        add(element)
    device.hardware_config(hardware)
    return device


def compiled(question):
    device = device_of(question["elements"], question["hardware"])
    answers = []
    for number, gates in enumerate(question["circuits"]):
        schedule = Schedule(f"circuit {number}", repetitions=question["shots"])
        schedule.add(Reset(*question["measured"]))
        for gate in gates:
            if gate["kind"] == "rxy":
                schedule.add(Rxy(gate["theta"], gate["phi"], gate["qubit"]))
            elif gate["kind"] == "cz":
                schedule.add(CZ("q0", "q1"))
            else:
                schedule.add(IdlePulse(gate["ns"] * 1e-9))
        schedule.add(Measure(*question["measured"], bin_mode=BinMode.APPEND))
        result = SerialCompiler("compiler").compile(schedule, device.generate_compilation_config())
        answers.append(sequences_of(result.compiled_instructions["cluster0"]))
    return answers


def sequences_of(cluster):
    """What each sequencer plays, with the slot of its module and the frequency of its oscillator in Hz."""
    return [
        {
            "slot": int(name.rpartition("module")[2]),
            "hz": sequencer.modulation_freq or 0,
            "program": sequencer.sequence["program"],
            "waveforms": sequencer.sequence["waveforms"],
        }
        for name, module in cluster.items()
        if "_module" in name
        for sequencer in module["sequencers"].values()
    ]


serve({"compile": compiled})
