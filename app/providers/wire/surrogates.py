r"""Joins the halves of characters that a server cut.

Servers written in JavaScript may cut a text between the two UTF-16 halves of a character and send each as a JSON escape
(`"\ud83d"`, then `"\ude00"`). UTF-8 cannot represent a half, so texts must not contain one: the first half waits for
the second. A half without its second half becomes U+FFFD, as is usual.

    >>> mender = Mender()
    >>> mender.mend([TextReceived("Hi \ud83d")]), mender.mend([TextReceived("\ude00")])
    ([TextReceived(text='Hi ')], [TextReceived(text='😀')])
"""

from __future__ import annotations

from app.domain.stream.stream_events import StreamEvent, TextReceived, ThinkingReceived, ToolInputReceived


def may_be_cut(data: bytes) -> bool:
    """Return True if the data of an event has an escape that may be half a character."""
    return b"\\ud" in data or b"\\uD" in data


class Mender:
    """Joins the halves of characters in the events of one stream.

    `half` is an event with the first half of a character, while the second half is missing.
    """

    def __init__(self) -> None:
        self.half: TextReceived | ThinkingReceived | ToolInputReceived | None = None

    def mend(self, events: list[StreamEvent]) -> list[StreamEvent]:
        """Return the events with the halves of characters joined. The caller has already joined adjacent texts."""
        mended: list[StreamEvent] = []
        for event in events:
            if not isinstance(event, TextReceived | ThinkingReceived | ToolInputReceived):
                mended += [*self.end(), event]
                continue
            text = _text_of(event)
            if self.half is not None and type(self.half) is type(event):
                text = _text_of(self.half) + text
            else:
                mended += self.end()
            self.half = None
            if "\ud800" <= text[-1:] <= "\udbff":
                self.half = type(event)(text[-1])
                text = text[:-1]
            if text:
                mended.append(type(event)(_whole(text)))
        return mended

    def end(self) -> list[StreamEvent]:
        """Return an event with U+FFFD if a first half still waits for its second half, else no event."""
        if self.half is None:
            return []
        half, self.half = self.half, None
        return [type(half)(_whole(_text_of(half)))]


def _text_of(event: TextReceived | ThinkingReceived | ToolInputReceived) -> str:
    return event.json_text if isinstance(event, ToolInputReceived) else event.text


def _whole(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
