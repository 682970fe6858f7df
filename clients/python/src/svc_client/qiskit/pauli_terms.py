"""Products of Pauli operators and projectors: in which bases they are measured, and what outcomes give for them.

A label has one letter for each qubit, qubit 0 on the right. ``+``, ``-``, ``r``, ``l``, ``0`` and ``1`` are projectors
on the eigenstates of X, Y and Z.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

_BASIS = {"I": "I", "X": "X", "+": "X", "-": "X", "Y": "Y", "r": "Y", "l": "Y", "Z": "Z", "0": "Z", "1": "Z"}
_SIGN = {"+": 1, "r": 1, "0": 1, "-": -1, "l": -1, "1": -1}


def basis_of(label: str) -> str:
    """The basis in which a term is measured."""
    return "".join(_BASIS[letter] for letter in label)


def fits(label: str, basis: str) -> bool:
    """Whether a measurement in this basis gives the term."""
    return all(own in ("I", other) for own, other in zip(basis_of(label), basis))


def bases_of(labels: Iterable[str]) -> list[str]:
    """Few bases that give all terms: each term joins the first basis that it commutes with on each qubit.

    Terms on many qubits come first, because they leave least choice. The identity needs no measurement.
    """
    bases: list[str] = []
    own = sorted({basis_of(label) for label in labels}, key=lambda basis: (basis.count("I"), basis))
    for term in own:
        if not term.strip("I"):
            continue
        for at, basis in enumerate(bases):
            if all("I" in (a, b) or a == b for a, b in zip(term, basis)):
                bases[at] = "".join(b if a == "I" else a for a, b in zip(term, basis))
                break
        else:
            bases.append(term)
    return bases


def term_values(outcomes: Sequence[str], first_bit: int, basis: str, terms: Mapping[str, float]) -> Any:
    """The weighted sum of terms for each outcome, an array.

    Args:
        outcomes: bits, bit 0 on the right. From ``first_bit`` on they belong to the measured qubits, in order.
        terms: factors by label.
    """
    measured = [qubit for qubit, letter in enumerate(reversed(basis)) if letter != "I"]
    signs = {
        qubit: np.array([1.0 if bits[-1 - first_bit - at] == "0" else -1.0 for bits in outcomes])
        for at, qubit in enumerate(measured)
    }
    total = np.zeros(len(outcomes))
    for label, factor in terms.items():
        value = np.full(len(outcomes), factor)
        for qubit, letter in enumerate(reversed(label)):
            if letter in _SIGN:
                value *= (1 + _SIGN[letter] * signs[qubit]) / 2
            elif letter != "I":
                value *= signs[qubit]
        total += value
    return total


def pauli_sum(terms: Mapping[str, float], qubits: int) -> dict[str, float]:
    """Terms as Pauli operators only: a projector is half the identity and half a Pauli operator, with its sign."""
    found: dict[str, float] = {}
    for label, factor in terms.items():
        parts = {"": factor}
        for letter in label:
            if letter in _SIGN:
                choices = {"I": 0.5, _BASIS[letter]: 0.5 * _SIGN[letter]}
                parts = {part + own: value * share for part, value in parts.items() for own, share in choices.items()}
            else:
                parts = {part + letter: value for part, value in parts.items()}
        for part, value in parts.items():
            found[part] = found.get(part, 0.0) + value
    return found or {"I" * qubits: 0.0}
