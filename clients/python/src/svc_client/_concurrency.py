"""What asynchronous and synchronous code need of events and time, under corresponding names.

``scripts/unasync.py`` turns ``AsyncEvent`` into ``Event`` and so on. The synchronous side uses threads only: it never
touches an event loop, so it works inside of one, such as in a notebook.
"""

from __future__ import annotations

import asyncio
import threading
import time


class AsyncEvent:
    """A flag that tasks of one event loop wait for."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def set(self) -> None:
        """Wakes who waits."""
        self._event.set()

    def clear(self) -> None:
        """Lets the next wait begin."""
        self._event.clear()

    def is_set(self) -> bool:
        """Whether it was set and not cleared."""
        return self._event.is_set()

    async def wait(self, timeout: float | None = None) -> bool:
        """Waits until it is set, or for ``timeout`` seconds; returns whether it is set."""
        try:
            await asyncio.wait_for(self._event.wait(), timeout)
        except asyncio.TimeoutError:
            return False
        return True


Event = threading.Event

async_sleep = asyncio.sleep
sleep = time.sleep
