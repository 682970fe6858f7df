"""How often requests are repeated, and after which pauses."""

from __future__ import annotations

import random
from dataclasses import dataclass

from ._errors import SvcError

_FIRST_PAUSE = 0.2
_MAX_RETRY_AFTER = 60.0


@dataclass(frozen=True)
class Retries:
    """Limits of the repetition of one request.

    Attributes:
        tries: attempts in all. One that the server refuses with 429 does not count.
        within: seconds after which no further attempt starts.
    """

    tries: int = 5
    within: float = 60.0


def pause_after(error: SvcError, attempt: int) -> float:
    """Seconds until the next attempt: what the server asks for, or exponential; with jitter in both cases.

    Without jitter, clients that failed together would return together.
    """
    if error.retry_after is not None:
        return min(error.retry_after, _MAX_RETRY_AFTER) * (1 + random.random())
    return random.random() * _FIRST_PAUSE * 2.0**attempt


def backoff(failures: int, limit: float = 10.0) -> float:
    """Seconds until something that has no limit of attempts is tried again, with full jitter."""
    return random.random() * min(limit, 0.5 * 2.0 ** min(failures, 10))
