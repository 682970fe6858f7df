"""What asynchronous and synchronous code need of tasks, threads and time, under corresponding names.

``scripts/unasync.py`` turns ``AsyncEvent`` into ``Event`` and so on. The synchronous side uses threads only: it never
touches an event loop, so it works inside of one, such as in a notebook.
"""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any, Callable, Coroutine


class AsyncEvent:
    """A flag that tasks of one event loop wait for."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def set(self) -> None:
        self._event.set()

    def clear(self) -> None:
        self._event.clear()

    def is_set(self) -> bool:
        return self._event.is_set()

    async def wait(self, timeout: float | None = None) -> bool:
        """Waits until it is set, or for ``timeout`` seconds; returns whether it is set."""
        try:
            await asyncio.wait_for(self._event.wait(), timeout)
        except asyncio.TimeoutError:
            return False
        return True


Event = threading.Event

AsyncLock = asyncio.Lock
Lock = threading.Lock


class AsyncTask:
    """A task of the running event loop."""

    def __init__(self, function: Callable[..., Coroutine[Any, Any, None]], *args: Any) -> None:
        self._task = asyncio.get_running_loop().create_task(function(*args))

    def stop(self) -> None:
        """Cancels it."""
        self._task.cancel()


class Task:
    """A daemon thread."""

    def __init__(self, function: Callable[..., None], *args: Any) -> None:
        self._thread = threading.Thread(target=function, args=args, name="svc_client", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """A thread cannot be cancelled; it ends when its stream is interrupted or its event is set."""


async_sleep = asyncio.sleep
sleep = time.sleep
