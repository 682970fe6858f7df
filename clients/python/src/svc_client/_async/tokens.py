"""API tokens."""

from __future__ import annotations

from datetime import datetime
from typing import Any, List, Literal

from .._models import ApiToken, NewToken, iso
from .transport import AsyncTransport, segment

Scope = Literal["read", "submit", "all"]


class AsyncTokens:
    """The API tokens of the account."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self, name: str = "", expires_at: datetime | None = None, *, scope: Scope | None = None
    ) -> NewToken:
        """Creates a token; its text is in this response only. ``expires_at`` None = never."""
        body = _body(name=name or None, expires_at=expires_at, scope=scope)
        return NewToken.of(await self._transport.request("POST", "/api/tokens", body=body))

    async def list(self) -> List[ApiToken]:
        """All tokens, without their texts."""
        return [ApiToken.of(raw) for raw in await self._transport.request("GET", "/api/tokens")]

    async def update(
        self, id: str, *, name: str | None = None, expires_at: datetime | None = None, scope: Scope | None = None
    ) -> ApiToken:
        """Changes a token."""
        body = _body(name=name, expires_at=expires_at, scope=scope)
        path = f"/api/tokens/{segment(id)}"
        return ApiToken.of(await self._transport.request("PATCH", path, body=body, is_repeatable=True))

    async def delete(self, id: str) -> None:
        """Deletes a token; it becomes invalid immediately."""
        await self._transport.request("DELETE", f"/api/tokens/{segment(id)}")


def _body(**fields: Any) -> dict[str, Any]:
    given = {key: value for key, value in fields.items() if value is not None}
    return {key: iso(value) if isinstance(value, datetime) else value for key, value in given.items()}
