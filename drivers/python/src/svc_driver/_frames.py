"""Frames of the protocol ``svc-device``: 4 bytes of length (big-endian), then JSON in UTF-8."""

from __future__ import annotations

import json
import struct
import threading
from collections.abc import Callable
from typing import Any, BinaryIO, cast

MAX_FRAME = 64 * 1024 * 1024

_loads: Callable[[bytes], Any] = json.loads
try:
    # Five times faster for large jobs. It cannot write the messages: it turns NaN into null without a word.
    from orjson import loads as _loads  # type: ignore[import-not-found, no-redef, unused-ignore]
except ImportError:
    pass


class FrameError(Exception):
    """The stream does not follow the protocol; nothing after it can be understood."""


class FrameTooLarge(Exception):
    """A message that is too large to be sent. Nothing was written."""


class UnsendableValue(ValueError):
    """A value that JSON cannot represent, and where it is: ``circuit_results.0.memory.3``."""

    def __init__(self, path: str) -> None:
        super().__init__(f"not a finite number at {path}")
        self.path = path


def plain(value: Any) -> Any:
    """Arrays and scalars of NumPy as lists and numbers; called by the encoder for what it does not know."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(type(value).__name__)


def unsendable_path(value: Any, path: str = "") -> str | None:
    """Where in ``value`` something is that JSON cannot represent; None when there is nothing."""
    if value is None or isinstance(value, (str, bool, int)):
        return None
    if isinstance(value, float):
        return None if value - value == 0 else path
    if isinstance(value, dict):
        entries = [(str(key), item) for key, item in value.items()]
    elif isinstance(value, (list, tuple)):
        entries = [(str(index), item) for index, item in enumerate(value)]
    else:
        try:
            return unsendable_path(plain(value), path)
        except TypeError:
            return path
    for key, item in entries:
        found = unsendable_path(item, f"{path}.{key}" if path else key)
        if found is not None:
            return found
    return None


def encode(message: dict[str, Any]) -> bytes:
    """The JSON text of a message.

    Raises `UnsendableValue` naming the first value that JSON cannot represent, and `FrameTooLarge`.
    """
    try:
        body = json.dumps(message, allow_nan=False, default=plain, separators=(",", ":")).encode()
    except (ValueError, TypeError, RecursionError):
        raise UnsendableValue(unsendable_path(message) or "the message") from None
    if len(body) > MAX_FRAME:
        raise FrameTooLarge(f"{len(body)} bytes")
    return body


class FrameWriter:
    """Writes messages; safe for any number of threads."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    def send(self, message: dict[str, Any]) -> None:
        """Writes one message; raises as `encode`, and `OSError` when the host is gone."""
        body = encode(message)
        with self._lock:
            self._stream.write(struct.pack(">I", len(body)))
            self._stream.write(body)
            self._stream.flush()


def read_frame(stream: BinaryIO) -> dict[str, Any] | None:
    """The next message; None at the end of the stream. Raises `FrameError` for anything that is no message."""
    head = _read(stream, 4)
    if not head:
        return None
    if len(head) < 4:
        raise FrameError("the stream ends in a length")
    (length,) = struct.unpack(">I", head)
    if length > MAX_FRAME:
        raise FrameError(f"a frame of {length} bytes; at most {MAX_FRAME} are allowed")
    body = _read(stream, length)
    if len(body) < length:
        raise FrameError("the stream ends in a frame")
    try:
        message = _loads(body)
    except (ValueError, RecursionError) as error:
        raise FrameError("a frame is not JSON") from error
    if not isinstance(message, dict) or not isinstance(message.get("m"), str):
        raise FrameError("a frame is not a message: it has no m")
    return cast("dict[str, Any]", message)


def _read(stream: BinaryIO, size: int) -> bytes:
    """``size`` bytes, or fewer at the end of the stream."""
    parts = []
    while size > 0:
        part = stream.read(size)
        if not part:
            break
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
