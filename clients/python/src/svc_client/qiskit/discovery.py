"""Finding a QPU."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

from .._models import Qpu, time_of
from .._sync.transport import segment
from .backend import SvcBackend

if TYPE_CHECKING:
    from .._sync.client import SvcClient

# How far ahead a start is searched for.
_HORIZON = timedelta(days=7)
# Jobs of a queue that are read.
_QUEUED = 100


def backends(
    client: SvcClient,
    name: str | None = None,
    min_num_qubits: int | None = None,
    filters: Callable[[SvcBackend], bool] | None = None,
    *,
    simulator: bool | None = None,
    operational: bool | None = None,
    dynamic_circuits: bool | None = None,
) -> list[SvcBackend]:
    """The QPUs as backends, by their names.

    Args:
        client: the client of their server.
        name: only the QPU of this name.
        min_num_qubits: only those with at least so many qubits.
        filters: what a backend has to satisfy.
        simulator: only simulators, or none.
        operational: only those that run jobs now, or those that do not.
        dynamic_circuits: only those that run ``if`` statements, or those that do not.
    """
    listed = [each for each in client.qpus() if name is None or each.name == name.replace("-", "_")]
    found = [
        SvcBackend(client, each)
        for each in listed
        if each.num_qubits >= (min_num_qubits or 0) and (operational is None or operational == (each.reason is None))
    ]
    return sorted(
        (
            each
            for each in found
            if (simulator is None or simulator == each.simulator)
            and (dynamic_circuits is None or dynamic_circuits == ("if_else" in each.target.operation_names))
            and (filters is None or filters(each))
        ),
        key=lambda each: str(each.name),
    )


def least_busy(
    client: SvcClient,
    min_num_qubits: int | None = None,
    filters: Callable[[SvcBackend], bool] | None = None,
    *,
    simulator: bool | None = None,
    dynamic_circuits: bool | None = None,
) -> SvcBackend:
    """The QPU that is expected to start a new job first, among those that run jobs now.

    The start follows from the estimates of its queue, and from the slots, calibrations and maintenance of its
    schedule that are not those of the account. Of several that start immediately, the one with fewer queued jobs.

    Args:
        client: the client of their server.
        min_num_qubits, filters, simulator, dynamic_circuits: as of ``backends``.

    Raises:
        ValueError: no QPU that runs jobs now satisfies the conditions.
    """
    conditions = {"simulator": simulator, "dynamic_circuits": dynamic_circuits, "operational": True}
    found = backends(client, None, min_num_qubits, filters, **conditions)
    if not found:
        raise ValueError("No QPU that runs jobs now satisfies the conditions; client.qpus() has the reason of each")
    starts = {each.name: expected_start(client, each.qpu) for each in found}
    return min(found, key=lambda each: (starts[each.name], each.qpu.queue_length, each.name))


def expected_start(client: SvcClient, qpu: Qpu) -> datetime:
    """When a job that is submitted now may start on a QPU at the earliest, in UTC."""
    start = now = datetime.now(timezone.utc)
    path = f"/api/qpus/{segment(qpu.id)}/queue"
    for queued in client._transport.request("GET", path, query={"limit": _QUEUED}) if qpu.queue_length else ():
        estimate = queued.get("estimated_start")
        start = max(start, (time_of(estimate["to"]) if estimate else None) or now)
    busy = [each for each in client.schedule(now, now + _HORIZON) if each.qpu in (None, qpu.id) and not each.mine]
    for each in sorted(busy, key=lambda each: each.start or now):
        if (each.start or now) <= start < (each.end or start):
            start = each.end or start
    return start
