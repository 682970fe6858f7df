"""What Ctrl+C prints while a request is on its way or a job is awaited: one line in place of a traceback."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from types import TracebackType
from typing import Callable, Collection, Iterator

_LINE = "_svc_client_line"


@contextmanager
def interrupted_with(text: Callable[[], str]) -> Iterator[None]:
    """Lets a program or a notebook that Ctrl+C ends within this context show the line of ``text``.

    The exception is still ``KeyboardInterrupt``, and the exit status that of Python.
    """
    try:
        yield
    except KeyboardInterrupt as error:
        line = text()
        setattr(error, _LINE, line)
        # Of notebooks.
        setattr(error, "_render_traceback_", lambda: [line])
        if getattr(sys.excepthook, "__module__", None) != __name__:
            sys.excepthook = _showing_lines(sys.excepthook)
        raise


def going_on(ids: Collection[str]) -> str:
    """Where the results of jobs are found that nobody waits for any more."""
    if len(ids) == 1:
        (id,) = ids
        return f'job {id} goes on; its result: client.job("{id}").result()'
    return f"{len(ids)} jobs go on; client.jobs() finds them"


_Hook = Callable[[type[BaseException], BaseException, "TracebackType | None"], object]


def _showing_lines(before: _Hook) -> _Hook:
    """Shows exceptions as before, but for those that have a line."""

    def show(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        line = getattr(error, _LINE, None)
        if line is None:
            before(kind, error, trace)
        else:
            print(line, file=sys.stderr)

    return show
