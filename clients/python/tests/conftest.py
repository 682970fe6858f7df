"""Fixtures. ``SVC_EXECUTABLE`` names the executable of svc, ``SVC_CONTRACT_CASES`` the contract cases."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Iterator

import pytest
from service import Service
from svc_client import SvcClient

VARIABLES = ["SVC_ADDR", "SVC_API_TOKEN", "SVC_SESSION", "SVC_QPU", "SVC_PROFILE", "SVC_CLIENT_CONFIG", "SVC_PROGRESS"]


@pytest.fixture(autouse=True)
def no_account(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Nothing of the account of whoever runs the tests has an effect; returns an unused file of accounts."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    path = tmp_path / "svc" / "client.json"
    monkeypatch.setenv("SVC_CLIENT_CONFIG", str(path))
    return path


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A server with the simulator ``kelvin`` and the QPU ``silent``, which has no driver."""
    service = Service(tmp_path_factory.mktemp("service"))
    try:
        service.start_driver(service.create_qpu("kelvin"), "aer_sim")
        yield service
    finally:
        service.close()


@pytest.fixture(scope="module")
def silent(service: Service) -> dict[str, Any]:
    return service.create_qpu("silent")


@pytest.fixture
def svc(service: Service) -> Iterator[SvcClient]:
    with service.client() as client:
        yield client


class CountingClient(SvcClient):
    """A client that knows how many jobs it has submitted."""

    submitted = 0

    def submit_job(self, *args: Any, **options: Any) -> Any:
        self.submitted += 1
        return super().submit_job(*args, **options)


@pytest.fixture
def client(service: Service) -> CountingClient:
    return CountingClient(service.url, service.token)
