"""Errors and everything besides jobs, against a server."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import pickle
import ssl
import subprocess
import sys
import threading
import uuid
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from programs import BELL
from service import PATIENCE, USER, Service, free_port, until
from svc_client import (
    AuthenticationError,
    Circuit,
    ConflictError,
    ConnectionLostError,
    IdempotencyConflictError,
    InvalidRequestError,
    NotFoundError,
    QpuUnavailableError,
    Retries,
    SvcAsyncClient,
    SvcClient,
    TooLargeError,
    save_account,
)
from svc_client import __main__ as commands


def test_a_syntax_error_shows_its_line_with_a_caret(svc: SvcClient) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        svc.submit_job(["OPENQASM 3.0;\nqubit q;\nh q", BELL])
    assert "\ncircuits.0.circuit: " in str(caught.value)
    assert str(caught.value).endswith("\n  h q\n     ^")
    check = svc.check_job([BELL, "h q"])
    assert not check.accepted
    assert [(each.path, each.line) for each in check.problems] == [("circuits.1.circuit", 1)]


def test_each_error_has_the_class_of_its_code(service: Service, svc: SvcClient) -> None:
    with pytest.raises(AuthenticationError, match="The API token is not valid"):
        service.client("wrong").me()
    with pytest.raises(NotFoundError):
        svc.job("aaaaaaaaaaaaaaa")
    key = str(uuid.uuid4())
    first = svc.submit_job(BELL, shots=5, qpu="kelvin", idempotency_key=key)
    assert svc.submit_job(BELL, shots=5, qpu="kelvin", idempotency_key=key).id == first.id
    with pytest.raises(IdempotencyConflictError):
        svc.submit_job(BELL, shots=6, qpu="kelvin", idempotency_key=key)
    first.wait()
    with pytest.raises(ConflictError):
        svc.cancel_job(first)
    with pytest.raises(TooLargeError, match="The job has 301 executions; at most 300 are allowed"):
        svc.submit_job([BELL] * 301)
    with pytest.raises(TooLargeError, match="at most 10485760 are allowed"):
        svc.submit_job(BELL + " " * 10 * 1024 * 1024)
    with pytest.raises(ValueError, match="circuits.0.parameter_values.0 is nan"):
        svc.submit_job(Circuit(BELL, parameter_values=[float("nan")]))
    off = service.root.admin.create_qpu("off")
    service.root.admin.toggle_qpu(off["id"], False)
    with pytest.raises(QpuUnavailableError, match="disabled") as caught:
        svc.submit_job(BELL, qpu="off")
    assert caught.value.reason == str(caught.value)


def test_errors_cross_processes() -> None:
    error = InvalidRequestError("no", status=400, code="invalid", request_id="r")
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), copy.status, copy.code) == (InvalidRequestError, "no", 400, "invalid")


def test_the_next_address_is_used_when_one_does_not_respond(service: Service) -> None:
    dead = f"http://127.0.0.1:{free_port()}"
    with SvcClient(f"{dead}, {service.url}/", service.token) as both:
        assert both.me().email == USER[0]
        # It stays with the one that responds.
        assert repr(both) == f"<SvcClient {service.url}>"
    with SvcClient([dead], service.token, retries=Retries(tries=2)) as none, pytest.raises(ConnectionLostError) as lost:
        none.me()
    assert not lost.value.maybe_done
    assert isinstance(lost.value, ConnectionError) and dead in str(lost.value)


def test_a_server_with_its_own_ca_is_trusted_by_fingerprint_or_file(service: Service) -> None:
    pin = hashlib.sha256(ssl.PEM_cert_to_DER_cert(service.root_ca.read_text())).hexdigest()
    written = ":".join(pin[at : at + 2].upper() for at in range(0, 64, 2))
    for options in ({"ca_fingerprint": pin}, {"ca_fingerprint": written}, {"ca_file": str(service.root_ca)}):
        with SvcClient(service.https_url, service.token, **options) as svc:  # type: ignore[arg-type]
            jobs = [svc.submit_job(BELL, shots=5, qpu="kelvin") for _ in range(4)]
            assert [job.status for job in svc.wait(jobs, timeout=PATIENCE)] == ["completed"] * 4

    async def use() -> str:
        async with SvcAsyncClient(service.https_url, service.token, ca_fingerprint=pin) as svc:
            return (await svc.me()).email

    assert asyncio.run(use()) == USER[0]
    until("the threads of streams end", lambda: threading.active_count() == 1)


def test_another_certificate_is_refused(service: Service) -> None:
    # At once, however often requests are repeated.
    for call in (SvcClient.me, lambda svc: svc.submit_job(BELL), lambda svc: svc.wait(["aaaaaaaaaaaaaaa"])):
        with SvcClient(service.https_url, "token") as svc, pytest.raises(ConnectionLostError, match="verify") as caught:
            call(svc)
        assert caught.value.is_definite
    with SvcClient(service.https_url, "token", ca_fingerprint="00" * 32) as svc:
        with pytest.raises(ValueError, match="has a root CA with fingerprint [0-9a-f]{64}, but .*; no token was sent"):
            svc.me()
    with SvcClient(service.https_url, "token", ca_fingerprint="abc") as svc:
        with pytest.raises(ValueError, match='"abc" is not a SHA-256 fingerprint'):
            svc.me()


def test_qpus_account_schedule_slots_and_tokens(service: Service, svc: SvcClient) -> None:
    assert "kelvin" in [qpu.name for qpu in svc.qpus()]
    description = svc.qpu("kelvin").description
    assert description is not None and description["num_qubits"] > 1
    idle = service.create_qpu("idle")
    assert idle["id"] in [each.id for each in svc.availability()]
    start = datetime.now(timezone.utc) + timedelta(days=1)
    slot = svc.book("kelvin", start, start + timedelta(hours=1))
    assert slot.start == start.replace(microsecond=start.microsecond // 1000 * 1000)
    assert [busy.kind for busy in svc.schedule(start, start + timedelta(hours=2))] == ["slot"]
    assert slot.id in [each.id for each in svc.slots()]
    # Times without zone are local.
    local = (start + timedelta(days=1)).astimezone().replace(tzinfo=None)
    assert svc.book(svc.qpu("kelvin"), local, local + timedelta(hours=1)).start > slot.start
    me = svc.me()
    assert (me.email, me.role, me.id) == (USER[0], "user", service.user_id)
    assert me.qpu_seconds is not None and me.qpu_seconds > 0
    request = svc.request_time(30, "a longer sweep")
    assert (request.seconds, request.status, request.reason) == (30, "pending", "a longer sweep")
    token = svc.tokens.create("notebook", datetime.now(timezone.utc) + timedelta(days=1), scope="read")
    assert token.token.startswith("svc_") and token.token not in repr(token) and token.token not in repr(svc)
    assert svc.tokens.update(token.id, name="desk").name == "desk"
    assert "desk" in [each.name for each in svc.tokens.list()]
    svc.tokens.delete(token.id)
    assert "desk" not in [each.name for each in svc.tokens.list()]


def test_notifications_are_read(service: Service, svc: SvcClient) -> None:
    now = datetime.now(timezone.utc)
    times = {"start_time": now.isoformat(), "end_time": (now + timedelta(hours=1)).isoformat()}
    service.root.collection("notifications").create({"title": "Warm-up", "description": "at noon", **times})
    assert [(each.title, each.description) for each in svc.notifications()] == [("Warm-up", "at noon")]


def test_records_are_listed_and_their_changes_streamed(service: Service, svc: SvcClient) -> None:
    jobs = svc.collection("quantum_jobs")
    svc.run(BELL, shots=5, qpu="kelvin", name="listed")
    page = jobs.list(filter='name = "listed"', fields="id,name", per_page=1)
    assert [each["name"] for each in page.items] == ["listed"]
    assert jobs.get(page.items[0]["id"])["status"] == "completed"
    seen = []
    for change in jobs.subscribe(fields="id,status"):
        if change is None:
            svc.submit_job(BELL, shots=5, qpu="kelvin")
        else:
            seen.append(change.action)
        if len(seen) == 2:
            break
    assert seen == ["create", "update"]


def test_changes_are_streamed_asynchronously(service: Service) -> None:
    async def use() -> list[str]:
        seen: list[str] = []
        async with SvcAsyncClient(service.url, service.token) as svc:
            async for change in svc.collection("quantum_jobs").subscribe(filter='name = "streamed"'):
                if change is None:
                    await svc.submit_job(BELL, shots=5, qpu="kelvin", name="streamed")
                else:
                    seen.append(change.action)
                    if len(seen) == 2:
                        return seen
        return seen

    assert asyncio.run(use()) == ["create", "update"]


def test_superusers_operate(service: Service, svc: SvcClient, silent: dict[str, Any]) -> None:
    admin = service.root.admin
    made = admin.create_qpu("spare", num_qubits=3)
    assert admin.toggle_qpu(made["id"], False)["enabled"] is False
    admin.delete_qpu(made["id"])
    assert admin.set_maintenance(silent["id"], True, reason="warm")["maintenance"] is True
    admin.set_maintenance(silent["id"], False)
    job = svc.submit_job(BELL, shots=5, qpu="silent")
    assert admin.hold(job.id, "wait")["held"] is True
    assert svc.job(job).waiting is not None
    assert admin.release(job.id)["held"] is False
    assert admin.move(job.id, "kelvin", to_simulator=True)["status"] == "pending"
    assert job.wait().status == "completed"
    assert admin.set_balance(service.user_id, 5_000)["qpu_seconds"] == 5_000


def test_login_saves_an_account_and_logout_deletes_it_on_the_server_too(
    service: Service, no_account: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("builtins.input", lambda prompt: USER[0])
    monkeypatch.setattr("getpass.getpass", lambda prompt: USER[1])
    assert commands.main(["login", service.url + "/", "--profile", "lab", "--scope", "submit"]) == 0
    assert no_account.stat().st_mode & 0o777 == 0o600
    with SvcClient(profile="lab") as svc:
        assert (svc.me().email, svc.me().raw["credentials"]["scope"]) == (USER[0], "submit")
    first = token_of(no_account)
    assert first.startswith("svc_") and first not in capsys.readouterr().out
    # Another login replaces the token, which is then deleted.
    monkeypatch.setenv("SVC_PROFILE", "lab")
    assert commands.main(["login", service.url, "--email", USER[0]]) == 0
    second = token_of(no_account)
    with pytest.raises(AuthenticationError):
        service.client(first).me()
    assert service.client(second).me().raw["credentials"]["scope"] == "all"
    assert commands.main(["logout"]) == 0
    with pytest.raises(AuthenticationError):
        service.client(second).me()
    assert commands.main(["logout"]) == 1
    assert 'No profile "lab"' in capsys.readouterr().err


def test_a_logout_that_does_not_reach_the_server_says_so(
    no_account: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    address = f"http://127.0.0.1:{free_port()}"
    save_account(address, "token")
    assert commands.main(["logout"]) == 1
    out, err = capsys.readouterr()
    assert out == f"Removed profile default from {no_account}\n"
    assert err.startswith(f"The API token may still be valid at {address}: No connection")
    assert json.loads(no_account.read_text()) == {"profiles": {}}


def test_the_executable_and_the_package_share_their_accounts(
    service: Service, no_account: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = {"PATH": os.environ["PATH"], "HOME": str(service.folder), "SVC_CLIENT_CONFIG": str(no_account)}

    def run(*args: str, given: str = "") -> str:
        command = [service.executable, *args]
        return subprocess.run(command, env=env, input=given, capture_output=True, text=True, check=True).stdout

    run("login", service.url, "--with-token", given=service.token + "\n")
    assert SvcClient().me().email == USER[0]
    monkeypatch.setattr("getpass.getpass", lambda prompt: USER[1])
    assert commands.main(["login", service.url, "--email", USER[0], "--profile", "other"]) == 0
    assert "kelvin" in run("qpus", "--profile", "other")


def token_of(path: Path) -> str:
    return str(json.loads(path.read_text())["profiles"]["lab"]["api_token"])


def test_login_with_a_wrong_password_saves_nothing(
    service: Service, no_account: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("builtins.input", lambda prompt: USER[0])
    monkeypatch.setattr("getpass.getpass", lambda prompt: "wrong")
    assert commands.main(["login", service.url]) == 1
    assert capsys.readouterr().err == f"error: E-mail or password is not valid at {service.url}\n"
    assert not no_account.exists()


def test_the_command_line_describes_itself() -> None:
    shown = subprocess.run([sys.executable, "-m", "svc_client", "--help"], capture_output=True, text=True, check=True)
    assert "login" in shown.stdout and "logout" in shown.stdout
