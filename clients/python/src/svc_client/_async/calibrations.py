"""Reports of calibrations."""

from __future__ import annotations

import json

from .._calibration import CalibrationReport
from .._errors import NotFoundError
from .collection import AsyncCollection
from .transport import AsyncTransport


class AsyncCalibrations:
    """The reports of calibrations and of drift checks."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._reports = AsyncCollection(transport, "calibration_results")

    async def get(self, id: str) -> CalibrationReport:
        """The report with this id, or the newest one of the calibration request with it.

        Raises:
            NotFoundError: there is no such report, or not yet.
        """
        try:
            return CalibrationReport.of(await self._reports.get(id))
        except NotFoundError:
            filter = f"request = {json.dumps(id)}"
            page = await self._reports.list(filter=filter, sort="-finished_at", per_page=1)
            if not page.items:
                raise
            return CalibrationReport.of(page.items[0])
