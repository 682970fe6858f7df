"""Records of collections."""

from __future__ import annotations

import json
from typing import Any, AsyncIterator, Mapping
from urllib.parse import quote

from .._concurrency import async_sleep
from .._errors import SvcError, is_temporary
from .._models import Change, RecordPage
from .._retries import backoff, pause_after
from .stream import changes_of
from .transport import AsyncTransport, segment


class AsyncCollection:
    """The records of one collection that the account may see."""

    def __init__(self, transport: AsyncTransport, name: str) -> None:
        self._transport = transport
        self._name = name

    async def list(
        self,
        *,
        filter: str | None = None,
        sort: str | None = None,
        expand: str | None = None,
        fields: str | None = None,
        page: int | None = None,
        after: str | None = None,
        per_page: int | None = None,
        skip_total: bool | None = None,
    ) -> RecordPage:
        """One page of records.

        ``after``, the id of the last record of the page before, replaces ``page``: a page then costs the same however
        deep in the list. ``skip_total`` leaves out the count, which is slow for large collections; ``after`` does too.
        """
        query = {"filter": filter, "sort": sort, "expand": expand, "fields": fields}
        pages = {"page": page, "after": after, "perPage": per_page, "skipTotal": skip_total}
        return RecordPage.of(await self._transport.request("GET", self._path(), query={**query, **pages}))

    async def get(self, id: str, *, expand: str | None = None, fields: str | None = None) -> dict[str, Any]:
        """One record. Raises NotFoundError."""
        return await self._record("GET", self._path(id), query={"expand": expand, "fields": fields})

    async def create(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Creates a record. It is not tried again where that might create two."""
        return await self._record("POST", self._path(), body=dict(fields))

    async def update(self, id: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Changes fields of a record."""
        return await self._record("PATCH", self._path(id), body=dict(fields))

    async def delete(self, id: str) -> None:
        """Deletes a record."""
        await self._transport.request("DELETE", self._path(id))

    async def subscribe(
        self, id: str = "*", *, filter: str | None = None, expand: str | None = None, fields: str | None = None
    ) -> AsyncIterator[Change | None]:
        """Yields changes of records, of one (``id``) or all.

        None comes at the start and after each interruption: what has changed before is not reported, so read then.
        """
        query = {"filter": filter, "expand": expand, "fields": fields}
        given = {key: value for key, value in query.items() if value is not None}
        options = f"?options={quote(json.dumps({'query': given}), safe='')}" if given else ""
        failures = 0
        while True:
            retry_after = 0.0
            try:
                async for change in changes_of(self._transport, [f"{self._name}/{id}{options}"]):
                    failures = 0
                    yield Change(change["action"], change["record"]) if change is not None else None
            except SvcError as error:
                if not is_temporary(error):
                    raise
                retry_after = pause_after(error, 1) if error.retry_after is not None else 0.0
            failures += 1
            await async_sleep(retry_after + backoff(failures))

    async def _record(self, method: str, path: str, **options: Any) -> dict[str, Any]:
        record: dict[str, Any] = await self._transport.request(method, path, **options)
        return record

    def _path(self, id: str | None = None) -> str:
        records = f"/api/collections/{segment(self._name)}/records"
        return records if id is None else f"{records}/{segment(id)}"
