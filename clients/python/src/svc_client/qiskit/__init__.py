"""QPUs as backends of Qiskit, with primitives. Needs the extra ``qiskit``.

from svc_client import SvcClient
from svc_client.qiskit import SvcSampler

backend = SvcClient().get_backend("kelvin")
isa = generate_preset_pass_manager(optimization_level=3, backend=backend).run(circuit)
print(SvcSampler(backend).run([isa]).result()[0].data.meas.get_counts())
"""

from .backend import SvcBackend
from .estimator import EstimatorOptions, SvcEstimator
from .export import to_circuit, to_openqasm
from .job import SvcJob
from .primitive_job import SvcPrimitiveJob
from .sampler import SamplerOptions, SvcSampler

__all__ = [
    "EstimatorOptions",
    "SamplerOptions",
    "SvcBackend",
    "SvcEstimator",
    "SvcJob",
    "SvcPrimitiveJob",
    "SvcSampler",
    "to_circuit",
    "to_openqasm",
]
