"""The published Python client against a running server, unmodified.

Reads one JSON object from standard input: `url`, `api_token` of a user with QPU time, `email` and `password` of
the same user, `superuser_token`, `qpu` (name of a QPU that runs circuits). Runs every scenario and writes one JSON
object with the result of each, or the error it ended with.
"""

import json
import sys
import traceback
from datetime import datetime, timedelta, timezone

import requests
from qiskit import QuantumCircuit
from qiskit.circuit import Parameter
from qpi_client import QPIClient

BELL = (
    'OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; bit[2] c;'
    " h q[0]; cx q[0], q[1]; c = measure q;"
)
ROTATION = (
    'OPENQASM 3.0; include "stdgates.inc"; input float theta; qubit[1] q; bit[1] c;'
    " rx(theta) q[0]; c = measure q;"
)
PI = 3.141592653589793
# The client polls every 5 s by default.
WAIT = {"timeout": 60, "wait": 0.05}
HELPERS = ("backend", "users_by_id")


def refusal(call):
    """Status and body of the error that a call raises."""
    try:
        response = call()
    except requests.HTTPError as error:
        return {"status": error.response.status_code, "body": error.response.json()}
    return {"status": 200, "body": response}


class Scenarios:
    def __init__(self, given):
        self.given = given
        self.client = QPIClient(given["url"], api_token=given["api_token"])
        self.admin = QPIClient(given["url"])
        # The client logs in users only, so the superuser's token is stored where the client stores such
        # tokens.
        self.admin._session.headers["Authorization"] = f"Bearer {given['superuser_token']}"

    def backend(self):
        return self.client.get_backend(self.given["qpu"])

    def submit_wait_result(self):
        job_id = self.client.submit_job([{"circuit": BELL}], shots=500)
        # `client.job(id).result()` cannot work with Qiskit 2: a job without backend raises when it is
        # requested.
        job = self.backend().job(job_id)
        result = job.result(**WAIT)
        data = self.client.get_job(job_id)
        return {
            "id": job_id,
            "status": job.status().name,
            "counts": result.get_counts(),
            "success": result.success,
            "shots": result.results[0].shots,
            "record": sorted(data),
        }

    def two_circuits(self):
        flip = 'OPENQASM 2.0; include "qelib1.inc"; qreg q[1]; creg c[1]; x q[0]; measure q[0] -> c[0];'
        job_id = self.client.submit_job([{"circuit": BELL, "shots": 100}, {"circuit": flip}], shots=50)
        result = self.backend().job(job_id).result(**WAIT)
        return [result.get_counts(0), result.get_counts(1)]

    def backend_run(self):
        backend = self.backend()
        circuit = QuantumCircuit(3, 3)
        circuit.x(0)
        circuit.measure([0, 1, 2], [0, 1, 2])
        result = backend.run(circuit, shots=100).result(**WAIT)
        return {"num_qubits": backend.num_qubits, "counts": result.get_counts()}

    def backend_two_registers(self):
        circuit = QuantumCircuit.from_qasm_str(
            'OPENQASM 2.0; include "qelib1.inc"; qreg q[3]; creg a[1]; creg b[2];'
            " x q[0]; measure q[0] -> a[0]; measure q[1] -> b[0]; measure q[2] -> b[1];"
        )
        return self.backend().run(circuit, shots=10).result(**WAIT).get_counts()

    def backend_measure_all(self):
        circuit = QuantumCircuit(2)
        circuit.h(0)
        circuit.cx(0, 1)
        circuit.measure_all()
        return self.backend().run(circuit, shots=64).result(**WAIT).get_counts()

    def backend_parameters(self):
        theta = Parameter("theta")
        circuit = QuantumCircuit(1, 1)
        circuit.rx(theta, 0)
        circuit.measure(0, 0)
        # The client binds the values into the program and also sends them separately.
        job = self.backend().run(circuit, shots=20, parameter_values=[{theta: PI}])
        return job.result(**WAIT).get_counts()

    def backend_parameter_sets(self):
        result = self.backend().run(qasm=ROTATION, parameter_values=[[0.0], [PI]], shots=20).result(**WAIT)
        return [result.get_counts(0), result.get_counts(1)]

    def past_job(self):
        job_id = self.client.submit_job([{"circuit": BELL}], qpu_target=self.given["qpu"])
        return sum(self.backend().job(job_id).result(**WAIT).get_counts().values())

    def refused_program(self):
        return refusal(lambda: self.client.submit_job([{"circuit": "OPENQASM 3.0; qubit q; hh q;"}]))

    def no_circuits(self):
        return refusal(lambda: self.client.submit_job([]))

    def list_jobs(self):
        jobs = self.client.list_jobs()
        return {"type": type(jobs).__name__, "ids": len({job["id"] for job in jobs}), "first": sorted(jobs[0])}

    def unknown_job(self):
        return refusal(lambda: self.client.get_job("nosuchjob000000"))

    def bad_token(self):
        return refusal(QPIClient(self.given["url"], api_token="svc_wrong").list_jobs)

    def cancel(self):
        waiting = self.admin.create_qpu("waiting-room", executor_type="mock", num_qubits=2)
        job_id = self.client.submit_job([{"circuit": BELL}], qpu_target=waiting["id"])
        job = self.client.job(job_id)
        before = job.status().name
        job.cancel()
        again = refusal(lambda: self.client.cancel_job(job_id))
        try:
            job.result(**WAIT)
            message = ""
        except RuntimeError as error:
            message = str(error)
        return {"before": before, "after": job.status().name, "message": message, "again": again["status"]}

    def qpus(self):
        created = self.admin.create_qpu("paper-qpu", executor_type="mock", num_qubits=7, enabled=False)
        listed = self.client.list_qpus()
        toggled = self.admin.toggle_qpu(created["id"], True)
        refused = refusal(lambda: self.client.toggle_qpu(created["id"], False))
        return {
            "created": created,
            "names": [qpu["name"] for qpu in listed],
            "one": self.client.get_qpu(created["name"]),
            "toggled": toggled,
            "refused": refused["status"],
            "unknown": refusal(lambda: self.client.get_qpu("nowhere"))["status"],
        }

    def connect_qpu(self):
        created = self.admin.create_qpu("old-driver", num_qubits=2)
        connected = self.admin.connect_qpu("old-driver", created["access_token"], "mock", {"qubits": 2})
        refused = refusal(lambda: self.admin.connect_qpu("old-driver", "wrong"))
        return {"connected": connected, "refused": refused["status"]}

    def login(self):
        client = QPIClient(self.given["url"])
        response = client.auth_with_password(self.given["email"], self.given["password"])
        return {
            "record": response["record"]["email"],
            "jobs": len(client.list_jobs()) > 0,
            "wrong": refusal(lambda: QPIClient(self.given["url"]).auth_with_password("a@b.example", "wrong one")),
        }

    def time_slots(self):
        day = datetime.now(timezone.utc) + timedelta(days=1)
        text = lambda hours: (day + timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%SZ")
        slot = self.client.create_time_slot(text(0), text(1))
        listed = self.client.list_time_slots()
        moved = self.client.update_time_slot(slot["id"], end_time=text(2))
        overlap = refusal(lambda: self.client.create_time_slot(text(1), text(3)))
        self.client.delete_time_slot(slot["id"])
        return {
            "slot": slot,
            "listed": [each["id"] for each in listed],
            "moved": moved,
            "overlap": overlap,
            "left": len(self.client.list_time_slots()),
        }

    def time_requests(self):
        request = self.client.create_time_request(25, "a longer run")
        listed = self.client.list_time_requests()
        before = self.users_by_id()[request["user"]]["qpu_seconds"]
        approved = self.admin.update_time_request(request["id"], "approved")
        after = self.users_by_id()[request["user"]]["qpu_seconds"]
        other = self.client.create_time_request(5)
        rejected = self.admin.update_time_request(other["id"], "rejected", "no more this week")
        own = self.client.create_time_request(5)
        return {
            "request": request,
            "listed": [each["id"] for each in listed],
            "approved": approved,
            "granted": after - before,
            "rejected": rejected,
            "refused": refusal(lambda: self.client.update_time_request(own["id"], "approved"))["status"],
        }

    def users_by_id(self):
        return {user["id"]: user for user in self.admin.list_users()}

    def users(self):
        ours = self.client.list_users()
        user_id = ours[0]["id"]
        updated = self.admin.allocate_qpu_time(user_id, 500)
        return {
            "own": [user["email"] for user in ours],
            "all": len(self.admin.list_users()),
            "allocated": updated["qpu_seconds"],
            "whole": isinstance(updated["qpu_seconds"], int),
            "refused": refusal(lambda: self.client.allocate_qpu_time(user_id, 10**6))["status"],
        }

    def notifications(self):
        notice = self.admin._session.post(
            f"{self.given['url']}/api/collections/notifications/records",
            json={"title": "Maintenance on Monday", "description": "From 9 to 11"},
        )
        notice.raise_for_status()
        notice_id = notice.json()["id"]
        before = [each["id"] for each in self.client.list_notifications()]
        response = self.client.dismiss_notification(notice_id)
        after = [each["id"] for each in self.client.list_notifications()]
        return {"seen": notice_id in before, "response": response, "gone": notice_id not in after}


def main():
    scenarios = Scenarios(json.load(sys.stdin))
    seen = {}
    for name, scenario in vars(Scenarios).items():
        if name.startswith("__") or name in HELPERS:
            continue
        try:
            seen[name] = {"result": scenario(scenarios)}
        except Exception as error:
            body = error.response.text if isinstance(error, requests.HTTPError) else ""
            seen[name] = {"error": f"{traceback.format_exc(limit=-2)}{body}"}
    json.dump(seen, sys.stdout)


main()
