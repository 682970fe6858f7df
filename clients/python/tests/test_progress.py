"""What a wait shows."""

from __future__ import annotations

import io
import sys
import types
from typing import Any

import pytest
from programs import BELL
from service import Service, until
from svc_client import SvcClient
from svc_client._progress import Progress, progress_of

PENDING = {
    "id": "aaaaaaaaaaaaaaa",
    "status": "pending",
    "waiting": {"code": "ahead_in_queue", "text": "ahead in the queue: 3 jobs"},
    "queue_position": 4,
}
DONE = {"id": "aaaaaaaaaaaaaaa", "status": "completed", "duration": 0.5, "charged_seconds": 0.5}


class Display:
    def __init__(self) -> None:
        self.shown: list[tuple[str, float]] = []
        self.is_closed = False

    def draw(self, text: str, share: float) -> None:
        self.shown.append((text, share))

    def close(self) -> None:
        self.is_closed = True


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("svc_client._progress._QUIET_FOR", 0)


def test_one_job_is_shown_with_its_reason_and_end() -> None:
    display = Display()
    progress = Progress([PENDING], display)
    progress.show({"id": PENDING["id"], "status": "running"})
    progress.show(DONE)
    progress.close()
    texts = [text for text, _ in display.shown]
    assert texts[0].startswith("Job aaaaaaaaaaaaaaa: running, 0 s")
    assert texts[-1] == "Job aaaaaaaaaaaaaaa: completed in 0.5 s, charged 0.5 s"
    assert display.shown[-1][1] == 1 and display.is_closed


def test_the_reason_and_the_elapsed_time_are_rewritten_while_nothing_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("svc_client._progress._REDRAW", 0.01)
    display = Display()
    progress = Progress([PENDING], display)
    until("it is redrawn", lambda: len(display.shown) > 3)
    progress.close()
    assert "pending, ahead in the queue: 3 jobs" in display.shown[0][0]


def test_many_jobs_are_counted() -> None:
    progress = Progress([PENDING, {**PENDING, "id": "b"}, {**DONE, "id": "c"}], Display())
    assert progress.text() == "1 of 3 jobs done, 2 pending"
    progress.close()


def test_a_lost_connection_is_shown_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    progress = Progress([PENDING], Display())
    progress.fail("https://svc.lab.example", ConnectionError())
    assert "no connection" not in progress.text()
    monkeypatch.setattr("svc_client._progress._SILENT_FAILURES", 0)
    assert progress.text() == "no connection to https://svc.lab.example for 0 s"
    progress.show(PENDING)
    assert "no connection" not in progress.text()
    progress.close()


def test_it_is_silent_unless_somebody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert progress_of([PENDING], None) is None
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert progress_of([PENDING], False) is None
    monkeypatch.setenv("SVC_PROGRESS", "0")
    assert progress_of([PENDING], None) is None
    monkeypatch.delenv("SVC_PROGRESS")
    shown = progress_of([PENDING], None)
    assert shown is not None
    shown.close()


def test_a_terminal_has_one_line_that_is_rewritten(
    service: Service, svc: SvcClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    job = svc.submit_job(BELL, shots=5, qpu="kelvin")
    job.result()
    svc.wait([svc.submit_job(BELL, shots=5, qpu="kelvin") for _ in range(3)])
    svc.run(BELL, shots=5, qpu="kelvin", progress=False)
    one, many, rest = terminal.getvalue().split("\n")
    assert one.split("\r\x1b[2K")[-1].startswith(f"Job {job.id}: completed in ")
    assert many.endswith("3 of 3 jobs done") and rest == ""


def test_a_notebook_has_a_bar(svc: SvcClient, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []

    class Handle:
        def update(self, content: str) -> None:
            shown.append(content)

    def display(content: str, **options: Any) -> Handle:
        assert options == {"display_id": True}
        shown.append(content)
        return Handle()

    ipython, part = types.ModuleType("IPython"), types.ModuleType("IPython.display")
    shell = type("ZMQInteractiveShell", (), {})()
    ipython.get_ipython = lambda: shell  # type: ignore[attr-defined]
    part.HTML, part.display = str, display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", part)
    svc.run(BELL, shots=5, qpu="kelvin")
    assert shown[-1].startswith('<progress value="1.000" max="1"></progress> Job ')
