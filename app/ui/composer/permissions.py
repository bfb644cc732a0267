"""The cards of tool calls that wait for permission: the tool, its arguments, and the possible answers.

Screen readers announce each card as an alert. A card never takes the focus from a person who is typing.
"""

from __future__ import annotations

from typing import Any, Final

import reflex as rx

from app.state.composer.permission_cards import BoundView, PermissionCard
from app.state.composer.permissions import BOUND, PermissionsState
from app.ui.kit.clock.countdown import Countdown
from app.ui.kit.clock.passing import Passing
from app.ui.kit.containers.deferred import deferred
from app.ui.kit.keys.escape import escape

_LATE_SECONDS: Final = 30


def waiting_calls() -> rx.Component:
    """Draw the cards of waiting tool calls; nothing if there are none."""
    return deferred(permissions, when=PermissionsState.cards.length() > 0)


@rx.memo
def permissions() -> rx.Component:
    """Draw a card for each waiting tool call, the oldest first."""
    return rx.el.section(
        rx.foreach(PermissionsState.cards, _card),
        aria_label="Tool calls waiting for permission",
        class_name="permissions",
    )


def _card(card: rx.vars.ObjectVar[PermissionCard]) -> rx.Component:
    # An answered card disappears at once, so the composer gets the focus before the card leaves the page.
    return Passing.create(_form(card), to="composer", class_name="contents", key=card.id)


def _form(card: rx.vars.ObjectVar[PermissionCard]) -> rx.Component:
    asks, wrong = f"ask-{card.id}", f"faults-{card.id}"
    return rx.el.form(
        rx.el.input(type="hidden", name="request", value=card.id, read_only=True),
        # Enter in a field presses the first submit button of the form. This one is disabled, so Enter does nothing.
        rx.el.button(type="submit", disabled=True, hidden=True),
        _head(card, asks),
        rx.cond(
            card.description != "",
            rx.el.details(rx.el.summary(card.source), rx.el.p(card.description, dir="auto")),
        ),
        rx.cond(card.editing, _edit(card, wrong), rx.cond(card.bounding, _beside_bounds(card), _arguments(card))),
        rx.cond(
            card.faults.length() > 0,
            rx.el.ul(
                rx.foreach(card.faults, rx.el.li),
                id=wrong,
                role="alert",
                class_name="permission-faults",
            ),
        ),
        rx.cond(card.bounding, _bounds(card)),
        rx.el.div(
            _answer(card, "allow", "Allow once", asks),
            _answer(card, "allow_conversation", "Allow in this conversation", asks),
            rx.cond(card.agent != "", _answer(card, "always_allow_agent", f"Always allow for {card.agent}", asks)),
            _answer(card, "always_allow", "Always allow", asks),
            _answer(card, "deny", "Deny", asks),
            rx.el.span(
                rx.el.button(
                    rx.cond(card.editing, "Discard edit", "Edit"),
                    type="button",
                    aria_pressed=card.editing,
                    on_click=PermissionsState.toggle_edit(card.id),
                    class_name="plain",
                ),
                rx.cond(
                    card.bounds.length() > 0,
                    rx.el.button(
                        rx.cond(card.bounding, "Do not limit", "Limit to these arguments"),
                        type="button",
                        aria_pressed=card.bounding,
                        on_click=PermissionsState.toggle_bounds(card.id),
                        class_name="plain",
                    ),
                ),
            ),
            class_name="permission-answers",
        ),
        on_submit=PermissionsState.answer,
        aria_labelledby=asks,
        class_name="permission",
    )


def _head(card: rx.vars.ObjectVar[PermissionCard], asks: Any) -> rx.Component:
    return rx.el.header(
        rx.el.p(
            rx.el.strong(card.name),
            " ",
            rx.el.span(
                "needs your permission",
                rx.cond(card.by != "", rx.fragment(", requested by ", card.by)),
                rx.cond(
                    card.delegated != "", rx.fragment(", requested by ", rx.el.a("delegated work", href=card.delegated))
                ),
                ". ",
                card.place,
            ),
            id=asks,
            role="alert",
        ),
        # Hidden from screen readers, which would otherwise read the clock aloud every second.
        rx.el.span(
            "Denied in ",
            Countdown.create(until=card.until, now=card.now, after="", hours=" h", late=_LATE_SECONDS),
            aria_hidden="true",
            class_name="whitespace-nowrap",
        ),
    )


def _arguments(card: rx.vars.ObjectVar[PermissionCard]) -> rx.Component:
    return rx.cond(
        card.arguments != "", _readable(card.arguments.to(str)), rx.el.p("No arguments.", class_name="permission-none")
    )


def _beside_bounds(card: rx.vars.ObjectVar[PermissionCard]) -> rx.Component:
    return rx.cond(card.beside_bounds != "", _readable(card.beside_bounds.to(str)))


def _readable(arguments: rx.Var[str]) -> rx.Component:
    return rx.el.pre(arguments, tab_index=0, aria_label="Arguments", dir="auto")


def _edit(card: rx.vars.ObjectVar[PermissionCard], wrong: Any) -> rx.Component:
    has_faults = card.faults.length() > 0
    return escape(
        rx.el.textarea(
            name="arguments",
            default_value=card.text,
            rows=card.rows,
            auto_focus=True,
            spell_check=False,
            aria_label="Arguments, as JSON",
            aria_invalid=has_faults,
            aria_describedby=rx.cond(has_faults, wrong, None),
        ),
        on_escape=PermissionsState.toggle_edit(card.id),
    )


def _bounds(card: rx.vars.ObjectVar[PermissionCard]) -> rx.Component:
    return rx.el.fieldset(
        rx.el.legend(
            "The rule applies only to arguments like these. ",
            rx.el.code("*"),
            " matches anything, ",
            rx.el.code("[*]"),
            " matches a star.",
        ),
        rx.foreach(card.bounds, _bound),
    )


def _bound(bound: rx.vars.ObjectVar[BoundView]) -> rx.Component:
    return rx.el.label(
        bound.name,
        " ",
        rx.el.input(name=f"{BOUND}{bound.name}", default_value=bound.pattern, spell_check=False),
        key=bound.name,
    )


def _answer(card: rx.vars.ObjectVar[PermissionCard], word: str, words: str, asks: Any) -> rx.Component:
    button: dict[str, Any] = {
        "type": "submit",
        "on_click": PermissionsState.choose(card.id, word),
        "on_mouse_down": PermissionsState.note_pointer,
        "aria_describedby": asks,
        "custom_attrs": {"data-answer": word},
        "class_name": "loud" if word == "allow" else "quiet",
    }
    if word != "allow":
        return rx.el.button(words, **button)
    return rx.cond(
        card.leads, rx.el.button(words, auto_focus=True, key="leads", **button), rx.el.button(words, **button)
    )
