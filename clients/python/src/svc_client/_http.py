"""All that this package needs of HTTP. The only file that knows ``httpx``."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import os
import re
import socket
import ssl
import threading
import weakref
from dataclasses import dataclass
from typing import AsyncGenerator, Generator, Iterator, Mapping, TypeAlias

import httpx

from ._concurrency import AsyncLocal, Local

# A transport of httpx, such as one for proxies or tests.
SyncTransport: TypeAlias = httpx.BaseTransport
AsyncTransport: TypeAlias = httpx.AsyncBaseTransport

# Connections that were not established: the request has not left.
_UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)
# A stream on which nothing comes for longer than this is dead, in s; the server sends a comment every 20 s.
_STREAM_SILENCE = 60.0


@dataclass(frozen=True)
class Timeout:
    """Limits of one attempt, in seconds: to connect, and between two pieces of the response."""

    connect: float = 5.0
    read: float = 75.0


@dataclass(frozen=True)
class Response:
    """A whole response. The names of ``headers`` are in lower case."""

    status: int
    reason: str
    headers: Mapping[str, str]
    body: bytes


class NoResponse(Exception):
    """There is no response, or only a part of it."""

    def __init__(self, text: str, *, maybe_done: bool, is_definite: bool = False) -> None:
        super().__init__(text)
        self.maybe_done = maybe_done
        # No server has the name, or its certificate is not trusted.
        self.is_definite = is_definite


class ClosedError(RuntimeError):
    """The client was closed before."""

    def __init__(self) -> None:
        super().__init__("The client is closed; make another one")


@contextlib.contextmanager
def _network_errors() -> Iterator[None]:
    try:
        yield
    except (httpx.TransportError, httpx.DecodingError, httpx.StreamError) as error:
        text, is_unsent = str(error) or type(error).__name__, isinstance(error, _UNSENT)
        raise NoResponse(text, maybe_done=not is_unsent, is_definite=is_unsent and _is_definite(error)) from error


def _is_definite(error: BaseException | None) -> bool:
    """Whether a connection was not established for a reason that lasts."""
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return True
        if isinstance(error, ssl.SSLError):
            # What responds does not speak TLS.
            return error.reason == "WRONG_VERSION_NUMBER"
        if isinstance(error, socket.gaierror):
            # Other failures, such as EAI_AGAIN, are those of the network of this machine.
            return error.errno in (socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME))
        error = error.__cause__ or error.__context__
    return False


def _downloaded_root(response: httpx.Response, address: str) -> str:
    """The root certificate that the server offers. Raises NoResponse if it does not respond with one yet."""
    if response.is_server_error or response.status_code == 429:
        text = f"{address} responded {response.status_code} when it was asked for its root CA"
        raise NoResponse(text, maybe_done=False)
    return response.text


def _limits(timeout: Timeout, read: float | None) -> httpx.Timeout:
    read = timeout.read if read is None else min(read, timeout.read)
    return httpx.Timeout(connect=min(timeout.connect, read), read=read, write=read, pool=None)


def _context(ca_file: str | None) -> ssl.SSLContext | bool:
    if ca_file is None:
        return True
    context = ssl.create_default_context()
    context.load_verify_locations(ca_file)
    return context


def _pinned_context(pem: str, pin: str, address: str) -> ssl.SSLContext:
    """Trusts this root certificate alone, if it has the pinned SHA-256 fingerprint."""
    wanted = re.sub(r"[:\s]", "", pin).lower()
    if not re.fullmatch(r"[0-9a-f]{64}", wanted):
        raise ValueError(f'"{pin}" is not a SHA-256 fingerprint; write its 32 bytes as 64 hexadecimal digits')
    try:
        found = hashlib.sha256(ssl.PEM_cert_to_DER_cert(pem.strip())).hexdigest()
    except ValueError:
        found = ""
    if not hmac.compare_digest(found, wanted):
        name = f"a root CA with fingerprint {found}" if found else "no readable root CA"
        raise ValueError(f"The server at {address} has {name}, but ca_fingerprint pins {wanted}; no token was sent")
    return ssl.create_default_context(cadata=pem)


_ROOT_CA = "/api/pub/root-ca.pem"
_POOL = httpx.Limits(max_connections=None, max_keepalive_connections=20, keepalive_expiry=5.0)


class ForeignTransportError(RuntimeError):
    """A transport that the caller gave is used where its connections are not."""

    def __init__(self, where: str) -> None:
        super().__init__(f"The transport of this client belongs to another {where}; make a client in each {where}")


def _has_connections(transport: SyncTransport | AsyncTransport | None) -> bool:
    return transport is not None and not isinstance(transport, httpx.MockTransport)


class AsyncHttp:
    """Sends requests without blocking the event loop; each loop has connections of its own."""

    def __init__(
        self,
        timeout: Timeout,
        *,
        ca_file: str | None = None,
        ca_fingerprint: str | None = None,
        transport: AsyncTransport | None = None,
    ) -> None:
        self._timeout = timeout
        self._transport = transport
        self._pin = None if transport else ca_fingerprint
        # None until the pinned root certificate was downloaded.
        self._verify = None if self._pin else _context(ca_file)
        self._clients = AsyncLocal(self._make)
        # Process and loop that have used the transport.
        self._owner: tuple[int, asyncio.AbstractEventLoop] | None = None
        self._is_closed = False

    async def send(
        self, method: str, address: str, path: str, headers: Mapping[str, str], body: bytes | None, read: float | None
    ) -> Response:
        """Sends a request to ``address`` and reads its response. Raises NoResponse."""
        client = await self._connected(address)
        limits = _limits(self._timeout, read)
        with _network_errors():
            got = await client.request(method, address + path, headers=headers, content=body, timeout=limits)
        return Response(got.status_code, got.reason_phrase, got.headers, got.content)

    async def open(self, address: str, path: str, headers: Mapping[str, str]) -> AsyncHttpStream:
        """Opens a response without end. Raises NoResponse."""
        client = await self._connected(address)
        limits = httpx.Timeout(connect=self._timeout.connect, read=_STREAM_SILENCE, write=self._timeout.read, pool=None)
        request = client.build_request("GET", address + path, headers=headers, timeout=limits)
        with _network_errors():
            response = await client.send(request, stream=True)
            if not response.is_success:
                await response.aread()
        return AsyncHttpStream(response)

    async def aclose(self) -> None:
        """Closes all connections."""
        self._is_closed = True
        client = self._clients.made()
        if client is not None:
            await client.aclose()

    def _make(self) -> httpx.AsyncClient:
        here = os.getpid(), asyncio.get_running_loop()
        if _has_connections(self._transport) and self._owner not in (None, here):
            raise ForeignTransportError("event loop")
        self._owner = here
        return httpx.AsyncClient(verify=self._verify or True, transport=self._transport, limits=_POOL)

    async def _connected(self, address: str) -> httpx.AsyncClient:
        if self._is_closed:
            raise ClosedError
        if self._verify is None:
            with _network_errors():
                async with httpx.AsyncClient(verify=False) as download:
                    got = await download.get(address + _ROOT_CA, timeout=_limits(self._timeout, None))
            self._verify = _pinned_context(_downloaded_root(got, address), self._pin or "", address)
        return self._clients.get()


class AsyncHttpStream:
    """A response that is read line by line as it arrives."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response

    @property
    def failure(self) -> Response | None:
        """The response, unless it is a success."""
        got = self._response
        if got.is_success:
            return None
        return Response(got.status_code, got.reason_phrase, got.headers, got.content)

    async def lines(self) -> AsyncGenerator[str, None]:
        """Its lines, until the server or ``aclose`` ends it. Raises NoResponse."""
        with _network_errors():
            async for line in self._response.aiter_lines():
                yield line

    async def aclose(self) -> None:
        """Closes the connection."""
        await self._response.aclose()


class _Connections:
    """Those of one process, and how many threads use them."""

    def __init__(self, client: httpx.Client) -> None:
        self.client = client
        # The last user closes them. Otherwise a thread might go on to read from a number of a file that by then belongs
        # to another connection.
        self.users = 0
        self.lock = threading.Lock()


class Http:
    """Sends requests and blocks meanwhile; several threads may use it, and each process has its own connections."""

    def __init__(
        self,
        timeout: Timeout,
        *,
        ca_file: str | None = None,
        ca_fingerprint: str | None = None,
        transport: SyncTransport | None = None,
    ) -> None:
        self._timeout = timeout
        self._transport = transport
        self._pin = None if transport else ca_fingerprint
        self._verify = None if self._pin else _context(ca_file)
        self._connections = Local(self._make)
        # Process that has used the transport.
        self._owner: int | None = None
        self._is_closed = False

    def send(
        self, method: str, address: str, path: str, headers: Mapping[str, str], body: bytes | None, read: float | None
    ) -> Response:
        """Sends a request to ``address`` and reads its response. Raises NoResponse."""
        limits = _limits(self._timeout, read)
        with self._use(address) as client, _network_errors():
            got = client.request(method, address + path, headers=headers, content=body, timeout=limits)
        return Response(got.status_code, got.reason_phrase, got.headers, got.content)

    def open(self, address: str, path: str, headers: Mapping[str, str]) -> HttpStream:
        """Opens a response without end. Raises NoResponse."""
        limits = httpx.Timeout(connect=self._timeout.connect, read=_STREAM_SILENCE, write=self._timeout.read, pool=None)
        with contextlib.ExitStack() as stack:
            client = stack.enter_context(self._use(address))
            with _network_errors():
                request = client.build_request("GET", address + path, headers=headers, timeout=limits)
                response = client.send(request, stream=True)
                if not response.is_success:
                    response.read()
            return HttpStream(response, stack.pop_all())

    def close(self) -> None:
        """Closes all connections, those in use when their threads have finished."""
        self._is_closed = True
        own = self._connections.made()
        if own is not None:
            with own.lock:
                if own.users == 0:
                    own.client.close()

    @contextlib.contextmanager
    def _use(self, address: str) -> Iterator[httpx.Client]:
        if self._is_closed:
            raise ClosedError
        if self._verify is None:
            self._verify = self._pinned(address)
        own = self._connections.get()
        with own.lock:
            if self._is_closed:
                raise ClosedError
            own.users += 1
        try:
            yield own.client
        finally:
            with own.lock:
                own.users -= 1
                if self._is_closed and own.users == 0:
                    own.client.close()

    def _make(self) -> _Connections:
        if _has_connections(self._transport) and self._owner not in (None, os.getpid()):
            raise ForeignTransportError("process")
        self._owner = os.getpid()
        return _Connections(httpx.Client(verify=self._verify or True, transport=self._transport, limits=_POOL))

    def _pinned(self, address: str) -> ssl.SSLContext:
        with _network_errors():
            with httpx.Client(verify=False) as download:
                got = download.get(address + _ROOT_CA, timeout=_limits(self._timeout, None))
        return _pinned_context(_downloaded_root(got, address), self._pin or "", address)


def close_at_end(owner: object, http: Http | AsyncHttp) -> None:
    """Closes the connections of a client that nobody uses any more, or at the end of the program."""
    # Those of an asynchronous client belong to a loop that has ended by then.
    if isinstance(http, Http):
        weakref.finalize(owner, http.close)


class HttpStream:
    """A response that is read line by line as it arrives."""

    def __init__(self, response: httpx.Response, use: contextlib.ExitStack) -> None:
        self._response = response
        self._use = use

    @property
    def failure(self) -> Response | None:
        """The response, unless it is a success."""
        got = self._response
        if got.is_success:
            return None
        return Response(got.status_code, got.reason_phrase, got.headers, got.content)

    def lines(self) -> Generator[str, None, None]:
        """Its lines, until the server or ``close`` ends it. Raises NoResponse."""
        with _network_errors():
            yield from self._response.iter_lines()

    def close(self) -> None:
        """Closes the connection."""
        with self._use:
            self._response.close()
