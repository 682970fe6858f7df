"""What superusers do."""

from __future__ import annotations

import uuid
from typing import Any, cast

from .. import _wire as wire
from .transport import AsyncTransport, segment


class AsyncAdmin:
    """QPUs, drivers, the queue, calibrations and balances. Fields have the names of the HTTP interface."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create_qpu(self, name: str, **fields: Any) -> wire.QpuRegistration:
        """Registers a QPU with its process driver; the access token is in this response only."""
        return cast("wire.QpuRegistration", await self._post("qpus/create", {"name": name, **fields}))

    async def toggle_qpu(self, id: str, enabled: bool, **fields: Any) -> wire.QpuSwitch:
        """Enables or disables a QPU; disabling disconnects its drivers."""
        return cast("wire.QpuSwitch", await self._post("qpu/toggle", {"id": id, "enabled": enabled, **fields}))

    async def delete_qpu(self, id: str, **fields: Any) -> dict[str, Any]:
        """Deletes a QPU with its drivers, or nothing if jobs for it are unfinished."""
        return cast("dict[str, Any]", await self._post("qpu/delete", {"id": id, **fields}))

    async def set_maintenance(self, id: str, maintenance: bool, **fields: Any) -> wire.Qpu:
        """Starts or ends maintenance: jobs wait meanwhile. ``reason`` and ``until`` are shown to users."""
        return cast("wire.Qpu", await self._post("qpu/maintenance", {"id": id, "maintenance": maintenance, **fields}))

    async def drain(self, id: str, drain: bool = True, **fields: Any) -> wire.DrainedQpu:
        """Lets a QPU take no further job, or take jobs again."""
        return cast("wire.DrainedQpu", await self._post("qpu/drain", {"id": id, "drain": drain, **fields}))

    async def create_driver(self, name: str, **fields: Any) -> wire.DriverRegistration:
        """Registers a driver; the access token is in this response only."""
        return cast("wire.DriverRegistration", await self._post("drivers/create", {"name": name, **fields}))

    async def toggle_driver(self, id: str, enabled: bool, **fields: Any) -> wire.DriverSwitch:
        """Enables or disables a driver."""
        return cast("wire.DriverSwitch", await self._post("drivers/toggle", {"id": id, "enabled": enabled, **fields}))

    async def calibrate(
        self, driver_id: str, mode: str, *, idempotency_key: str | None = None, **fields: Any
    ) -> wire.CalibrationRequest:
        """Queues a calibration; the same key queues it once."""
        body = {"driver_id": driver_id, "mode": mode, **fields}
        headers = {"Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        path = "/api/op/calibrate/dispatch"
        request = await self._transport.request("POST", path, body=body, headers=headers, is_repeatable=True)
        return cast("wire.CalibrationRequest", request)

    async def resume_calibration(
        self, request: str, *, idempotency_key: str | None = None
    ) -> wire.CalibrationRequest:
        """Continues a calibration that was stopped or failed, without its finished steps."""
        headers = {"Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        path = "/api/op/calibrate/dispatch"
        body = {"resume": request}
        made = await self._transport.request("POST", path, body=body, headers=headers, is_repeatable=True)
        return cast("wire.CalibrationRequest", made)

    async def hold(self, job: str, reason: str = "") -> wire.Job:
        """Keeps a pending job from running."""
        return await self._of_job(job, "hold", {"reason": reason})

    async def release(self, job: str) -> wire.Job:
        """Lets a held job run."""
        return await self._of_job(job, "release", {})

    async def run_next(self, job: str) -> wire.Job:
        """Lets a pending job run before all others."""
        return await self._of_job(job, "run-next", {})

    async def requeue(self, job: str, **fields: Any) -> wire.Job:
        """Queues a running job again."""
        return await self._of_job(job, "requeue", fields)

    async def move(self, job: str, qpu: str, **fields: Any) -> wire.Job:
        """Moves a pending job to another QPU."""
        return await self._of_job(job, "move", {"qpu": qpu, **fields})

    async def set_balance(self, user: str, qpu_seconds: float) -> wire.User:
        """Sets the balance of a user."""
        path = f"/api/admin/users/{segment(user)}"
        body = {"qpu_seconds": qpu_seconds}
        return cast("wire.User", await self._transport.request("PATCH", path, body=body, is_repeatable=True))

    async def _post(self, name: str, body: dict[str, Any]) -> Any:
        return await self._transport.request("POST", f"/api/op/{name}", body=body)

    async def _of_job(self, job: str, action: str, body: dict[str, Any]) -> wire.Job:
        return cast("wire.Job", await self._post(f"jobs/{segment(str(job))}/{action}", body))
