"""Repetition, compression, versions, TLS: what is sent, seen by a transport of the test."""

from __future__ import annotations

import gzip
import json
import socket
import ssl
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Callable

import httpx
import pytest
from programs import BELL
from svc_client import (
    AuthenticationError,
    ConnectionLostError,
    RateLimitedError,
    Retries,
    ServerError,
    SvcClient,
    Timeout,
    save_account,
)
from svc_client._progress import Notice, notice_of
from svc_client._retries import pause_after
from svc_client._version import VERSION

JOB = {"id": "aaaaaaaaaaaaaaa", "status": "pending", "created": "2026-01-31 09:05:00.000Z"}
Answer = Callable[[httpx.Request], httpx.Response]


def client(answer: Answer, **options: Any) -> SvcClient:
    return SvcClient("https://svc.lab.example", "token", transport=httpx.MockTransport(answer), **options)


def responses(*given: httpx.Response | Exception) -> tuple[Answer, list[httpx.Request]]:
    """Responds with each in turn, further requests with the last; returns the requests too."""
    requests: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        found = given[min(len(requests), len(given)) - 1]
        if isinstance(found, Exception):
            raise found
        return found

    return answer, requests


@pytest.fixture
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Pauses are noted in place of being made."""
    pauses: list[float] = []
    monkeypatch.setattr("svc_client._sync.transport.sleep", pauses.append)
    return pauses


def test_refusals_with_429_do_not_count_as_tries(no_pauses: list[float]) -> None:
    refusal = httpx.Response(429, json={"code": "limited", "message": "Too many"}, headers={"Retry-After": "2"})
    answer, requests = responses(*[refusal] * 9, httpx.Response(201, json=JOB))
    assert client(answer).submit_job(BELL).id == JOB["id"]
    assert len(requests) == 10
    assert all(2 <= pause <= 4 for pause in no_pauses) and len(set(no_pauses)) > 1
    assert len({request.headers["idempotency-key"] for request in requests}) == 1


def test_a_refusal_for_longer_than_the_limit_is_raised(no_pauses: list[float]) -> None:
    refusal = httpx.Response(429, json={"code": "limited", "message": "Too many"}, headers={"Retry-After": "90"})
    answer, requests = responses(refusal)
    with pytest.raises(RateLimitedError) as caught:
        client(answer, retries=Retries(within=30)).me()
    assert (caught.value.retry_after, len(requests)) == (90, 1)


def test_five_tries_are_made(no_pauses: list[float]) -> None:
    answer, requests = responses(httpx.Response(502, text="<html>bad gateway</html>"))
    with pytest.raises(ServerError, match="The server responded 502 Bad Gateway"):
        client(answer).qpus()
    assert len(requests) == 5
    answer, requests = responses(httpx.ConnectError("refused"))
    with pytest.raises(ConnectionLostError, match="No connection: https://svc.lab.example"):
        client(answer, retries=Retries(tries=2)).qpus()
    assert len(requests) == 2


class Clock:
    """A clock that moves by what is slept."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("svc_client._sync.transport.time", clock)
    monkeypatch.setattr("svc_client._sync.transport.sleep", clock.sleep)
    return clock


def test_a_submission_outlasts_a_server_that_is_down(clock: Clock) -> None:
    keys = set()

    def answer(request: httpx.Request) -> httpx.Response:
        keys.add(request.headers["idempotency-key"])
        if clock.now < 60:
            raise httpx.ConnectError("refused")
        if clock.now < 90:
            return httpx.Response(502, text="<html>bad gateway</html>")
        return httpx.Response(201, json=JOB)

    assert client(answer, retries=Retries(tries=1)).submit_job(BELL).id == JOB["id"]
    assert 90 <= clock.now <= 101 and len(keys) == 1


@pytest.mark.parametrize(
    ("fault", "maybe_done", "state"),
    [
        (httpx.ConnectError("refused"), False, "no job was submitted"),
        (httpx.ReadError("reset"), True, "there may be a job"),
    ],
)
def test_a_submission_without_a_response_ends_with_its_key(
    clock: Clock, fault: Exception, maybe_done: bool, state: str
) -> None:
    answer, _ = responses(fault, httpx.ConnectError("refused"))
    with pytest.raises(ConnectionLostError, match=f"{state}, its idempotency key is mine: ") as caught:
        client(answer).submit_job(BELL, idempotency_key="mine")
    assert (caught.value.idempotency_key, caught.value.maybe_done) == ("mine", maybe_done)
    assert 590 <= clock.now <= 600
    answer, requests = responses(httpx.ReadError("reset"))
    with pytest.raises(ConnectionLostError) as short:
        client(answer, retries=Retries(without_response=0)).submit_job(BELL)
    assert short.value.idempotency_key == requests[0].headers["idempotency-key"] and len(requests) == 1


def test_a_token_that_expires_during_a_submission_leaves_its_key(clock: Clock) -> None:
    refusal = httpx.Response(401, json={"code": "unauthorized", "message": "No."})
    answer, _ = responses(httpx.ReadError("reset"), refusal)
    with pytest.raises(AuthenticationError, match="there may be a job") as caught:
        client(answer).submit_job(BELL)
    assert caught.value.idempotency_key
    answer, requests = responses(refusal)
    with pytest.raises(AuthenticationError) as at_once:
        client(answer).submit_job(BELL)
    assert at_once.value.idempotency_key == "" and len(requests) == 1


def test_failures_of_the_server_itself_are_counted(clock: Clock) -> None:
    answer, requests = responses(httpx.Response(500, json={"code": "internal", "message": "Internal error"}))
    with pytest.raises(ServerError) as caught:
        client(answer).submit_job(BELL)
    assert len(requests) == 5 and caught.value.idempotency_key


def caused(cause: OSError) -> httpx.ConnectError:
    """As httpx raises it."""
    error = httpx.ConnectError(str(cause))
    error.__cause__ = cause
    return error


DEFINITE = [
    socket.gaierror(socket.EAI_NONAME, "Name or service not known"),
    ssl.SSLCertVerificationError(1, "certificate verify failed"),
]
PASSING = [socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution"), ConnectionRefusedError()]


@pytest.mark.parametrize("cause", DEFINITE)
def test_a_wrong_name_or_certificate_ends_everything_at_once(clock: Clock, cause: OSError) -> None:
    for call in (lambda svc: svc.submit_job(BELL), lambda svc: svc.job("x"), lambda svc: svc.wait(["x"])):
        answer, requests = responses(caused(cause))
        with pytest.raises(ConnectionLostError) as caught:
            call(client(answer))
        assert (len(requests), caught.value.is_definite, caught.value.idempotency_key) == (1, True, "")


@pytest.mark.parametrize("cause", PASSING)
def test_what_may_pass_is_repeated(clock: Clock, cause: OSError) -> None:
    answer, requests = responses(caused(cause), httpx.Response(201, json=JOB))
    assert client(answer).submit_job(BELL).id == JOB["id"] and len(requests) == 2


@pytest.mark.parametrize("cause", DEFINITE)
def test_the_name_of_a_server_that_has_responded_is_right(clock: Clock, cause: OSError) -> None:
    answer, requests = responses(httpx.ReadError("reset"), caused(cause), httpx.Response(201, json=JOB))
    assert client(answer).submit_job(BELL).id == JOB["id"] and len(requests) == 3


def test_a_wrong_name_among_several_is_no_end(clock: Clock) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.host == "wrong.example":
            raise caused(DEFINITE[0])
        return httpx.Response(201, json=JOB)

    several = ["https://wrong.example", "https://svc.lab.example"]
    svc = SvcClient(several, "token", transport=httpx.MockTransport(answer))
    assert svc.submit_job(BELL).id == JOB["id"]


def test_a_server_that_stands_by_is_left_for_the_next_address(no_pauses: list[float]) -> None:
    standby = httpx.Response(503, json={"code": "not_leader", "message": "Stands by"}, headers={"Retry-After": "1"})
    answer, requests = responses(*[standby] * 6, httpx.Response(200, json=[]))
    with SvcClient(
        "https://one.example,https://two.example",
        "token",
        transport=httpx.MockTransport(answer),
        retries=Retries(tries=1),
    ) as svc:
        assert svc.qpus() == []
    assert [request.url.host[:3] for request in requests] == ["one", "two"] * 3 + ["one"]
    assert no_pauses[0] == 0 and all(1 <= pause <= 2 for pause in no_pauses[1:])


def test_a_terminal_says_that_a_submission_is_repeated(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = threading.Event()
    monkeypatch.setattr("svc_client._progress._NOTICE_AFTER", 0.01)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("svc_client._progress.Notice.say", lambda notice, say=Notice.say: (say(notice), said.set()))

    def answer(_: httpx.Request) -> httpx.Response:
        assert said.wait(60)
        return httpx.Response(201, json=JOB)

    client(answer).submit_job(BELL, idempotency_key="mine")
    wanted = "No response from https://svc.lab.example. The submission mine is repeated for up to 10 min; Ctrl+C ends that\n"
    assert capsys.readouterr().err == wanted
    monkeypatch.setenv("SVC_PROGRESS", "0")
    with notice_of("It", "here", 1) as notice:
        assert notice.reason and not any(isinstance(each, threading.Timer) for each in threading.enumerate())


def test_a_job_is_found_by_the_key_of_its_submission() -> None:
    answer, requests = responses(httpx.Response(200, json=JOB))
    assert client(answer).resume("a key/1").id == JOB["id"]
    assert requests[0].url.raw_path.startswith(b"/api/jobs/by-key/a%20key%2F1?")
    with pytest.raises(ValueError, match="expected 0 to 82800 s"):
        Retries(without_response=86_400)


def test_pauses_grow_and_have_jitter() -> None:
    error = ServerError("no")
    for attempt in range(1, 6):
        pauses = [pause_after(error, attempt) for _ in range(200)]
        assert 0 <= min(pauses) and max(pauses) <= 0.2 * 2**attempt and len(set(pauses)) > 100


def test_requests_that_might_be_done_are_not_repeated(no_pauses: list[float]) -> None:
    answer, requests = responses(httpx.ReadError("reset"))
    with pytest.raises(ConnectionLostError, match="may have carried out") as caught:
        client(answer).tokens.create("one")
    assert caught.value.maybe_done and len(requests) == 1
    # It never left: it is repeated.
    answer, requests = responses(httpx.ConnectTimeout("slow"), httpx.ReadError("reset"))
    with pytest.raises(ConnectionLostError):
        client(answer).tokens.create("one")
    assert len(requests) == 2


def test_large_bodies_are_compressed_and_small_ones_not() -> None:
    answer, requests = responses(httpx.Response(201, json=JOB))
    svc = client(answer)
    svc.submit_job(BELL)
    svc.submit_job(BELL + " " * 65_536)
    small, large = requests
    assert "content-encoding" not in small.headers
    assert large.headers["content-encoding"] == "gzip" and len(large.content) < 2_000
    assert json.loads(gzip.decompress(large.content))["circuits"][0]["circuit"].startswith(BELL)


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
def test_responses_may_be_compressed(coding: str) -> None:
    zstandard = pytest.importorskip("zstandard")
    compress = {"gzip": gzip.compress, "zstd": zstandard.ZstdCompressor().compress}[coding]
    content = compress(json.dumps(JOB).encode())
    answer, requests = responses(httpx.Response(200, headers={"Content-Encoding": coding}, content=content))
    assert client(answer).job(JOB["id"]).id == JOB["id"]
    assert coding in requests[0].headers["accept-encoding"]


def test_who_asks_is_named() -> None:
    answer, requests = responses(httpx.Response(200, json=[]))
    client(answer, user_agent="lab-scheduler/2").qpus()
    assert requests[0].headers["user-agent"] == f"lab-scheduler/2 svc-client-python/{VERSION}"


def test_a_newer_server_is_mentioned_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("svc_client._sync.transport._warned", set())
    for version in (VERSION, "2099.1.0", "2099.1.0", "none"):
        answer, _ = responses(httpx.Response(200, json=[], headers={"Svc-Version": version}))
        client(answer).qpus()
    expected = f"The server has version 2099.1.0, newer than svc-client {VERSION}; consider an upgrade"
    assert caplog.messages == [expected]


def test_something_other_than_json_is_an_error() -> None:
    answer, _ = responses(httpx.Response(200, text="<html>log in to the network</html>"))
    with pytest.raises(ServerError, match="responded 200 with something other than JSON"):
        client(answer).me()


def test_the_profile_of_an_invalid_token_is_named(no_account: Path) -> None:
    save_account("https://svc.lab.example", "old")
    refusal = httpx.Response(401, json={"code": "unauthorized", "message": "Not valid."})
    answer, _ = responses(refusal)
    with pytest.raises(AuthenticationError) as caught:
        SvcClient(transport=httpx.MockTransport(answer)).me()
    wanted = "The token of profile default is not valid; run: svc login https://svc.lab.example --profile default"
    assert str(caught.value) == caught.value.message == wanted


def test_a_server_that_does_not_hold_requests_is_polled_ever_slower() -> None:
    requests: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        is_read = request.method == "GET"
        return httpx.Response(200, json=JOB if is_read else {"jobs": [], "unknown": []})

    started = time.monotonic()
    with pytest.raises(TimeoutError):
        client(answer).job("aaaaaaaaaaaaaaa").wait(timeout=1.5)
    assert time.monotonic() - started >= 1.5
    # 0.1, 0.2, 0.4 and 0.8 s between them.
    assert len(requests) <= 7


def test_unknown_states_and_fields_are_passed_on() -> None:
    answer, _ = responses(httpx.Response(200, json={**JOB, "status": "compiling", "colour": "red"}))
    job = client(answer).job(JOB["id"])
    assert (job.status, job.raw["colour"], job.done()) == ("compiling", "red", False)


def test_one_404_of_the_route_for_many_jobs_does_not_end_its_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("svc_client._sync.waiting._OLD_FOR", 0.0)
    ended = {"jobs": [{**JOB, "status": "cancelled"}], "unknown": []}
    changes = iter([httpx.Response(404, text="no such page"), httpx.Response(200, json=ended)])

    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json={**JOB, "status": "pending"}) if request.method == "GET" else next(changes)

    assert [job.status for job in client(answer).wait([JOB["id"]])] == ["cancelled"]
    assert next(changes, None) is None


def test_a_silent_server_is_given_up_after_the_time_limit() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        # Accepts connections by its backlog and never responds.
        url = f"http://127.0.0.1:{server.server_address[1]}"
        with SvcClient(url, "x", timeout=Timeout(connect=5, read=0.2), retries=Retries(tries=2)) as svc:
            with pytest.raises(ConnectionLostError) as caught:
                svc.qpus()
    assert caught.value.maybe_done
