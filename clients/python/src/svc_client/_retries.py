"""How often requests are repeated, and after which pauses."""

from __future__ import annotations

import random
from dataclasses import dataclass

from ._errors import SvcError

_FIRST_PAUSE = 0.2
_MAX_RETRY_AFTER = 60.0
# Longest pause of a submission, which is repeated for minutes.
_MAX_PAUSE = 10.0
# The server keeps the keys of submissions for 24 hours.
_MAX_WITHOUT_RESPONSE = 23 * 3600.0


@dataclass(frozen=True)
class Retries:
    """Limits of the repetition of one request.

    Attributes:
        tries: attempts in all. One that the server refuses with 429, or that reaches a server
            that stands by, does not count.
        within: seconds after which no further attempt starts.
        without_response: seconds for which submissions and the first reading of a job are repeated however many attempts
            that takes. Each attempt of a submission has the same key, so that there is one job. At most 23 hours.

    Raises:
        ValueError: ``without_response`` is longer than the server keeps keys.
    """

    tries: int = 5
    within: float = 60.0
    without_response: float = 600.0

    def __post_init__(self) -> None:
        if not 0 <= self.without_response <= _MAX_WITHOUT_RESPONSE:
            given, most = self.without_response, _MAX_WITHOUT_RESPONSE
            raise ValueError(f"without_response is {given} s; expected 0 to {most:.0f} s (23 hours)")


def pause_after(error: SvcError, attempt: int) -> float:
    """Seconds until the next attempt: what the server asks for, or exponential; with jitter in both cases.

    Without jitter, clients that failed together would return together.
    """
    if error.retry_after is not None:
        return min(error.retry_after, _MAX_RETRY_AFTER) * (1 + random.random())
    return random.random() * min(_MAX_PAUSE, _FIRST_PAUSE * 2.0 ** min(attempt, 10))


def backoff(failures: int, limit: float = 10.0) -> float:
    """Seconds until something that has no limit of attempts is tried again, with full jitter."""
    return random.random() * min(limit, 0.25 * 2.0 ** min(failures - 1, 10))
