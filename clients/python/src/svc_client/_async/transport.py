"""Requests with credentials, repetition, time limits and errors; one object for all parts of a client."""

from __future__ import annotations

import gzip
import json
import logging
import re
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, AsyncIterator, Mapping
from urllib.parse import quote, urlencode

from .._concurrency import async_sleep
from .._credentials import Credentials, is_this_machine
from .._errors import (
    AuthenticationError,
    ConnectionLostError,
    InvalidRequestError,
    ServerError,
    SvcError,
    error_of,
    is_from_standby,
    is_retried,
    is_temporary,
    other_response,
)
from .._http import AsyncHttp, AsyncHttpStream, NoResponse, Response
from .._interrupts import interrupted_with
from .._progress import Notice, notice_of
from .._retries import Retries, pause_after
from .._version import VERSION

logger = logging.getLogger("svc_client")

# Paths with the id that their response has.
_WITH_ID = re.compile(r"/api/(?:jobs|op/jobs|tokens|sessions|collections/[^/]+/records)/(?!by-key/|changes$)([^/?]+)")
# Larger bodies are compressed.
_COMPRESSED_FROM = 64 * 1024

# Addresses and server versions of which a warning was logged.
_warned: set[str] = set()


@dataclass
class _Place:
    """Which of several addresses is in use, until it does not respond or does not lead."""

    at: int = 0
    # Addresses to which a connection was established.
    reached: set[str] = field(default_factory=set)
    # Those that never did, because no server has the name or its certificate is not trusted.
    wrong: set[str] = field(default_factory=set)


class AsyncTransport:
    """Sends requests to the server, again where that is safe."""

    def __init__(
        self, credentials: Credentials, http: AsyncHttp, retries: Retries, user_agent: str | None = None
    ) -> None:
        self._credentials = credentials
        self._http = http
        self._retries = retries
        own = f"svc-client-python/{VERSION}"
        self._user_agent = f"{user_agent} {own}" if user_agent else own
        self._place = _Place()
        # The server is of a build that refuses ``omit``.
        self._refuses_omit = False

    @property
    def address(self) -> str:
        """The address in use."""
        return self._credentials.addresses[self._place.at]

    @property
    def session(self) -> str | None:
        """The secret of a session, by which jobs are submitted."""
        return self._credentials.session

    async def submit(
        self, path: str, *, body: object, query: Mapping[str, Any] | None, key: str, headers: Mapping[str, str]
    ) -> Any:
        """Sends a submission under an idempotency key until the server has responded, for ``retries.without_response`` s.

        Raises:
            SvcError: as ``request``. ``idempotency_key`` is set if there may be a job although it raises.
        """
        what, headers = f"The submission {key}", {"Idempotency-Key": key, **headers}
        return await self.until_response("POST", path, what=what, key=key, query=query, body=body, headers=headers)

    async def until_response(self, method: str, path: str, *, what: str, key: str = "", **options: Any) -> Any:
        """Sends a request until the server has responded, for ``retries.without_response`` s.

        Args:
            what: is repeated, for people.
            key: idempotency key of a submission.
            options: as of ``request``.

        Raises:
            SvcError: as ``request``.
        """
        retries = replace(self._retries, within=self._retries.without_response)
        with notice_of(what, self.address, retries.within) as notice:
            repetition = _Repetition(key, notice)
            options = {"is_repeatable": True, "retries": retries, "repetition": repetition, **options}
            return await self.request(method, path, **options)

    async def read(
        self, path: str, omit: str, *, what: str | None = None, query: Mapping[str, Any] | None = None, **options: Any
    ) -> Any:
        """Reads a response without the fields of ``omit``; with them where the server knows no ``omit``.

        Args:
            what: as of ``until_response``, in place of one attempt after the other.
            options: as of ``request``.
        """
        send = self.request if what is None else partial(self.until_response, what=what)
        if not self._refuses_omit:
            try:
                return await send("GET", path, query={**(query or {}), "omit": omit}, **options)
            except InvalidRequestError as error:
                if "omit" not in error.fields:
                    raise
                self._refuses_omit = True
        return await send("GET", path, query=query, **options)

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: object = None,
        headers: Mapping[str, str] | None = None,
        is_repeatable: bool | None = None,
        retries: Retries | None = None,
        deadline: float | None = None,
        repetition: _Repetition | None = None,
    ) -> Any:
        """Sends a request and returns the JSON of its response; None without a body.

        Args:
            is_repeatable: the request may reach the server twice without harm; default for GET and DELETE.
            deadline: time of ``time.monotonic()`` at which it is given up.
            repetition: what is repeated until the server has responded, in place of ``retries.tries`` times.

        Raises:
            SvcError: in the class of the response's code; ConnectionLostError without a response.
        """
        retries = retries or self._retries
        safe = is_repeatable if is_repeatable is not None else method in ("GET", "DELETE")
        end = time.monotonic() + retries.within
        if deadline is not None:
            end = min(end, deadline)
        content = None if body is None else json.dumps(body, separators=(",", ":"), allow_nan=False).encode()
        attempt, failures = 1, 0
        without = f"Stopped before the response of {self.address}"
        with interrupted_with(lambda: without if repetition is None else repetition.interrupted()):
            while True:
                read = None if deadline is None else max(0.05, deadline - time.monotonic())
                try:
                    got = self._content(await self._send(method, path + _query(query), content, headers or {}, read))
                    assert_own(got, path)
                    return got
                except SvcError as error:
                    is_other_untried = is_from_standby(error) and attempt < len(self._credentials.addresses)
                    pause = 0.0 if is_other_untried else pause_after(error, attempt)
                    failures += _is_failure(error, repetition)
                    attempt += 0 if error.status == 429 else 1
                    if failures >= retries.tries or not is_retried(error, safe) or time.monotonic() + pause > end:
                        raise error if repetition is None else repetition.given_up(error)
                    if repetition is not None:
                        repetition.note(error)
                await async_sleep(pause)

    @asynccontextmanager
    async def stream(self, path: str) -> AsyncIterator[AsyncHttpStream]:
        """Opens a response without end. Raises SvcError as ``request`` does, at the first attempt."""
        address = self.address
        headers = self._headers(address, {"Accept": "text/event-stream"}, None)
        try:
            stream = await self._http.open(address, path, headers)
        except NoResponse as error:
            raise self._lost(address, error) from error
        try:
            if stream.failure is not None:
                raise self._error(address, stream.failure)
            yield stream
        except NoResponse as error:
            raise self._lost(address, error) from error
        finally:
            await stream.aclose()

    async def aclose(self) -> None:
        """Closes its connections."""
        await self._http.aclose()

    async def _send(
        self, method: str, path: str, content: bytes | None, headers: Mapping[str, str], read: float | None
    ) -> Response:
        address = self.address
        sent = self._headers(address, headers, content)
        if "Content-Encoding" in sent and content is not None:
            content = gzip.compress(content, 6, mtime=0)
        try:
            response = await self._http.send(method, address, path, sent, content, read)
        except NoResponse as error:
            raise self._lost(address, error) from error
        self._place.reached.add(address)
        self._place.wrong.discard(address)
        _compare_versions(response.headers.get("svc-version", ""))
        if not 200 <= response.status < 300:
            raise self._error(address, response)
        return response

    def _headers(self, address: str, given: Mapping[str, str], content: bytes | None) -> dict[str, str]:
        headers = {"Accept": "application/json", "User-Agent": self._user_agent, **given}
        if self._credentials.token is not None:
            _warn_of_plain_http(address)
            headers.setdefault("Authorization", f"Bearer {self._credentials.token}")
        if content is not None:
            headers["Content-Type"] = "application/json"
            if len(content) > _COMPRESSED_FROM:
                headers["Content-Encoding"] = "gzip"
        return headers

    def _content(self, response: Response) -> Any:
        if not response.body:
            return None
        try:
            return json.loads(response.body)
        except ValueError as error:
            text = f"The server at {self.address} responded {response.status} with something other than JSON"
            raise ServerError(text, status=response.status) from error

    def _leave(self, address: str) -> None:
        # Continues with the next address, unless another request has done so.
        if address == self.address:
            self._place.at = (self._place.at + 1) % len(self._credentials.addresses)

    def _lost(self, address: str, error: NoResponse) -> ConnectionLostError:
        self._leave(address)
        place, addresses = self._place, self._credentials.addresses
        # The right server was connected before: now the network fails.
        if error.maybe_done:
            place.reached.add(address)
        if error.is_definite and address not in place.reached:
            place.wrong.add(address)
        state = (
            "The connection ended before the response; the server may have carried out the request"
            if error.maybe_done
            else "No connection"
        )
        text = f"{state}: {address} ({error})"
        return ConnectionLostError(
            text, maybe_done=error.maybe_done, is_definite=error.is_definite and len(place.wrong) == len(addresses)
        )

    def _error(self, address: str, response: Response) -> SvcError:
        try:
            body = json.loads(response.body)
        except ValueError:
            body = None
        if not isinstance(body, dict):
            body = {}
        # Proxies in front of the server respond with pages of their own.
        text = body.get("message") or f"The server responded {response.status} {response.reason}".strip()
        error = error_of(
            response.status,
            str(text),
            code=str(body.get("code") or ""),
            request_id=str(body.get("request_id") or response.headers.get("x-request-id", "")),
            fields=body.get("data") if isinstance(body.get("data"), dict) else {},
            retry_after=_seconds(response.headers.get("retry-after", "")),
        )
        if is_from_standby(error):
            self._leave(address)
        if isinstance(error, AuthenticationError):
            profile = self._credentials.profile
            if profile is not None:
                state, option = f"The token of profile {profile} is not valid", f" --profile {profile}"
            elif self._credentials.token == self._credentials.session is not None:
                error.message = (
                    "The secret of a session submits and reads jobs only, until 24 hours after its end; this request needs an "
                    "API token"
                )
                error.args = (error.message,)
                return error
            elif self._credentials.token is not None:
                state, option = "The API token is not valid: it is wrong, has expired or was deleted", ""
            else:
                state, option = "There is no API token: pass api_token, set SVC_API_TOKEN, or sign in", ""
            error.message = f"{state}; run: svc login {address}{option}"
            error.args = (error.message,)
        return error


class _Repetition:
    """What is known of a request while it is repeated until the server has responded."""

    def __init__(self, key: str, notice: Notice) -> None:
        self._key = key
        self._notice = notice
        self._maybe_done = False

    def note(self, error: SvcError) -> None:
        """Takes in the failure of an attempt after which there is another one."""
        self._maybe_done = self._maybe_done or _is_maybe_done(error)
        self._notice.reason = error.message

    def given_up(self, error: SvcError) -> SvcError:
        """The error of the last attempt; with the key unless it says for certain that there is no job."""
        if not self._key:
            return error
        maybe_done = self._maybe_done or _is_maybe_done(error)
        if is_temporary(error) or (maybe_done and error.status in (401, 403)):
            error.idempotency_key = self._key
            error.message += f"; {self._outcome(maybe_done)}"
            error.args = (error.message,)
        if isinstance(error, ConnectionLostError):
            error.maybe_done = maybe_done
        return error

    def interrupted(self) -> str:
        """What is known when Ctrl+C ends it: a request that is on its way may be carried out."""
        return f"Stopped: {self._outcome(True)}" if self._key else f"Stopped: {self._notice.reason}"

    def _outcome(self, maybe_done: bool) -> str:
        state = "there may be a job" if maybe_done else "no job was submitted"
        return f"{state}, its idempotency key is {self._key}: client.resume(key) finds it"


def _is_maybe_done(error: SvcError) -> bool:
    return error.maybe_done if isinstance(error, ConnectionLostError) else error.status in (500, 502, 504)


def _is_failure(error: SvcError, repetition: _Repetition | None) -> bool:
    """Whether an attempt counts as one of the tries.

    The server asks for the repetition of a request that it refuses with 429, and one that stands by may lead next. Until
    a response, only the failures that the server itself reports count.
    """
    if repetition is not None:
        return bool(error.code) and error.status == 500
    return error.status != 429 and not is_from_standby(error)


def assert_own(content: Any, path: str) -> None:
    """Raises ServerError if the content of a response is that of another request, as from a shared connection."""
    asked = _WITH_ID.match(path)
    id = content.get("id") if isinstance(content, dict) else None
    if asked is not None and isinstance(id, str) and segment(id) != asked[1]:
        raise other_response(path, id)


def segment(text: str) -> str:
    """One segment of a path, escaped."""
    return quote(text, safe="")


def _query(query: Mapping[str, Any] | None) -> str:
    given = {key: _text(value) for key, value in (query or {}).items() if value is not None}
    return f"?{urlencode(given)}" if given else ""


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _seconds(text: str) -> float | None:
    try:
        return max(0.0, float(text))
    except ValueError:
        return None


def _warn_of_plain_http(address: str) -> None:
    """A token that goes to another machine without encryption can be read on the way."""
    if not address.startswith("http:") or address in _warned or is_this_machine(address):
        return
    _warned.add(address)
    logger.warning("The API token is sent to %s without encryption; use https", address)


def _compare_versions(server: str) -> None:
    if server in _warned or not server:
        return
    _warned.add(server)
    try:
        theirs, own = (tuple(int(part) for part in text.split(".")[:2]) for text in (server, VERSION))
    except ValueError:
        return
    if theirs > own:
        logger.warning("The server has version %s, newer than svc-client %s; consider an upgrade", server, VERSION)
