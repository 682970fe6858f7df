"""What a wait shows meanwhile: one line that is rewritten in a terminal, a bar in a notebook, nothing elsewhere."""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from contextlib import contextmanager
from html import escape
from typing import Any, Iterable, Iterator, Mapping, Protocol, TextIO

from ._models import describe, has_ended

# Shorter waits show nothing.
_QUIET_FOR = 0.5
_REDRAW = 1.0
# Requests without a response for longer than this are mentioned.
_NOTICE_AFTER = 3.0
# Failures that last longer than this are shown.
_SILENT_FAILURES = 10.0


class _Display(Protocol):
    def draw(self, text: str, share: float) -> None: ...
    def close(self) -> None: ...


class Progress:
    """Shows the state of awaited jobs."""

    def __init__(self, jobs: Iterable[Mapping[str, Any]], display: _Display) -> None:
        self._jobs = {str(job["id"]): job for job in jobs}
        self._display = display
        self._started = time.monotonic()
        self._failing: tuple[float, str] | None = None
        self._drawn = False
        self._lock = threading.Lock()
        self._stop = threading.Event()
        # The elapsed time goes on while the waiting request is held.
        threading.Thread(target=self._redraw, name="svc_client progress", daemon=True).start()

    def show(self, job: Mapping[str, Any]) -> None:
        """Takes in a job that was read."""
        with self._lock:
            self._jobs[str(job["id"])] = {**self._jobs.get(str(job["id"]), {}), **job}
            self._failing = None
        self._draw()

    def fail(self, address: str, error: Exception) -> None:
        """Takes in a failure that does not end the wait."""
        with self._lock:
            since = self._failing[0] if self._failing else time.monotonic()
            self._failing = (since, address)
        self._draw()

    def close(self) -> None:
        """Shows the last state, and ends the line."""
        self._stop.set()
        self._draw()
        with self._lock:
            if self._drawn:
                self._display.close()

    def text(self) -> str:
        """The present state in one line."""
        if self._failing and time.monotonic() - self._failing[0] >= _SILENT_FAILURES:
            return f"no connection to {self._failing[1]} for {time.monotonic() - self._failing[0]:.0f} s"
        if len(self._jobs) == 1:
            ((id, job),) = self._jobs.items()
            elapsed = f", {time.monotonic() - self._started:.0f} s" if not has_ended(str(job["status"])) else ""
            return f"Job {id}: {describe(job)}{elapsed}"
        statuses = [str(job["status"]) for job in self._jobs.values()]
        parts = [f"{statuses.count(each)} {each}" for each in dict.fromkeys(statuses) if not has_ended(each)]
        return ", ".join([f"{sum(map(has_ended, statuses))} of {len(statuses)} jobs done", *parts])

    def _share(self) -> float:
        return sum(has_ended(str(job["status"])) for job in self._jobs.values()) / max(1, len(self._jobs))

    def _redraw(self) -> None:
        while not self._stop.wait(_REDRAW):
            self._draw()

    def _draw(self) -> None:
        with self._lock:
            if not self._drawn and time.monotonic() - self._started < _QUIET_FOR:
                return
            self._drawn = True
            self._display.draw(self.text(), self._share())


class _Terminal:
    """One line, rewritten."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def draw(self, text: str, share: float) -> None:
        columns = shutil.get_terminal_size().columns
        self._out.write(f"\r\x1b[2K{text[: columns - 1]}")
        self._out.flush()

    def close(self) -> None:
        self._out.write("\n")
        self._out.flush()


class _Notebook:
    """A bar and a line below the cell."""

    def __init__(self) -> None:
        self._handle: Any = None

    def draw(self, text: str, share: float) -> None:
        from IPython.display import HTML, display  # type: ignore[import-not-found, unused-ignore]  # noqa: PLC0415

        content = HTML(f'<progress value="{share:.3f}" max="1"></progress> {escape(text)}')
        if self._handle is None:
            self._handle = display(content, display_id=True)
        else:
            self._handle.update(content)

    def close(self) -> None:
        """The bar stays as it is."""


class Notice:
    """Says once, on a line of its own, that something does not respond.

    Attributes:
        reason: why, as far as is known by now.
    """

    def __init__(self, what: str, address: str, within: float) -> None:
        self.reason = f"No response from {address}"
        self._text = f"{what} is repeated for up to {_duration(within)}; Ctrl+C ends that"

    def say(self) -> None:
        """Writes the line."""
        sys.stderr.write(f"{self.reason}. {self._text}\n")
        sys.stderr.flush()


@contextmanager
def notice_of(what: str, address: str, within: float) -> Iterator[Notice]:
    """A notice that is said, on a terminal or in a notebook, if this context lasts longer than ``_NOTICE_AFTER`` s."""
    notice = Notice(what, address, within)
    timer = threading.Timer(_NOTICE_AFTER, notice.say) if _is_watched() else None
    if timer is not None:
        timer.daemon = True
        timer.start()
    try:
        yield notice
    finally:
        if timer is not None:
            timer.cancel()


def say(text: str) -> None:
    """Writes a line on a terminal or in a notebook."""
    if _is_watched():
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


def _duration(seconds: float) -> str:
    return f"{seconds:g} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def progress_of(jobs: Iterable[Mapping[str, Any]], wanted: bool | None) -> Progress | None:
    """The display for a wait; None to be silent.

    Args:
        wanted: False = silent, True = show in any case, None = in a terminal or a notebook, unless ``SVC_PROGRESS=0``.
    """
    if wanted is False or (wanted is None and not _is_watched()):
        return None
    return Progress(jobs, _Notebook() if _in_notebook() else _Terminal(sys.stderr))


def _is_watched() -> bool:
    """Whether a person sees what is written: in a terminal or a notebook, unless ``SVC_PROGRESS=0``."""
    return os.environ.get("SVC_PROGRESS") != "0" and (_in_notebook() or sys.stderr.isatty())


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return type(shell).__name__ == "ZMQInteractiveShell"
