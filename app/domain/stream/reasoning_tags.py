r"""Reasoning between tags: the text in `<think>…</think>`, which some models write into a reply, becomes thinking.

The opening tag counts only at the very beginning of a reply, where such models write it. With some chat templates the
reply has only the closing tag, because the template already contains the opening one. A closing tag counts if nothing
follows it on its line. Then all text in front of the closing tag was thinking. Any other tag is ordinary text. The
result does not depend on how the text is cut into pieces.

    >>> reader = TagReader()
    >>> reader.feed([TextReceived("<thi")]), reader.feed([TextReceived("nk>Hm</think>\n\nYes")])
    ([], [ThinkingReceived(text='Hm'), TextReceived(text='Yes')])
    >>> TagReader().feed([TextReceived("Hm</think>\n\nYes")])
    [TextReceived(text='Hm'), TextWasThinking(), TextReceived(text='Yes')]
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from app.domain.stream.stream_events import StreamEvent, TextReceived, TextWasThinking, ThinkingReceived, UsageReported

TAGS: Final = (("<think>", "</think>"), ("<thinking>", "</thinking>"), ("[THINK]", "[/THINK]"))
_CLOSING: Final = re.compile("|".join(re.escape(closing) for _, closing in TAGS))
_END_OF_LINE: Final = re.compile(r"[ \t]*\r?\n")
_MAYBE_END_OF_LINE: Final = re.compile(r"[ \t]*\r?\Z")
_MAX_BLANKS: Final = 100
"""Maximum number of blanks that are held back after a closing tag, until it is known whether the line ends there."""


class TagReader:
    """The reader of the reasoning tags in one incoming reply.

    `_held` is text that is held back: a possible part of a tag, or blanks after a tag.
    """

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
            elif isinstance(event, UsageReported):  # not a part of the reply: it can arrive at any time
                given.append(event)
            else:
                given += [*self.end(), event]
        return given

    def end(self) -> list[StreamEvent]:
        """Return the text that was held back. Text that arrives later is not read any more."""
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
        self._read = self._read_words
        return self._read_words(text)

    def _read_words(self, text: str) -> list[StreamEvent]:
        """Read a reply that has no opening tag, up to a closing tag at the end of a line."""
        text = self._held + text
        self._held = ""
        for found in _CLOSING.finditer(text):
            if ended := _END_OF_LINE.match(text, found.end()):
                self._read = self._read_blanks
                words = self._read_blanks(text[ended.end() :])
                return [*_as_text(text[: found.start()]), TextWasThinking(), *words]
            if len(text) - found.end() <= _MAX_BLANKS and _MAYBE_END_OF_LINE.match(text, found.end()):
                self._held = text[found.start() :]
                return _as_text(text[: found.start()])
        kept = max(_count_begun(text, closing) for _, closing in TAGS)
        self._held = text[len(text) - kept :]
        return _as_text(text[: len(text) - kept])

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
        """Drop the empty lines between the reasoning and the answer."""
        words = text.lstrip()
        if not words:
            return []
        self._read = self._pass_on
        return [TextReceived(words)]

    def _pass_on(self, text: str) -> list[StreamEvent]:
        return _as_text(text)


def _as_text(text: str) -> list[StreamEvent]:
    return [TextReceived(text)] if text else []


def _count_begun(text: str, tag: str) -> int:
    """Return the number of characters at the end of the text that may be the beginning of the tag."""
    return next((count for count in range(min(len(tag) - 1, len(text)), 0, -1) if text.endswith(tag[:count])), 0)
