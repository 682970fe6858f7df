"""Plays the server of one contract case; see the top of ``clients/contract/cases.json``."""

from __future__ import annotations

import gzip
import json
import math
import re
import threading
import time
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

TOKEN = "contract-token"
HELD = 0.1
TIME = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:?\d{2})")
# Jobs that have changed: changes nothing, and may be sent at will.
CHANGES = "/api/jobs/changes"
DEFAULTS = {"meas_level": 2, "meas_return": "single"}


def has_all(actual: Any, expected: Any) -> bool:
    """Whether ``actual`` has all of ``expected``; objects may have more keys, times are compared as instants."""
    if isinstance(expected, list):
        return (
            isinstance(actual, (list, tuple))
            and len(actual) == len(expected)
            and all(has_all(one, other) for one, other in zip(actual, expected))
        )
    if isinstance(expected, dict):
        return isinstance(actual, dict) and all(key in actual and has_all(actual[key], expected[key]) for key in expected)
    if isinstance(expected, bool) or isinstance(actual, bool):
        return actual is expected
    if isinstance(expected, (int, float)) and isinstance(actual, (int, float)):
        return math.isclose(actual, expected, rel_tol=1e-12, abs_tol=1e-12)
    if is_time(expected) and is_time(actual):
        return instant(actual) == instant(expected)
    return bool(actual == expected)


def is_time(value: Any) -> bool:
    return isinstance(value, str) and TIME.fullmatch(value) is not None


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def plain_body(path: str, body: Any) -> Any:
    """The body without what may be omitted, and circuits that consist of a program only as text."""
    if not isinstance(body, dict):
        return body
    is_submission = path == "/api/jobs"

    def is_default(key: str, value: Any) -> bool:
        omitted = value is None or value is False or value == [] or DEFAULTS.get(key) == value
        return value == "" or (is_submission and omitted)

    kept = {key: value for key, value in body.items() if not is_default(key, value)}
    if path == CHANGES:
        kept.pop("wait", None)
    if is_submission and isinstance(kept.get("circuits"), list):
        kept["circuits"] = [each["circuit"] if list(each) == ["circuit"] else each for each in map(as_object, kept["circuits"])]
    return kept


def as_object(circuit: Any) -> Any:
    return {"circuit": circuit} if isinstance(circuit, str) else circuit


def is_same_body(path: str, one: Any, other: Any) -> bool:
    left, right = plain_body(path, one), plain_body(path, other)
    return has_all(left, right) and has_all(right, left)


class ContractStub:
    """A server on a free port of this machine that responds as the exchanges of a case say."""

    def __init__(self, exchanges: list[dict[str, Any]]) -> None:
        self._exchanges = exchanges
        self._sent = [0] * len(exchanges)
        self._keys: dict[int, str] = {}
        self._faults: list[str] = []
        self._lock = threading.Lock()
        stub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                stub._respond(self)

            do_POST = do_PATCH = do_DELETE = do_GET

            def log_message(self, format: str, *args: Any) -> None:
                """Silent."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> ContractStub:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def breaches(self) -> list[str]:
        """What the client did otherwise than the case says."""
        missing = []
        for exchange, sent in zip(self._exchanges, self._sent):
            wanted = len(exchange["responses"])
            is_reading = exchange["method"] == "GET" or exchange["path"] == CHANGES
            if sent < wanted or (sent > wanted and not is_reading):
                missing.append(f"{exchange['method']} {exchange['path']} was sent {sent} times, not {wanted}")
        return [*self._faults, *missing]

    def _respond(self, request: BaseHTTPRequestHandler) -> None:
        raw = request.rfile.read(int(request.headers.get("content-length") or 0))
        if request.headers.get("content-encoding") == "gzip":
            raw = gzip.decompress(raw)
        body = json.loads(raw) if raw else {}
        url = urlsplit(request.path)
        query = {key: values[0] for key, values in parse_qs(url.query).items()}
        with self._lock:
            response = self._response(request, url.path, query, body)
        # Servers hold these requests until something changes.
        if "wait" in query or body.get("wait"):
            time.sleep(HELD)
        if "fault" in response:
            request.close_connection = True
            request.connection.close()
            return
        content = response.get("body")
        text = b"" if content is None else (content if isinstance(content, str) else json.dumps(content)).encode()
        request.send_response(response["status"])
        for name, value in (response.get("headers") or {}).items():
            request.send_header(name, value)
        request.send_header("content-length", str(len(text)))
        request.end_headers()
        request.wfile.write(text)

    def _response(self, request: BaseHTTPRequestHandler, path: str, query: dict[str, str], body: Any) -> dict[str, Any]:
        for at, exchange in enumerate(self._exchanges):
            fits = exchange["method"] == request.command and exchange["path"] == path
            wanted = exchange.get("query") or {}
            if not fits or not all(query.get(key) == value for key, value in wanted.items()):
                continue
            if not is_same_body(path, body, exchange.get("body") or {}):
                continue
            self._check(at, request)
            sent = self._sent[at]
            self._sent[at] += 1
            response: dict[str, Any] = exchange["responses"][min(sent, len(exchange["responses"]) - 1)]
            return response
        self._faults.append(f"the case has no {request.command} {request.path} {json.dumps(body)}")
        return {"status": 418, "body": {"status": 418, "code": "not_in_case", "message": "?", "data": {}}}

    def _check(self, at: int, request: BaseHTTPRequestHandler) -> None:
        exchange = self._exchanges[at]
        if request.headers.get("authorization") != f"Bearer {TOKEN}":
            self._faults.append(f"{exchange['path']} has Authorization {request.headers.get('authorization')}")
        for name, value in (exchange.get("headers") or {}).items():
            if request.headers.get(name) != value:
                self._faults.append(f"{exchange['path']} has {name} {request.headers.get(name)}")
        key = request.headers.get("idempotency-key") or ""
        is_check = (exchange.get("query") or {}).get("dry_run") == "true"
        if exchange["method"] == "POST" and exchange["path"] == "/api/jobs" and not is_check and not key:
            self._faults.append("the submission has no Idempotency-Key")
        if self._keys.setdefault(at, key) != key:
            self._faults.append("a repetition has another key")
