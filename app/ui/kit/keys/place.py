"""Actions between regions of the page: a region moves the focus to another, or starts its action (`places.ts`)."""

from __future__ import annotations

from enum import StrEnum

import reflex as rx
from reflex_base.event import EventSpec
from reflex_base.utils.imports import ImportVar

from app.ui.kit.island import island


class Place(StrEnum):
    """The names of the actions that one region of the page offers to the other regions.

    A comment after a name describes its action. `COMPOSER`, `FILTER` and `HISTORY` move the focus to the region of that
    name. The names after `TYPING` are actions of keys, which `app/views/shortcuts/shortcuts.py` describes.
    """

    COMPOSER = "composer"
    FILTER = "filter"
    HISTORY = "history"
    TRANSCRIPT = "transcript"  # focuses the transcript; HISTORY leaves a text field and then does the same
    PAGE = "page"  # scrolls the transcript, as the keys PageUp, PageDown, Home and End do
    QUEUE = "queue"  # edits the last queued text
    STOP = "stop"  # stops the running reply
    COMPARE = "compare"  # shows the compared replies
    SEND = "send"  # sends the draft
    WRITE = "write"  # types a key in the composer, even while another element covers it
    DRAFT = "draft"  # returns the text in the composer
    ATTACH = "attach"  # opens the browser's file dialog
    PHOTO = "photo"  # opens the camera for a picture
    TITLE = "title"  # edits the title of the conversation
    KEYS = "keys"  # turns single keys on or off
    LEAVE = "leave"  # moves the cursor to the next pair, because this pair is about to be removed
    PAIR = "pair"  # returns the id of the pair that keys act on
    TYPING = "typing"  # returns "now" while the person is typing, else ""

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
    """Return the event that performs the action `place`. `text` is the argument of the action, for example an id."""
    text = rx.Var.create("") if text is None else text
    made = rx.vars.VarData.merge(
        text._get_all_var_data(),  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - Reflex has no other name
        rx.vars.VarData(imports={island("kit/keys/places.ts"): [ImportVar(tag="goTo")]}),
    )
    return rx.call_function(rx.Var(f"(() => goTo({place.value!r}, {text!s}))", _var_data=made))
