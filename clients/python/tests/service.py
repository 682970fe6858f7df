"""A server of the executable ``SVC_EXECUTABLE``, which ``npm run build`` makes, in a folder of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Any, Callable

from svc_client import Retries, SvcClient, SvcError

ADMIN = ("admin@example.org", "a long password")
USER = ("user@example.org", "another long password")
PORTS = 20
# Machines of tests may be slow and busy.
PATIENCE = 60.0


def until(what: str, holds: Callable[[], Any], timeout: float = PATIENCE) -> Any:
    """Waits until ``holds`` returns something true, and returns that."""
    end = time.monotonic() + timeout
    while True:
        found = holds()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"not within {timeout:.0f} s: {what}")
        time.sleep(0.05)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def free_ports(count: int) -> int:
    """The first of several successive free ports, below those that connections get."""
    for first in range(20_000 + os.getpid() % 400 * 20, 32_000, count):
        probes = [socket.socket() for _ in range(count)]
        try:
            for at, probe in enumerate(probes):
                probe.bind(("127.0.0.1", first + at))
            return first
        except OSError:
            continue
        finally:
            for probe in probes:
                probe.close()
    raise AssertionError("no free ports")


class Service:
    """A server with a superuser and a user, and drivers."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.https_port = free_port()
        first = free_ports(PORTS)
        self._flags = ["--server-port", str(self.port), "--https-port", str(self.https_port)]
        self._flags += ["--ip-addr", "127.0.0.1"]
        self._flags += ["--port-range-start", str(first), "--port-range-end", str(first + PORTS - 1)]
        # Tests call faster than people do.
        self._flags += ["--user-rate", "0", "--anonymous-rate", "0", "--submit-rate", "0"]
        self._server: subprocess.Popen[bytes] | None = None
        self._drivers: list[subprocess.Popen[bytes]] = []
        subprocess.run([self.executable, "superuser", "upsert", *ADMIN], cwd=folder, env=self._env(), check=True)
        self.start()
        self.root = self.client(self._login("_superusers", *ADMIN))
        self.user_id, self.token = self.create_user(*USER)

    @property
    def executable(self) -> str:
        return os.environ["SVC_EXECUTABLE"]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def https_url(self) -> str:
        return f"https://127.0.0.1:{self.https_port}"

    @property
    def root_ca(self) -> Path:
        """The root certificate that the server has made."""
        return self.folder / ".svc.ca.pem"

    def client(self, token: str | None = None, **options: Any) -> SvcClient:
        return SvcClient(self.url, token or self.token, **options)

    def create_user(self, email: str, password: str = USER[1]) -> tuple[str, str]:
        """A user with 10,000 s; returns its id and an API token."""
        made = {"email": email, "password": password, "passwordConfirm": password, "qpu_seconds": 10_000}
        id: str = self.root.collection("users").create(made)["id"]
        return id, self.client(self._login("users", email, password)).tokens.create("tests").token

    def start(self) -> None:
        """Starts the server and waits until it responds."""
        command = [self.executable, "serve", *self._flags]
        with (self.folder / "log").open("ab") as log:
            server = subprocess.Popen(command, cwd=self.folder, env=self._env(), stdout=log, stderr=log)
        self._server = server

        def is_healthy() -> bool:
            assert server.poll() is None, (self.folder / "log").read_text()
            try:
                SvcClient(self.url, "none", retries=Retries(tries=1)).availability()
            except SvcError:
                return False
            return True

        until("the server responds", is_healthy)

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        assert self._server is not None
        self._server.send_signal(how)
        self._server.wait()

    def create_qpu(self, name: str) -> dict[str, Any]:
        """Registers a QPU; returns what its driver needs."""
        return dict(self.root.admin.create_qpu(name, num_qubits=24))

    def start_driver(self, qpu: dict[str, Any], device: str, *options: str) -> None:
        """Starts a driver and waits until it is connected."""
        folder = self.folder / "drivers" / qpu["name"]
        folder.mkdir(parents=True, exist_ok=True)
        command = [self.executable, "driver", "start", "--operation", "process", "--device", device]
        command += ["--svc-addr", self.url, "--ca-fingerprint", qpu["ca_fingerprint"]]
        command += ["--ca-file", str(folder / "ca.pem"), "--data-dir", str(folder / "data")]
        # A job of a hundred circuits takes longer than usual where other programs run.
        for option in ["job_timeout=600", *options]:
            command += ["-o", option]
        env = {**self._env(), "SVC_ACCESS_TOKEN": qpu["access_token"]}
        log = (folder / "log").open("ab")
        self._drivers.append(subprocess.Popen(command, cwd=self.folder, env=env, stdout=log, stderr=log))
        until(f"{qpu['name']} is online", lambda: self.root.qpu(qpu["name"]).status == "online")

    def close(self) -> None:
        for process in [*self._drivers, self._server]:
            if process is not None and process.poll() is None:
                process.terminate()
        for process in [*self._drivers, self._server]:
            if process is not None:
                process.wait()

    def _login(self, collection: str, email: str, password: str) -> str:
        body = {"identity": email, "password": password}
        path = f"/api/collections/{collection}/auth-with-password"
        return str(self.client("none")._transport.request("POST", path, body=body)["token"])

    def _env(self) -> dict[str, str]:
        return {"PATH": os.environ["PATH"], "HOME": str(self.folder)}
