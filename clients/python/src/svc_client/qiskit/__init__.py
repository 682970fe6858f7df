"""QPUs as backends of Qiskit, with primitives. Needs the extra ``qiskit``.

from svc_client import SvcClient
from svc_client.qiskit import SvcSampler

backend = SvcClient().get_backend("kelvin")
isa = generate_preset_pass_manager(optimization_level=3, backend=backend).run(circuit)
print(SvcSampler(backend).run([isa]).result()[0].data.meas.get_counts())
"""

from .._submission import require

require("qiskit")

from .backend import SvcBackend  # noqa: E402
from .estimator import EstimatorOptions, SvcEstimator  # noqa: E402
from .export import to_circuit, to_openqasm  # noqa: E402
from .job import SvcJob  # noqa: E402
from .primitive_job import SvcPrimitiveJob  # noqa: E402
from .sampler import SamplerOptions, SvcSampler  # noqa: E402

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
