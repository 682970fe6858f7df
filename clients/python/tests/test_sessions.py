"""Sessions, with a server, a driver, and two users."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from programs import BELL
from service import PATIENCE, Service
from svc_client import (
    AuthenticationError,
    ConflictError,
    JobCancelledError,
    NotFoundError,
    PermissionDeniedError,
    SessionEndedError,
    SessionTimeout,
    SvcAsyncClient,
    SvcClient,
)

QPU = "held"


@pytest.fixture(scope="module", autouse=True)
def qpu(service: Service) -> None:
    service.start_driver(service.create_qpu(QPU), "mock")


@pytest.fixture(scope="module")
def other(service: Service) -> Iterator[SvcClient]:
    _, token = service.create_user("other@example.org")
    with service.client(token) as client:
        yield client


def test_jobs_of_others_wait_while_one_holds_the_qpu(service: Service, svc: SvcClient, other: SvcClient) -> None:
    with svc.session(QPU, seconds=300) as held:
        assert (held.state, held.qpu, held.mode, held.position) == ("active", QPU, "exclusive", 1)
        foreign = other.submit_job(BELL, shots=5, qpu=QPU)
        for _ in range(5):
            # Without a QPU: it is that of the session.
            assert svc.run(BELL, shots=5, timeout=PATIENCE).metadata["device"] == "mock"
            waiting = foreign.refresh()
            assert waiting.status == "pending" and waiting.waiting is not None
            assert waiting.waiting.code == "in_session"
        last = svc.submit_job(BELL, shots=5)
    # It has run before the end, and costs nothing but the session.
    assert last.refresh().status == "completed" and last.refresh().charged_seconds == 0
    assert foreign.wait(timeout=PATIENCE).status == "completed"
    ended = svc.sessions.get(held)
    assert (ended.state, ended.end) == ("closed", "ended") and 0 < ended.held_seconds < 300
    assert svc.submit_job(BELL, shots=5, qpu=QPU).wait(timeout=PATIENCE).charged_seconds != 0


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_an_exception_ends_a_session_and_cancels_what_waits(
    service: Service, svc: SvcClient, error: type[BaseException]
) -> None:
    with pytest.raises(error), svc.session(QPU, seconds=300) as held:
        service.root.admin.drain(held.qpu_id)
        job = svc.submit_job(BELL)
        raise error
    with pytest.raises(JobCancelledError, match="was cancelled: its session has ended"):
        job.result(timeout=PATIENCE)
    service.root.admin.drain(held.qpu_id, False)
    assert svc.sessions.get(held).state == "closed"


def test_a_session_that_has_ended_takes_no_jobs(service: Service, svc: SvcClient) -> None:
    with pytest.raises(SessionEndedError, match="has ended"), svc.session(QPU) as held:
        service.root.sessions.end(held.id, reason="cooling")
        svc.submit_job(BELL)
    assert [each.status for each in svc.jobs(status="pending,running")] == []
    with pytest.raises(SessionEndedError):
        svc.sessions.extend(held, 60)
    with pytest.raises(SessionEndedError, match="has ended: it was ended"):
        svc.sessions.wait(held)


def test_a_job_inside_does_not_run_elsewhere(service: Service, svc: SvcClient, silent: dict[str, Any]) -> None:
    with svc.session(QPU, seconds=300) as first:
        with pytest.raises(PermissionDeniedError) as caught:
            svc.submit_job(BELL, qpu="kelvin")
        assert caught.value.code == "other_qpu"
        with svc.session("kelvin", seconds=300):
            with pytest.raises(ValueError, match=f"Sessions on the QPUs {QPU}, kelvin are open; pass qpu"):
                svc.submit_job(BELL)
            found = []
            # Of every thread.
            submit = threading.Thread(target=lambda: found.append(svc.submit_job(BELL, shots=5, qpu="kelvin")))
            submit.start()
            submit.join()
            assert found[0].wait(timeout=PATIENCE).charged_seconds == 0
        with pickle.loads(pickle.dumps(svc)) as copy:
            assert copy.submit_job(BELL).qpu == first.qpu_id
        with pytest.raises(ConflictError) as open_already:
            svc.sessions.start(QPU, mode="batch")
        assert open_already.value.code == "session_open"


def test_a_repeated_start_is_one_and_another_one_joins(svc: SvcClient) -> None:
    first = svc.sessions.start(QPU, seconds=300, holder={"kind": "loop", "id": "7"}, idempotency_key="loop-7")
    again = svc.sessions.start(QPU, seconds=300, holder={"kind": "loop", "id": "7"}, idempotency_key="loop-7")
    assert (again.id, again.holder, again.secret) == (first.id, first.holder, first.secret)
    assert first.secret not in repr(first)
    joined = svc.sessions.start(QPU, seconds=300)
    assert joined.id == first.id and joined.holder != first.holder
    assert [each.id for each in svc.sessions.list(qpu=QPU, limit=1)] == [first.id]
    assert svc.sessions.extend(first, 600).seconds == 600
    # The one that has joined goes on.
    assert svc.sessions.end(first).state != "closed"
    assert svc.submit_job(BELL, shots=5, session=joined).wait(timeout=PATIENCE).status == "completed"
    with pytest.raises(SessionEndedError):
        svc.submit_job(BELL, session=first)
    with pytest.raises(ValueError, match="was read, and only what sessions.start returns"):
        svc.submit_job(BELL, session=svc.sessions.get(joined.id))
    assert svc.sessions.end(joined).state == "closed"
    with pytest.raises(NotFoundError) as caught:
        svc.sessions.start("nowhere")
    assert caught.value.code != "no_sessions"


def test_a_session_waits_for_those_before_it(svc: SvcClient, other: SvcClient) -> None:
    with svc.session(QPU, seconds=300):
        with pytest.raises(SessionTimeout, match="is queued, not active within 1 s"), other.session(QPU, timeout=1):
            raise AssertionError("it is not active")
        assert other.sessions.list(limit=1)[0].state == "closed"
        entered = threading.Event()

        def enter() -> None:
            with other.session(QPU, seconds=300):
                entered.set()

        later = threading.Thread(target=enter)
        later.start()
        assert not entered.wait(1)
    later.join(PATIENCE)
    assert entered.is_set()


def test_programs_of_a_batch_job_need_no_arguments(
    service: Service, svc: SvcClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = svc.sessions.wait(svc.sessions.start(QPU, seconds=300, holder={"kind": "slurm", "id": "4711"}))
    monkeypatch.setenv("SVC_ADDR", service.url)
    monkeypatch.setenv("SVC_SESSION", started.secret)
    monkeypatch.setenv("SVC_QPU", QPU)
    with SvcClient() as own:
        job = own.submit_job(BELL, shots=5)
        assert job.wait(timeout=PATIENCE).charged_seconds == 0
        assert own.job(job.id).qpu == started.qpu_id and own.qpu(QPU).name == QPU
        with pytest.raises(AuthenticationError, match="The secret of a session submits and reads jobs only"):
            own.me()
        # The same program starts a session where there is none.
        with own.session() as held:
            assert held.id == started.id and own.run(BELL, shots=5, timeout=PATIENCE)
        assert svc.sessions.get(started).state == "active"
        with pytest.raises(ValueError, match=f"SVC_SESSION is a session on QPU {QPU}, not on kelvin"), own.session("kelvin"):
            raise AssertionError("it is another QPU")
        with pickle.loads(pickle.dumps(own)) as copy:
            assert copy.run(BELL, shots=5, timeout=PATIENCE)
    code = "import svc_client; print(svc_client.SvcClient().run(%r, shots=5).counts() != {})" % BELL
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    assert subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True).stdout == "True\n"
    # Arguments come before variables, and no server gets the secret of another one.
    with SvcClient(service.url, service.token) as user:
        assert user.me().id == service.user_id and user._credentials.session is None
    assert SvcClient("http://127.0.0.1:1", "token")._credentials.qpu is None
    monkeypatch.setenv("SVC_API_TOKEN", service.token)
    with SvcClient() as both:
        assert both.me().id == service.user_id
        # One job of an array ends what holds the session for itself alone, with an API token, too.
        sibling = svc.sessions.start(QPU, holder={"kind": "slurm", "id": "4712"})
        with both.session() as held:
            assert both.sessions.end(held).state == "active"
        assert both.sessions.end(started.id).state == "active"
        assert svc.sessions.end(sibling).state == "closed"
        with pytest.raises(SessionEndedError):
            both.submit_job(BELL)
        assert both.job(job.id).status == "completed"
    monkeypatch.delenv("SVC_SESSION")
    with SvcClient() as without:
        assert without.run(BELL, shots=5, timeout=PATIENCE).metadata["device"] == "mock"


def test_an_asynchronous_client_holds_a_qpu(service: Service) -> None:
    async def sleeping(svc: SvcAsyncClient) -> None:
        async with svc.session(QPU, seconds=300):
            await asyncio.sleep(60)

    async def use() -> str:
        async with SvcAsyncClient(service.url, service.token) as svc:
            async with svc.session(QPU, seconds=300) as held:
                jobs = await asyncio.gather(*(svc.submit_job(BELL, shots=5) for _ in range(5)))
            assert [(await job.refresh()).status for job in jobs] == ["completed"] * 5
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(sleeping(svc), 2)
            assert [each.state for each in await svc.sessions.list(limit=1)] == ["closed"]
            return (await svc.sessions.get(held)).state

    assert asyncio.run(use()) == "closed"
