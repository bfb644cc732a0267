"""Ways between regions of the page, by name (`places.ts`)."""

from __future__ import annotations

from enum import StrEnum

import reflex as rx
from reflex_base.event import EventSpec
from reflex_base.utils.imports import ImportVar

from app.ui.kit.island import island


class Place(StrEnum):
    """What a region offers to others. `PAIR` returns the pair that keys act on, `TYPING` whether the person is typing.

    The last ones are called like the actions whose keys lead there.
    """

    COMPOSER = "composer"
    FILTER = "filter"
    HISTORY = "history"
    TRANSCRIPT = "transcript"  # HISTORY, if it is there
    PAGE = "page"  # the history moves as this key says: PageUp, PageDown, Home, End
    QUEUE = "queue"  # its last text is edited
    STOP = "stop"  # of the reply that runs
    COMPARE = "compare"  # the compared replies are shown
    SEND = "send"  # what is written
    WRITE = "write"  # this key is typed in the composer, which something covers
    DRAFT = "draft"  # returns what is written
    ATTACH = "attach"  # the browser asks for files
    PHOTO = "photo"  # and for a picture of its camera
    TITLE = "title"  # of the conversation, to be typed over
    KEYS = "keys"  # turns single keys on, or off again
    LEAVE = "leave"  # this pair is about to go: the cursor goes to the one beside it
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
    """Go to a place, with this text."""
    text = rx.Var.create("") if text is None else text
    made = rx.vars.VarData.merge(
        text._get_all_var_data(),  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - Reflex has no other name
        rx.vars.VarData(imports={island("kit/places.ts"): [ImportVar(tag="goTo")]}),
    )
    return rx.call_function(rx.Var(f"(() => goTo({place.value!r}, {text!s}))", _var_data=made))
