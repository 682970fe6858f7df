"""Changes of records, as the server sends them."""

from __future__ import annotations

import json
from typing import Any, AsyncGenerator, AsyncIterator, Sequence

from .transport import AsyncTransport


async def changes_of(transport: AsyncTransport, topics: Sequence[str]) -> AsyncGenerator[dict[str, Any] | None, None]:
    """Subscribes to topics such as ``quantum_jobs/*`` and yields each change.

    Yields None once the subscription is confirmed: what has changed before is to be read.

    Raises:
        SvcError: the connection is lost, or nothing has come for a minute.
    """
    async with transport.stream("/api/realtime") as stream:
        async for event, data in _messages(stream.lines()):
            content = json.loads(data)
            if event != "PB_CONNECT":
                yield content
                continue
            body = {"clientId": content["clientId"], "subscriptions": list(topics)}
            await transport.request("POST", "/api/realtime", body=body, is_repeatable=True)
            yield None


async def _messages(lines: AsyncIterator[str]) -> AsyncGenerator[tuple[str, str], None]:
    """The messages of a stream of server-sent events (HTML standard, section 9.2)."""
    event = "message"
    data: list[str] = []
    async for line in lines:
        if line == "":
            if data:
                yield event, "\n".join(data)
            event, data = "message", []
            continue
        field, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if field == "event":
            event = value
        elif field == "data":
            data.append(value)
