"""What a job consists of, in any of the forms that the client accepts."""

from __future__ import annotations

import dataclasses
import difflib
import importlib
import importlib.util
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Mapping, Optional, Union

from ._errors import InvalidRequestError, SvcError, TooLargeError
from ._models import Qpu

MeasLevel = Literal[0, 1, 2]
OptimizationLevel = Literal[0, 1, 2]
Decoupling = Literal["none", "XX", "XY4"]
Scheduling = Literal["alap", "asap"]
Precision = Literal["double", "single"]
MeasReturn = Literal["single", "avg"]

# Limits of the server, checked before anything is sent.
MAX_EXECUTIONS = 300
_MAX_JOB = 10 * 1024 * 1024

# Libraries whose circuits are recognised, each with the module of this package that converts them.
_LIBRARIES = {"qiskit": "qiskit", "cirq": "cirq", "pennylane": "pennylane"}

# One set of values for the inputs of a program, in their order or by their names, or several sets; arrays of NumPy are
# taken too.
ParameterValues = Union[
    Sequence[float], Mapping[str, float], Sequence[Sequence[float]], Sequence[Mapping[str, float]], Any
]


@dataclass(frozen=True)
class Circuit:
    """A program with what belongs to it.

    Attributes:
        text: OpenQASM 2 or 3.
        parameter_values: values of the ``input`` declarations in their order, or by their names such as
            ``{"theta": 3.1}``; several sets give several results.
        shots: other shots than those of the job.
        expectation_values: in an exact job, Pauli sums of which the means are asked for, by label with qubit 0 last:
            ``[{"ZZ": 0.5, "XI": 1}]``; without any, the probabilities of the outcomes.
        name: returned with its results.
        metadata: a JSON object of at most 4 KiB, returned with its results.
    """

    text: str
    parameter_values: Optional[ParameterValues] = None
    shots: Optional[int] = None
    name: str = ""
    metadata: Optional[Mapping[str, Any]] = None
    expectation_values: Optional[Sequence[Mapping[str, float]]] = None


# ``Any`` stands for circuits of Qiskit, Cirq and PennyLane, which need not be installed.
AnyCircuit = Union[str, Path, Circuit, Any]
Circuits = Union[AnyCircuit, Sequence[AnyCircuit]]


def require(library: str) -> None:
    """Raises ``ImportError`` that names the command if the library of an extra of this package is not installed."""
    if importlib.util.find_spec(library) is None:
        raise ImportError(f"{library} is not installed; run: pip install 'svc-client[{library}]'")


def circuits_of(circuits: Circuits) -> list[Circuit]:
    """One or several circuits in any form, as a list.

    Raises:
        TypeError: something else than a circuit.
        ValueError: a text that is a path.
    """
    if _is_one(circuits):
        return [circuit_of(circuits)]
    if isinstance(circuits, Iterable):
        return [circuit_of(each) for each in circuits]
    raise _no_circuit(circuits)


def circuit_of(given: AnyCircuit) -> Circuit:
    """A circuit in the form that is sent. Those of other libraries are converted by ``svc_client.<library>``."""
    if isinstance(given, Circuit):
        return given
    if isinstance(given, Path):
        return Circuit(given.read_text("utf-8"))
    if isinstance(given, str):
        if given.endswith((".qasm", ".inc")) and ";" not in given:
            raise ValueError(f'"{given}" is a path rather than a program; pass pathlib.Path("{given}")')
        return Circuit(given)
    library = _library_of(given)
    if library is None:
        raise _no_circuit(given)
    adapter = importlib.import_module(f"{__package__}.{_LIBRARIES[library]}")
    circuit: Circuit = adapter.to_circuit(given)
    return circuit


def body_of(
    circuits: Sequence[Circuit],
    *,
    qpu: str | Qpu | None = None,
    shots: int | None = None,
    parameter_values: ParameterValues | None = None,
    meas_level: MeasLevel = 2,
    meas_return: MeasReturn = "single",
    memory: bool = False,
    optimization_level: OptimizationLevel | None = None,
    dynamical_decoupling: Decoupling | None = None,
    scheduling: Scheduling | None = None,
    seed: int | None = None,
    allow_uncalibrated: bool = False,
    exact: bool = False,
    precision: Precision | None = None,
    max_seconds: float | None = None,
    require: Mapping[str, str] | None = None,
    give_up_after: str | None = None,
    name: str | None = None,
    tags: Sequence[str] = (),
) -> dict[str, Any]:
    """The body of ``POST /api/jobs``.

    Raises:
        TooLargeError: the server cannot take it.
    """
    if isinstance(tags, str):
        raise TypeError(f"tags is the text {tags!r}; pass a list such as [{tags!r}]")
    if parameter_values is not None:
        circuits = [
            each if each.parameter_values is not None else dataclasses.replace(each, parameter_values=parameter_values)
            for each in circuits
        ]
    sent = [_sent(each) for each in circuits]
    for at, each in enumerate(sent):
        _assert_finite(each.get("parameter_values"), f"circuits.{at}.parameter_values")
    executions = sum(_executions(each) for each in sent)
    if executions > MAX_EXECUTIONS:
        raise _too_large(
            f"The job has {executions} executions; at most {MAX_EXECUTIONS} are allowed: submit several jobs"
        )
    size = sum(len(each.text.encode()) for each in circuits)
    if size > _MAX_JOB:
        raise _too_large(f"The programs have {size} bytes together; at most {_MAX_JOB} are allowed")
    body: dict[str, Any] = {"circuits": sent}
    if qpu is not None:
        body["qpu_target"] = qpu.id if isinstance(qpu, Qpu) else qpu
    options = {
        "shots": shots,
        "optimization_level": optimization_level,
        "dynamical_decoupling": dynamical_decoupling,
        "scheduling": scheduling,
        "precision": precision,
        "max_seconds": max_seconds,
        "give_up_after": give_up_after,
        "seed": seed,
        "name": name,
    }
    for key, value in options.items():
        if value is not None:
            body[key] = value if isinstance(value, str) else _plain(value)
    if require is not None:
        body["require"] = dict(require)
    if meas_level != 2:
        body["meas_level"] = meas_level
    if meas_return != "single":
        body["meas_return"] = meas_return
    if allow_uncalibrated:
        body["allow_uncalibrated"] = True
    if exact:
        body["exact"] = True
    if tags:
        body["tags"] = list(tags)
    if memory:
        body["memory"] = True
        if meas_level == 2:
            body["memory_format"] = "packed"
    return body


def with_places(error: SvcError, circuits: Sequence[Circuit]) -> SvcError:
    """The error with the place of each syntax error: its line with a caret below."""
    if not isinstance(error, InvalidRequestError):
        return error
    places = []
    for path, found in error.fields.items():
        parts = path.split(".")
        is_program = len(parts) == 3 and parts[0] == "circuits" and parts[1].isdigit() and parts[2] == "circuit"
        at = int(parts[1]) if is_program else len(circuits)
        program = circuits[at].text if at < len(circuits) else ""
        places.append(f"\n{path}: {found['message']}{_caret(program, found.get('params') or {})}")
    error.message += "".join(places)
    error.args = (error.message,)
    return error


def _sent(circuit: Circuit) -> dict[str, Any]:
    sent: dict[str, Any] = {"circuit": circuit.text}
    if circuit.parameter_values is not None:
        sent["parameter_values"] = _plain(_ordered(circuit.text, circuit.parameter_values))
    if circuit.shots is not None:
        sent["shots"] = _plain(circuit.shots)
    if circuit.expectation_values is not None:
        sent["expectation_values"] = [
            {label: _plain(factor) for label, factor in each.items()} for each in circuit.expectation_values
        ]
    if circuit.name:
        sent["name"] = circuit.name
    if circuit.metadata:
        sent["metadata"] = dict(circuit.metadata)
    return sent


_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_INPUT = re.compile(r"(?:^|[;}])\s*input\s[^;]*?(\w+)\s*(?=;)")


def _ordered(program: str, values: Any) -> Any:
    """Values in the order of the inputs of a program, where they are given by their names.

    Raises:
        ValueError: an input has no value, or there is no such input.
    """
    if isinstance(values, Sequence) and not isinstance(values, str):
        return [_ordered(program, each) if isinstance(each, Mapping) else each for each in values]
    if not isinstance(values, Mapping):
        return values
    names = _INPUT.findall(_COMMENT.sub(" ", program))
    for name in values:
        if name not in names:
            near = difflib.get_close_matches(str(name), names, 1)
            meant = f"; did you mean {near[0]}?" if near else f"; its inputs are {', '.join(names) or 'none'}"
            raise ValueError(f"The program has no input {name}{meant}")
    missing = [name for name in names if name not in values]
    if missing:
        raise ValueError(f"parameter_values has no value for the input {missing[0]}")
    return [element for name in names for element in _elements(values[name])]


def _elements(value: Any) -> list[Any]:
    """The elements of an input array in the order of their indices, or the value of another input."""
    plain = _plain(value)
    return [element for each in plain for element in _elements(each)] if isinstance(plain, list) else [plain]


def _assert_finite(value: Any, path: str) -> None:
    """Raises ``ValueError`` that names the place of a number that JSON does not have."""
    if isinstance(value, list):
        for at, each in enumerate(value):
            _assert_finite(each, f"{path}.{at}")
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{path} is {value}; expected a finite number")


def _plain(value: Any) -> Any:
    """Numbers and lists as JSON has them, from those of Python or NumPy."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(each) for each in value]
    return value


def _executions(sent: Mapping[str, Any]) -> int:
    values = sent.get("parameter_values") or []
    return len(values) if values and isinstance(values[0], list) else 1


def _caret(program: str, params: Mapping[str, Any]) -> str:
    line, column = params.get("line"), params.get("column")
    lines = program.split("\n")
    if not isinstance(line, int) or not isinstance(column, int) or not 0 < line <= len(lines):
        return ""
    return f"\n  {lines[line - 1]}\n  {' ' * max(0, column - 1)}^"


def _too_large(message: str) -> TooLargeError:
    return TooLargeError(message, status=413, code="too_large")


def _is_one(given: object) -> bool:
    return isinstance(given, (str, Path, Circuit)) or _library_of(given) is not None


def _library_of(given: object) -> str | None:
    """The library that the type of a circuit, or one of its bases, comes from. Nothing is imported for that."""
    for base in type(given).__mro__:
        library = base.__module__.partition(".")[0]
        if library in _LIBRARIES:
            return library
    return None


def _no_circuit(given: object) -> TypeError:
    return TypeError(
        f"Expected OpenQASM text, a pathlib.Path, a Circuit, or a circuit of Qiskit, Cirq or PennyLane, "
        f"not {type(given).__name__}"
    )
