"""The command that puts the received part of a failed reply into the next message.

    await tab.send(PartialReplyState.include, pair_id="p1")

A failed pair is never sent. Its request and the received part of its reply are put into the message box as text. The
user can read and change the text there before it is sent.
"""

from __future__ import annotations

from typing import Any, cast

import reflex as rx
from reflex_base.event import EventSpec

from app.state.composer.state import ComposerState
from app.state.reply.pair_lookup import find_pair
from app.views.reply.pair import ScreenPairView


class PartialReplyState(rx.State):
    """A state without vars: the handler for the partial reply of a failed pair."""

    @rx.event
    async def include(self, pair_id: str) -> EventSpec | None:
        """Insert the pair's request and the received part of its reply in front of the draft."""
        pair = await find_pair(self, pair_id)
        if pair is None or not (received := read_received(pair)):
            return None
        return cast("EventSpec", ComposerState.put(quote_received(pair.user_text, received), ""))


def read_received(pair: ScreenPairView) -> str:
    """Return the text of a pair's reply without surrounding white space."""
    parts = cast("tuple[Any, ...]", pair.parts)
    return "".join(part.text for part in parts if part.type == "text").strip()


def quote_received(request: str, received: str) -> str:
    r"""Return a message that repeats a request and the received part of its reply.

    >>> quote_received("Count to ten.", "One, two")
    'Count to ten.\n\nThe reply to this was cut off. It began:\n\nOne, two\n\nContinue from there.'
    """
    return f"{request.strip()}\n\nThe reply to this was cut off. It began:\n\n{received}\n\nContinue from there."
