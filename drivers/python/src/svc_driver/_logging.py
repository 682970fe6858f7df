"""Records of ``logging`` as log lines of the driver."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
_MAX_TEXT = 16_384


class _Forwarder(logging.Handler):
    def __init__(self, send: Callable[[dict[str, Any]], None]) -> None:
        super().__init__()
        self._send = send
        self._format = logging.Formatter()

    def emit(self, record: logging.LogRecord) -> None:
        try:
            fields: dict[str, Any] = {
                key: value if isinstance(value, (str, int, bool)) else str(value)
                for key, value in vars(record).items()
                if key not in _STANDARD
            }
            if record.exc_info:
                fields["error"] = self._format.formatException(record.exc_info)[-_MAX_TEXT:]
            message = f"{record.name}: {record.getMessage()}" if record.name != "svc_driver" else record.getMessage()
            self._send({"m": "log", "level": level_of(record.levelno), "message": message[:_MAX_TEXT], "fields": fields})
        except Exception:
            self.handleError(record)


def level_of(number: int) -> str:
    """The name of the driver's level for a level of ``logging``."""
    if number >= logging.ERROR:
        return "error"
    if number >= logging.WARNING:
        return "warn"
    return "info" if number >= logging.INFO else "debug"


def forward_logs(send: Callable[[dict[str, Any]], None]) -> None:
    """Sends every record to the driver; ``extra`` becomes its fields."""
    root = logging.getLogger()
    root.addHandler(_Forwarder(send))
    root.setLevel(logging.INFO)
    logging.captureWarnings(True)
