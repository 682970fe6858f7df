"""The word that was probably meant; the same choice as the driver makes, in `src/base/settings/nearest.ts`."""

from __future__ import annotations

from collections.abc import Sequence


def nearest(text: str, words: Sequence[str]) -> str | None:
    """The word most similar to ``text``; None when none is similar enough to be meant."""
    if len(text) > 100 or not words:
        return None
    distances = [(_distance(_normalized(text), _normalized(word)), at) for at, word in enumerate(words)]
    distance, at = min(distances)
    return words[at] if distance <= max(2, len(words[at]) / 3) else None


def _normalized(word: str) -> str:
    return word.lower().replace("-", "_")


def _distance(a: str, b: str) -> int:
    """Number of single-character insertions, deletions and replacements that turn ``a`` into ``b``."""
    previous = list(range(len(b) + 1))
    for row, left in enumerate(a, 1):
        current = [row]
        for column, right in enumerate(b, 1):
            replaced = previous[column - 1] + (left != right)
            current.append(min(replaced, previous[column] + 1, current[column - 1] + 1))
        previous = current
    return previous[-1]
