r"""Reasoning between tags: turns `<think>…</think>`, which some models write into the reply, into thinking.

Only at the very beginning of a reply, where such models write it: a tag further on is a text about tags. However the
text is cut into pieces, what comes out says the same.

    >>> reader = TagReader()
    >>> reader.feed([TextReceived("<thi")]), reader.feed([TextReceived("nk>Hm</think>\n\nYes")])
    ([], [ThinkingReceived(text='Hm'), TextReceived(text='Yes')])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from app.domain.stream_events import StreamEvent, TextReceived, ThinkingReceived, UsageReported

TAGS: Final = (("<think>", "</think>"), ("<thinking>", "</thinking>"), ("[THINK]", "[/THINK]"))


class TagReader:
    """One reply on its way in. `_held` is text that may be part of a tag, or blanks beside one."""

    def __init__(self) -> None:
        self._read: Callable[[str], list[StreamEvent]] = self._read_beginning
        self._held = ""
        self._end = ""

    def feed(self, events: Sequence[StreamEvent]) -> list[StreamEvent]:
        if self._read == self._pass_on:
            return list(events)
        given: list[StreamEvent] = []
        for event in events:
            if isinstance(event, TextReceived):
                given += self._read(event.text)
            elif isinstance(event, UsageReported):  # no part of the reply: it may come at any place
                given.append(event)
            else:
                given += [*self.end(), event]
        return given

    def end(self) -> list[StreamEvent]:
        """What is held back, as what it is when nothing follows; from then on all is passed on."""
        held, thinks = self._held, self._read == self._read_thinking
        spaced = self._read == self._read_blanks
        self._held = ""
        self._read = self._pass_on
        if not held or spaced:
            return []
        return [ThinkingReceived(held)] if thinks else [TextReceived(held)]

    def _read_beginning(self, text: str) -> list[StreamEvent]:
        text = self._held + text
        words = text.lstrip()
        for opening, closing in TAGS:
            if words.startswith(opening):
                self._held, self._end, self._read = "", closing, self._read_thinking
                return self._read_thinking(words[len(opening) :])
        if any(opening.startswith(words) for opening, _ in TAGS):
            self._held = text
            return []
        self._held = ""
        self._read = self._pass_on
        return self._pass_on(text)

    def _read_thinking(self, text: str) -> list[StreamEvent]:
        thoughts, closing, words = (self._held + text).partition(self._end)
        if not closing:
            kept = _count_begun(thoughts, self._end)
            self._held = thoughts[len(thoughts) - kept :]
            thoughts = thoughts[: len(thoughts) - kept]
            return [ThinkingReceived(thoughts)] if thoughts else []
        self._held = ""
        self._read = self._read_blanks
        given: list[StreamEvent] = [ThinkingReceived(thoughts)] if thoughts else []
        return given + self._read_blanks(words)

    def _read_blanks(self, text: str) -> list[StreamEvent]:
        """The empty lines between the reasoning and the answer belong to neither."""
        words = text.lstrip()
        if not words:
            return []
        self._read = self._pass_on
        return [TextReceived(words)]

    def _pass_on(self, text: str) -> list[StreamEvent]:
        return [TextReceived(text)] if text else []


def _count_begun(text: str, tag: str) -> int:
    """How many characters at the end may be the beginning of the tag."""
    return next((count for count in range(min(len(tag) - 1, len(text)), 0, -1) if text.endswith(tag[:count])), 0)
