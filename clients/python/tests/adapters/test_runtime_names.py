"""The published names of qiskit-ibm-runtime, read from its package without importing it (``SVC_IBM_RUNTIME``)."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import pytest
from runtime_names import ABSENT, CLASSES, RENAMED
from svc_client.qiskit.options import ALIASES, UNSUPPORTED, EstimatorOptions, SamplerOptions

PACKAGE = os.environ.get("SVC_IBM_RUNTIME")
pytestmark = pytest.mark.skipif(PACKAGE is None, reason="SVC_IBM_RUNTIME does not name its package")


def class_of(file: str, name: str) -> ast.ClassDef:
    tree = ast.parse((Path(PACKAGE or "") / file).read_text("utf-8"))
    return next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)


def public(file: str, name: str) -> list[str]:
    """The public methods and properties of a class, and of its bases in the same file or that of sessions."""
    node = class_of(file, name)
    own = [each.name for each in node.body if isinstance(each, ast.FunctionDef) and not each.name.startswith("_")]
    inherited = public("session.py", "Session") if name == "Batch" else []
    return sorted({*own, *inherited})


def options(file: str, name: str) -> list[str]:
    """The fields of a class of options; those of groups by their path, such as ``execution.meas_type``."""
    groups = {
        "DynamicalDecouplingOptions": "dynamical_decoupling_options.py",
        "SamplerExecutionOptionsV2": "sampler_execution_options.py",
        "ExecutionOptionsV2": "execution_options.py",
        "EnvironmentOptions": "environment_options.py",
        "SimulatorOptions": "simulator_options.py",
        "OptionsV2": "options.py",
    }
    found = []
    node = class_of(f"options/{file}", name)
    for base in node.bases:
        if isinstance(base, ast.Name) and base.id in groups:
            found += options(groups[base.id], base.id)
    for field in node.body:
        if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name) or field.target.id == "_VERSION":
            continue
        group = next((each for each in groups if each in ast.unparse(field.annotation)), None)
        inner = options(groups[group], group) if group else []
        found += [f"{field.target.id}.{each}" for each in inner] or [field.target.id]
    return found


def offers(ours: type, name: str) -> bool:
    """Whether a class has a name of its own; properties of ``BackendV2`` that it leaves out raise NotImplementedError."""
    return any(name in vars(each) for each in ours.__mro__ if not each.__module__.startswith("qiskit.providers"))


def test_every_public_name_is_offered_or_has_a_reason() -> None:
    missing, known = [], set()
    for (file, name), ours in CLASSES.items():
        for each in public(file, name):
            full = f"{name}.{each}"
            known.add(full)
            if offers(ours, RENAMED.get(full, each)) == (full in ABSENT):
                missing.append(full)
    assert missing == []
    assert sorted({*ABSENT, *RENAMED} - known) == []
    assert len(known) > 60


@pytest.mark.parametrize(
    ("file", "name", "ours"),
    [("sampler_options.py", "SamplerOptions", SamplerOptions), ("estimator_options.py", "EstimatorOptions", EstimatorOptions)],
)
def test_every_option_is_supported_or_has_a_reason(file: str, name: str, ours: type) -> None:
    published = options(file, name)
    assert len(published) > 10
    own = ours()
    unknown = []
    for path in published:
        reason = UNSUPPORTED.get(path) or UNSUPPORTED.get(path.split(".")[0])
        has = path == "default_shots" or hasattr(own, ALIASES.get(path, path).split(".")[0])
        if not reason and not (has and (path in ALIASES or "." not in path)):
            unknown.append(path)
    assert unknown == []
