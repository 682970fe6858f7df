"""What a user reads when something is wrong."""

from __future__ import annotations

import gc
import math
import signal
import subprocess
import sys
import warnings
from typing import Any

import httpx
import pytest
from programs import BELL
from service import Service
from svc_client import AuthenticationError, Circuit, SvcClient
from svc_client._interrupts import interrupted_with
from svc_client._submission import body_of, circuits_of

TWO = """OPENQASM 3.0;
include "stdgates.inc";
/* input float nothing; */
input float theta; input angle[32] phi; // input float other;
qubit q; bit c; rx(theta) q; rz(phi) q; c = measure q;
"""


@pytest.mark.parametrize("library", ["qiskit", "cirq", "pennylane"])
def test_a_missing_extra_names_the_command(monkeypatch: pytest.MonkeyPatch, library: str) -> None:
    monkeypatch.setitem(sys.modules, f"svc_client.{library}", None)
    monkeypatch.delitem(sys.modules, f"svc_client.{library}")
    monkeypatch.setattr("importlib.util.find_spec", lambda name, package=None: None)
    with pytest.raises(ImportError, match=f"{library} is not installed; run: pip install 'svc-client\\[{library}\\]'"):
        from svc_client import _submission  # noqa: PLC0415

        _submission.require(library)


def sent(values: Any, text: str = TWO) -> Any:
    [circuit] = body_of(circuits_of(text), parameter_values=values)["circuits"]
    return circuit["parameter_values"]


def test_values_of_inputs_are_given_by_their_names() -> None:
    assert sent({"phi": 2.0, "theta": 1.0}) == [1.0, 2.0]
    assert sent([{"phi": 2.0, "theta": 1.0}, {"phi": 4.0, "theta": 3.0}]) == [[1.0, 2.0], [3.0, 4.0]]
    arrays = "OPENQASM 3.0; input float x; input array[float[64], 2, 2] a; input array[uint[4], 1] n; qubit q;"
    assert sent({"n": [6], "x": 1.0, "a": [[2, 3], [4, 5]]}, arrays) == [1.0, 2, 3, 4, 5, 6]
    with pytest.raises(ValueError, match="The program has no input thta; did you mean theta?"):
        sent({"thta": 1.0, "phi": 2.0})
    with pytest.raises(ValueError, match="The program has no input zzz; its inputs are theta, phi"):
        sent({"zzz": 1.0})
    with pytest.raises(ValueError, match="parameter_values has no value for the input phi"):
        sent({"theta": 1.0})
    with pytest.raises(ValueError, match="its inputs are none"):
        sent({"x": 1.0}, BELL)


def test_a_number_that_is_none_names_its_field() -> None:
    numpy = pytest.importorskip("numpy")
    for values in ([[0.0], [math.nan]], numpy.array([[0.0], [math.nan]])):
        with pytest.raises(ValueError, match="circuits.0.parameter_values.1.0 is nan; expected a finite number"):
            sent(values)
    with pytest.raises(ValueError, match="circuits.1.parameter_values.0 is inf"):
        body_of([Circuit(BELL), Circuit(BELL, parameter_values=[math.inf])])


def client(token: str | None) -> SvcClient:
    refusal = httpx.Response(401, json={"code": "unauthorized", "message": "Authentication required."})
    return SvcClient("https://svc.lab.example", token, transport=httpx.MockTransport(lambda _: refusal))


def test_a_wrong_token_is_named(no_account: object) -> None:
    login = "run: svc login https://svc.lab.example"
    with pytest.raises(AuthenticationError, match=f"The API token is not valid: .*; {login}"):
        client("wrong").me()
    with pytest.raises(AuthenticationError, match=f"There is no API token: .*; {login}"):
        client(None).me()


def test_a_notebook_shows_the_line_of_the_program() -> None:
    with pytest.raises(AuthenticationError) as caught:
        client("wrong").me()
    *frames, last = caught.value._render_traceback_()
    assert len(frames) == 1 and __file__ in frames[0] and 'client("wrong").me()' in frames[0]
    assert last == f"AuthenticationError: {caught.value}"


def test_a_client_that_is_not_closed_leaves_no_warning(service: Service) -> None:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        svc = SvcClient(service.url, service.token)
        svc.me()
        del svc
        gc.collect()
    assert [str(each.message) for each in seen if issubclass(each.category, ResourceWarning)] == []


INTERRUPTED = """
import os, signal, threading, time, httpx
from svc_client import SvcClient

def answer(request):
    if {stops_at} in request.url.path or request.method == {stops_at}:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(10)
    return httpx.Response(200, json={{"id": "aaaaaaaaaaaaaaa", "status": "pending", "shots": 1, "circuits": []}})

client = SvcClient("http://127.0.0.1:1", "token", transport=httpx.MockTransport(answer))
client.submit_job("OPENQASM 3.0; qubit q;", idempotency_key="mine").result()
"""


@pytest.mark.parametrize(
    ("stops_at", "line"),
    [
        ("POST", "Stopped: there may be a job, its idempotency key is mine: client.resume(key) finds it"),
        ("/changes", 'Stopped waiting; job aaaaaaaaaaaaaaa goes on; its result: client.job("aaaaaaaaaaaaaaa").result()'),
    ],
)
def test_an_interrupt_prints_one_line(stops_at: str, line: str) -> None:
    program = INTERRUPTED.format(stops_at=repr(stops_at))
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (ended.stderr.strip(), ended.returncode) == (line, -signal.SIGINT)


def test_an_interrupt_of_the_program_itself_has_its_traceback() -> None:
    before = sys.excepthook
    try:
        with pytest.raises(KeyboardInterrupt) as caught, interrupted_with(lambda: "line"):
            raise KeyboardInterrupt
        assert caught.value._render_traceback_() == ["line"]  # type: ignore[attr-defined]
        seen: list[object] = []
        sys.excepthook = lambda *error: seen.append(error[1])
        with pytest.raises(KeyboardInterrupt), interrupted_with(lambda: "other"):
            raise KeyboardInterrupt
        own = KeyboardInterrupt()
        sys.excepthook(KeyboardInterrupt, own, None)
        assert seen == [own]
    finally:
        sys.excepthook = before
