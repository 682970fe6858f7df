"""The public names of qiskit-ibm-runtime that svc_client has under another name, or not at all, with the reasons."""

from __future__ import annotations

from svc_client import SvcClient
from svc_client.qiskit import Batch, Session, SvcBackend, SvcEstimator, SvcPrimitiveJob, SvcSampler

# Files and classes of qiskit-ibm-runtime, and ours.
CLASSES: dict[tuple[str, str], type] = {
    ("runtime_job_v2.py", "RuntimeJobV2"): SvcPrimitiveJob,
    ("ibm_backend.py", "IBMBackend"): SvcBackend,
    ("session.py", "Session"): Session,
    ("batch.py", "Batch"): Batch,
    ("qiskit_runtime_service.py", "QiskitRuntimeService"): SvcClient,
    ("sampler.py", "SamplerV2"): SvcSampler,
    ("estimator.py", "EstimatorV2"): SvcEstimator,
    ("base_primitive.py", "BasePrimitiveV2"): SvcSampler,
}

RENAMED: dict[str, str] = {
    "QiskitRuntimeService.backend": "get_backend",
    "QiskitRuntimeService.usage": "me",
}

ABSENT: dict[str, str] = {
    "RuntimeJobV2.private": "only the owner and superusers read a job",
    "RuntimeJobV2.image": "the operator chooses the device",
    "RuntimeJobV2.instance": "a client has one server and one account",
    "RuntimeJobV2.session_id": "a session is named for the submission; its job may run after it",
    "RuntimeJobV2.usage_estimation": "the server estimates when a job starts (svc[0].estimated_start), not what it uses",
    "RuntimeJobV2.logs": "the log of a device is for its operator; error_message has why a job failed",
    "IBMBackend.calibration_id": "a QPU has one device file at a time; description['device_config'] identifies it",
    "IBMBackend.is_mock": "simulator says whether results are computed",
    "IBMBackend.dtm": "measurements have no resolution of their own",
    "IBMBackend.meas_map": "any qubits can be measured together",
    "IBMBackend.physical_qubits": "num_qubits and target have the qubits",
    "IBMBackend.configuration": "target has gates, couplings and times; qpu.description has all that is described",
    "IBMBackend.get_translation_stage_plugin": "the passes of Qiskit translate to target without a plugin",
    "Batch.from_id": "Batch(backend) joins the open one in every process; client.primitive_job finds its jobs",
    "Session.from_id": "Session(backend) joins the open one, or the current booking, in every process",
    "QiskitRuntimeService.active_account": "me() has the account, and svc login saves it",
    "QiskitRuntimeService.saved_accounts": "the file of accounts has them",
    "QiskitRuntimeService.delete_account": "python -m svc_client logout deletes it, on the server too",
    "QiskitRuntimeService.active_instance": "a client has one server and one account",
    "QiskitRuntimeService.instances": "a client has one server and one account",
    "QiskitRuntimeService.channel": "a client has one server and one account",
    "QiskitRuntimeService.delete_job": "the dashboard deletes jobs",
}
