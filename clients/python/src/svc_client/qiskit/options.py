"""Options of the primitives, by their own names and by those of qiskit-ibm-runtime."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeVar

from .._submission import Decoupling, OptimizationLevel, Scheduling

MeasType = Literal["classified", "kerneled", "avg_kerneled"]
PAGE = "docs/how-to/from-qiskit-ibm-runtime.md"

# Names of Qiskit and qiskit-ibm-runtime for options of this package.
ALIASES = {
    "dynamical_decoupling.enable": "decoupling",
    "dynamical_decoupling.sequence_type": "decoupling_sequence",
    "execution.meas_type": "meas_type",
    "environment.job_tags": "tags",
    "simulator.seed_simulator": "seed",
    "seed_estimator": "seed",
    "seed_simulator": "seed",
}
# Options of qiskit-ibm-runtime that have no effect here, each with what to do.
UNSUPPORTED = {
    "dynamical_decoupling": "the QPU places the sequences itself; use PadDynamicalDecoupling of Qiskit with backend.target",
    "twirling": "the server does not twirl; submit twirled circuits",
    "resilience": "only the readout is mitigated, by the option mitigation of the sampler",
    "resilience_level": "only the readout is mitigated, by the option mitigation of the sampler",
    "max_execution_time": "job_timeout of the driver limits how long a job runs",
    "execution.init_qubits": "each shot begins with a reset, whose duration the device file has",
    "execution.rep_delay": "each shot begins with a reset, whose duration the device file has",
    "simulator.noise_model": "the operator of the simulator chooses its noise",
    "simulator.coupling_map": "transpile for backend.target",
    "simulator.basis_gates": "transpile for backend.target",
    "environment.log_level": "only the operator reads the log of the server",
    "environment.private": "only the owner and superusers read a job",
    "environment.image": "the operator chooses the device",
    "environment.callback": "job.svc[0].watch() yields each change of a job",
    "experimental": "there are no experimental options",
}
OptionsT = TypeVar("OptionsT", bound="Options")
_GROUPS = ("execution", "environment", "simulator", "dynamical_decoupling", "twirling", "resilience", "experimental")


class OptionError(ValueError, AttributeError):
    """An option that does not exist or is not supported, or a value that it cannot have."""


def unknown_option(name: str, known: Collection[str]) -> OptionError:
    """The error of an option that does not exist, with the name that was probably meant."""
    near = difflib.get_close_matches(name, list(known), 1)
    meant = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(sorted(known))}"
    return OptionError(f"There is no option {name}{meant}")


class _Group:
    """Options that qiskit-ibm-runtime keeps together, such as ``options.environment.job_tags``."""

    def __init__(self, options: Options, name: str) -> None:
        object.__setattr__(self, "_place", (options, name))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        options, group = self._place
        return getattr(options, options._own_name(f"{group}.{name}"))

    def __setattr__(self, name: str, value: Any) -> None:
        options, group = self._place
        options._set(f"{group}.{name}", value)


@dataclass
class Options:
    """Options of both primitives.

    They are given as keywords or as a mapping, also by the names of qiskit-ibm-runtime, and can be changed later:
    ``sampler.options.seed = 1``, ``sampler.options.environment.job_tags = ["x"]``, ``sampler.options.update(seed=1)``.

    Attributes:
        seed: makes the results of a simulator repeatable.
        optimization_level: how much the QPU changes the circuits: 0 (gates as written), 1 or 2; it decides if None.
        allow_uncalibrated: also use parts of the chip that are not calibrated.
        tags: of the jobs.
        decoupling: pulses in the waits of qubits against slow noise; ``dynamical_decoupling.enable``.
        decoupling_sequence: ``XX`` or ``XY4``; ``dynamical_decoupling.sequence_type``.
        scheduling: ``alap``, as late as possible, or ``asap``; as late as possible if None.
    """

    seed: int | None = None
    optimization_level: OptimizationLevel | None = None
    allow_uncalibrated: bool = False
    tags: Sequence[str] = ()
    decoupling: bool = False
    decoupling_sequence: Literal["XX", "XY4"] = "XX"
    scheduling: Scheduling | None = None

    @classmethod
    def of(cls: type[OptionsT], given: OptionsT | Mapping[str, Any] | None) -> OptionsT:
        """Options of this class, or of a mapping.

        Raises:
            OptionError: an option does not exist, is not supported, or has a wrong value.
        """
        if isinstance(given, cls):
            return given
        if isinstance(given, Options):
            raise OptionError(f"The options are {type(given).__name__}; expected {cls.__name__} or a mapping")
        options = cls()
        options.update(**(given or {}))
        return options

    def update(self, **values: Any) -> None:
        """Changes options. Raises OptionError as ``of``."""
        for name, value in values.items():
            self._set(name, value)

    def _set(self, path: str, value: Any) -> None:
        names = [each.name for each in fields(self)]
        if path in names or ALIASES.get(path) in names:
            name = ALIASES.get(path, path)
            value = () if name == "tags" and value is None else value
            problem = self._problem(name, value)
            if problem:
                raise OptionError(f"The option {path} is {value!r}; expected {problem}")
            object.__setattr__(self, name, value)
        elif path in _GROUPS and isinstance(value, Mapping):
            is_on = value.get("enable", True)
            for key, each in value.items():
                # A group that is off may have anything of which there is no option here.
                if is_on or f"{path}.{key}" in ALIASES:
                    self._set(f"{path}.{key}", each)
        elif not self._is_unused(path, value):
            raise self._refusal(path)

    def _is_unused(self, path: str, value: Any) -> bool:
        """Whether an option that has no effect here is given the value with which it has none anywhere."""
        return self._reason(path) is not None and (not value or (path == "execution.init_qubits" and value is True))

    def _own_name(self, path: str) -> str:
        name = ALIASES.get(path, path)
        if name not in [each.name for each in fields(self)]:
            raise self._refusal(path)
        return name

    def _reason(self, path: str) -> str | None:
        return UNSUPPORTED.get(path) or UNSUPPORTED.get(path.split(".")[0])

    def _refusal(self, path: str) -> OptionError:
        reason = self._reason(path)
        if reason is not None:
            return OptionError(f"The option {path} is not supported: {reason}; see {PAGE}")
        names = [each.name for each in fields(self)]
        return unknown_option(path, [*names, *(alias for alias, name in ALIASES.items() if name in names)])

    def _problem(self, name: str, value: Any) -> str:
        """What a value of an option would have to be; empty if it is."""
        is_integer = isinstance(value, int) and not isinstance(value, bool)
        if name == "seed" and not (value is None or (is_integer and value >= 0)):
            return "an integer of at least 0, or None"
        if name == "optimization_level" and not (value is None or (is_integer and value in (0, 1, 2))):
            return "0, 1, 2 or None"
        if name in ("allow_uncalibrated", "decoupling") and not isinstance(value, bool):
            return "True or False"
        if name == "decoupling_sequence" and value not in ("XX", "XY4"):
            return "XX or XY4"
        if name == "scheduling" and value not in (None, "alap", "asap"):
            return "alap, asap or None"
        if name == "tags" and not _are_texts(value):
            return "a list of texts"
        return ""

    def __setattr__(self, name: str, value: Any) -> None:
        self._set(name, value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in _GROUPS:
            return _Group(self, name)
        return getattr(self, self._own_name(name))

    def _submitted(self) -> dict[str, Any]:
        """What of them goes with each job."""
        sequence: Decoupling | None = self.decoupling_sequence if self.decoupling else None
        return {
            "dynamical_decoupling": sequence,
            "scheduling": self.scheduling,
            "seed": self.seed,
            "optimization_level": self.optimization_level,
            "allow_uncalibrated": self.allow_uncalibrated,
            "tags": list(self.tags or ()),
        }


@dataclass
class SamplerOptions(Options):
    """Options of ``SvcSampler``.

    Attributes:
        default_shots: of pubs that do not state their own.
        meas_type: bits; or complex points of each shot, or their mean.
        mitigation: ``readout`` adds to the metadata of each pub the shares of its outcomes without the errors of
            readout; counts stay as they were read.
    """

    default_shots: int = 1024
    meas_type: MeasType = "classified"
    mitigation: Literal["none", "readout"] = "none"

    def _problem(self, name: str, value: Any) -> str:
        if name == "default_shots" and not (isinstance(value, int) and not isinstance(value, bool) and value >= 1):
            return "an integer of at least 1"
        if name == "meas_type" and value not in ("classified", "kerneled", "avg_kerneled"):
            return "classified, kerneled or avg_kerneled"
        if name == "mitigation" and value not in ("none", "readout"):
            return "none or readout"
        return super()._problem(name, value)

    def _submitted(self) -> dict[str, Any]:
        if self.mitigation != "none" and self.meas_type != "classified":
            raise OptionError(f"The option mitigation takes bits: meas_type is {self.meas_type!r}; expected classified")
        return super()._submitted()


@dataclass
class EstimatorOptions(Options):
    """Options of ``SvcEstimator``; ``default_shots`` of qiskit-ibm-runtime sets the precision 1/√shots.

    Attributes:
        default_precision: of pubs that do not state their own.
    """

    default_precision: float = 0.015625

    def _set(self, path: str, value: Any) -> None:
        if path == "default_shots" and value is not None:
            if not (isinstance(value, int) and value >= 1):
                raise OptionError(f"The option default_shots is {value!r}; expected an integer of at least 1")
            path, value = "default_precision", value**-0.5
        super()._set(path, value)

    def _problem(self, name: str, value: Any) -> str:
        if name == "default_precision" and not (isinstance(value, (int, float)) and value > 0):
            return "a positive number"
        return super()._problem(name, value)


def _are_texts(value: Any) -> bool:
    return isinstance(value, (list, tuple, set)) and all(isinstance(each, str) for each in value)
