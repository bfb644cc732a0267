"""A value in which nothing is another but a text that goes on: what need not be compared to be sent.

>>> growth = Growth(path=(0,), before=("Hel",), now=("Hello",), text="lo")
>>> growth.is_sound()
True
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.patches.patch import Path


@dataclass(frozen=True, slots=True)
class Growth:
    """`now` is `before` with `text` added to the text at `path`. Who makes it vouches for the rest of the value."""

    path: Path
    before: object
    now: object
    text: str

    def is_sound(self) -> bool:
        """Return whether the text at the path has become longer by `text`."""
        old, new = text_at(self.before, self.path), text_at(self.now, self.path)
        return bool(old) and len(new) == len(old) + len(self.text) and new.endswith(self.text)


def text_at(value: Any, path: Path) -> str:
    """Return the text at a path, "" where there is none."""
    for step in path:
        value = value[step] if isinstance(step, int) else getattr(value, step)
    return value if isinstance(value, str) else ""
