"""What asynchronous and synchronous code need of events and time, under corresponding names.

``npm run clients`` turns ``AsyncEvent`` into ``Event`` and so on. The synchronous side uses threads only: it never
touches an event loop, so it works inside of one, such as in a notebook.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from typing import Callable, Generic, TypeAlias, TypeVar

ValueT = TypeVar("ValueT")
# A process, and a loop in it.
Key: TypeAlias = "tuple[int, asyncio.AbstractEventLoop | None]"


class Local(Generic[ValueT]):
    """A value of a process: after a fork, the child makes its own.

    What the parent has at that moment is of no use to the child: two processes that read from one connection get
    responses of each other, and nobody releases the locks of other threads.
    """

    def __init__(self, make: Callable[[], ValueT]) -> None:
        self._make = make
        self._values: dict[Key, ValueT] = {}

    def get(self) -> ValueT:
        """The value, which is made at first use."""
        key = self._key()
        if key not in self._values:
            for each in list(self._values):
                if self._is_stale(each):
                    self._values.pop(each, None)
            # Of several threads, one is the first.
            self._values.setdefault(key, self._make())
        return self._values[key]

    def made(self) -> ValueT | None:
        """The value if it was made."""
        return self._values.get(self._key())

    def _key(self) -> Key:
        return os.getpid(), None

    def _is_stale(self, key: Key) -> bool:
        pid, loop = key
        return pid != os.getpid() or (loop is not None and loop.is_closed())


class AsyncLocal(Local[ValueT]):
    """A value of an event loop and a process: connections and events of one loop are of no use in another."""

    def _key(self) -> Key:
        return os.getpid(), asyncio.get_running_loop()


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
