"""QPUs as backends of Qiskit, with primitives. Needs the extra ``qiskit``.

from svc_client import SvcClient
from svc_client.qiskit import SvcSampler

backend = SvcClient().get_backend("kelvin")
isa = generate_preset_pass_manager(optimization_level=3, backend=backend).run(circuit)
print(SvcSampler(backend).run([isa]).result()[0].data.meas.get_counts())
"""

from .._submission import require

require("qiskit")

from .backend import BackendStatus, SvcBackend  # noqa: E402
from .estimator import SvcEstimator  # noqa: E402
from .export import to_circuit, to_openqasm  # noqa: E402
from .job import SvcJob  # noqa: E402
from .modes import Batch, Session  # noqa: E402
from .options import EstimatorOptions, OptionError, SamplerOptions  # noqa: E402
from .primitive_job import SvcPrimitiveJob  # noqa: E402
from .properties import Properties  # noqa: E402
from .sampler import SvcSampler  # noqa: E402

__all__ = [
    "BackendStatus",
    "Batch",
    "EstimatorOptions",
    "OptionError",
    "Properties",
    "SamplerOptions",
    "Session",
    "SvcBackend",
    "SvcEstimator",
    "SvcJob",
    "SvcPrimitiveJob",
    "SvcSampler",
    "to_circuit",
    "to_openqasm",
]
