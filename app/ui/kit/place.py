"""Names by which regions of the page focus or act on each other (`places.ts`)."""

from __future__ import annotations

from enum import StrEnum

import reflex as rx
from reflex_base.event import EventSpec
from reflex_base.utils.imports import ImportVar

from app.ui.kit.island import island


class Place(StrEnum):
    """Actions that a region offers to others. `PAIR` returns the pair that keys act on, `TYPING` whether the person is
    typing.

    The last ones have the names of the actions whose keys lead there.
    """

    COMPOSER = "composer"
    FILTER = "filter"
    HISTORY = "history"
    TRANSCRIPT = "transcript"  # HISTORY, if it is there
    PAGE = "page"  # scrolls the history as this key does: PageUp, PageDown, Home, End
    QUEUE = "queue"  # edits its last text
    STOP = "stop"  # stops the running reply
    COMPARE = "compare"  # shows the compared replies
    SEND = "send"  # sends the draft
    WRITE = "write"  # types this key in the composer, which something covers
    DRAFT = "draft"  # returns the draft
    ATTACH = "attach"  # opens the browser's file dialog
    PHOTO = "photo"  # opens the camera for a picture
    TITLE = "title"  # edits the title of the conversation
    KEYS = "keys"  # turns single keys on or off
    LEAVE = "leave"  # this pair is about to be removed: the cursor moves to the next one
    PAIR = "pair"
    TYPING = "typing"

    NEXT_PART = "next_part"
    PREVIOUS_PART = "previous_part"
    NEXT_PAIR = "next_pair"
    PREVIOUS_PAIR = "previous_pair"
    FIRST_PAIR = "first_pair"
    LAST_PAIR = "last_pair"
    NEWEST_REPLY = "newest_reply"
    FIRST_SENT = "first_sent"
    COPY = "copy"
    DELETE = "delete"


def go_to(place: Place, text: rx.Var[str] | None = None) -> EventSpec:
    """Return the event that goes to a place, with this text."""
    text = rx.Var.create("") if text is None else text
    made = rx.vars.VarData.merge(
        text._get_all_var_data(),  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - Reflex has no other name
        rx.vars.VarData(imports={island("kit/places.ts"): [ImportVar(tag="goTo")]}),
    )
    return rx.call_function(rx.Var(f"(() => goTo({place.value!r}, {text!s}))", _var_data=made))
