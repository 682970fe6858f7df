"""What all exporters share: the circuits, and the form of an entry of the corpus."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

# (gate, parameters, qubits); what a gate means is up to the tool that builds the circuit.
Step = tuple[str, tuple[float, ...], tuple[int, ...]]


@dataclass
class Circuit:
    """A circuit in no tool's own form; all its qubits are measured at the end."""

    name: str
    qubits: int
    steps: list[Step]


@dataclass
class Entry:
    """A program as a tool has written it, with the exact distribution that `source` has computed."""

    tool: str
    options: str
    name: str
    program: str
    # Bit string, first declared register rightmost, to probability.
    probabilities: dict[str, float]
    source: str


def turn(rng: random.Random) -> float:
    """An angle that every exporter prints without loss."""
    return round(rng.uniform(-3, 3), 3)


def layer(rng: random.Random, qubits: int, gates: tuple[str, ...] = ("ry", "rz")) -> list[Step]:
    """Rotations of all qubits, so that what lies between two layers shows in the probabilities."""
    return [(gate, (turn(rng),), (qubit,)) for qubit in range(qubits) for gate in gates]


def sandwich(name: str, parameters: int, width: int, qubits: int = 3) -> Circuit:
    """One gate between two layers of rotations, on qubits in no particular order."""
    rng = random.Random(name)
    size = max(qubits, width)
    places = tuple(rng.sample(range(size), width))
    step = (name, tuple(turn(rng) for _ in range(parameters)), places)
    return Circuit(name, size, [*layer(rng, size), step, *layer(rng, size, ("rz", "ry"))])


def mix(seed: int, gates: dict[str, tuple[int, int]], qubits: int, length: int = 12) -> Circuit:
    """Random gates of a table: name to number of parameters and qubits."""
    rng = random.Random(f"mix {seed}")
    usable = [(name, *shape) for name, shape in gates.items() if shape[1] <= qubits]
    steps = layer(rng, qubits)
    for _ in range(length):
        name, parameters, width = rng.choice(usable)
        places = tuple(rng.sample(range(qubits), width))
        steps.append((name, tuple(turn(rng) for _ in range(parameters)), places))
    return Circuit(f"mix {seed}", qubits, [*steps, *layer(rng, qubits, ("rz", "ry"))])


def sandwiches(gates: dict[str, tuple[int, int]]) -> Iterator[Circuit]:
    """One circuit for each gate of a table."""
    for name, (parameters, width) in gates.items():
        yield sandwich(name, parameters, width)


def registers_of(program: str) -> list[tuple[str, int]]:
    """The registers of bits in the order in which a program declares them."""
    text = re.sub(r"//[^\n]*", "", program)
    found = re.finditer(r"\bcreg\s+(\w+)\s*\[(\d+)\]|\bbit(?:\[(\d+)\])?\s+(\w+)", text)
    return [(m[1], int(m[2])) if m[1] else (m[4], int(m[3] or 1)) for m in found]


def distribution(
    program: str, outcomes: Iterator[tuple[dict[tuple[str, int], int], float]]
) -> dict[str, float]:
    """The distribution over bit strings of a program from (bits by register and index, probability)."""
    registers = registers_of(program)
    result: dict[str, float] = {}
    for bits, probability in outcomes:
        key = "".join(
            str(bits.get((name, index), 0))
            for name, size in reversed(registers)
            for index in reversed(range(size))
        )
        result[key] = result.get(key, 0.0) + float(probability)
    assert abs(sum(result.values()) - 1) < 1e-6, sum(result.values())
    return {key: round(p, 12) for key, p in sorted(result.items()) if p > 5e-13}


def measured(
    program: str, probabilities, places: list[tuple[str, int]], big_endian: bool = True
) -> dict[str, float]:
    """
    The distribution of a program that measures qubit i into `places[i]`, from the probability of each basis
    state; `big_endian` if qubit 0 is the most significant bit of its index.
    """
    count = len(places)

    def outcomes():
        for index, probability in enumerate(probabilities):
            bits = {}
            for qubit, place in enumerate(places):
                shift = count - 1 - qubit if big_endian else qubit
                bits[place] = (index >> shift) & 1
            yield bits, probability

    return distribution(program, outcomes())


def register(name: str, size: int) -> list[tuple[str, int]]:
    """The bits of one register."""
    return [(name, index) for index in range(size)]
