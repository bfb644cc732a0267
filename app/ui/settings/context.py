"""Settings → Context: the limits of a send, the action for a send that exceeds them, and the cache lifetime.

Errors are shown at their fields.
"""

from __future__ import annotations

from typing import Final

import reflex as rx

from app.state.settings.context import ContextState
from app.state.settings.preferences import PreferencesState
from app.ui.settings.parts import once_loaded, radio, saving, section

_CEILINGS: Final = (("send", "Per send"), ("conversation", "Per conversation"), ("day", "Per day"))
_RATES: Final = (
    ("conversation_", "Each conversation"),
    ("", "All conversations"),
    ("address_", "Each IP address"),
)
_OVER_BUDGET: Final = (
    ("ask", "Ask each time"),
    ("fit", "Send the newest pairs that fit"),
    ("force", "Send all anyway"),
)
_CACHE: Final = (
    ("auto", "Automatic: five minutes, or an hour if that costs less"),
    ("5m", "Five minutes"),
    ("1h", "An hour (Anthropic only): costs more to write, survives a pause"),
    ("off", "Do not cache"),
)


def context() -> rx.Component:
    """Draw the section Context of the Settings page."""
    return section(
        "context",
        "Context",
        "Limits for the tokens and cost of a send. Pairs over the limit are shown but not sent.",
        once_loaded(ContextState.opened > 0, _form()),
    )


def _form() -> rx.Component:
    return rx.el.form(
        rx.el.div(
            _field("soft_cap", "Use at most this share of a model's window", unit="%"),
            _field("reserve", "Reserve for the reply", unit="tokens"),
            class_name="context-pair",
        ),
        rx.el.fieldset(
            rx.el.legend("Limits (empty = none)"),
            rx.el.div(*(_ceilings(of, name) for of, name in _CEILINGS), class_name="ceilings"),
        ),
        rx.el.fieldset(
            rx.el.legend("Rate limits (empty = none)"),
            rx.el.div(*(_rates(of, name) for of, name in _RATES), class_name="ceilings"),
        ),
        _choices("When pairs in view do not fit", "over_budget", _OVER_BUDGET),
        _choices("Cache lifetime at Anthropic and Alibaba Cloud", "cache", _CACHE),
        saving(ContextState.said),
        on_submit=ContextState.save,
        no_validate=True,
        aria_label="Context",
        class_name="context-settings",
        key=f"opened {ContextState.opened}",
    )


def _ceilings(of: str, name: str) -> rx.Component:
    return rx.el.div(
        rx.el.span(name),
        _field(f"{of}_tokens", f"{name}, in tokens", unit="tokens", unseen_label=True),
        _field(f"{of}_money", f"{name}, in US dollars", unit="$", unseen_label=True),
        role="group",
        aria_label=name,
        class_name="context-row",
    )


def _rates(of: str, name: str) -> rx.Component:
    tokens = [_field(f"{of}day_tokens", f"{name}, tokens per day", unit="tokens/day", unseen_label=True)] if of else []
    return rx.el.div(
        rx.el.span(name),
        _field(f"{of}minute_sends", f"{name}, sends per minute", unit="sends/min", unseen_label=True),
        *tokens,
        role="group",
        aria_label=name,
        class_name="context-row",
    )


def _choices(legend: str, name: str, choices: tuple[tuple[str, str], ...]) -> rx.Component:
    chosen = getattr(PreferencesState.preferred, name)
    return rx.el.fieldset(
        rx.el.legend(legend),
        *(radio(label, name=name, value=value, default_checked=chosen == value) for value, label in choices),
    )


def _field(name: str, label: str, *, unit: str, unseen_label: bool = False) -> rx.Component:
    place = f"context-{name}"
    fault: rx.vars.StringVar = getattr(ContextState.faults, name)
    sign = rx.el.span(unit, aria_hidden="true")
    entry = rx.el.input(
        id=place,
        name=name,
        default_value=getattr(ContextState.stored, name),
        input_mode="decimal",
        auto_complete="off",
        aria_invalid=rx.cond(fault != "", "true", "false"),
        aria_describedby=rx.cond(fault != "", f"{place}-fault", None),
        on_change=rx.cond(fault != "", ContextState.clear_fault(name), rx.noop()),
    )
    return rx.el.div(
        rx.el.label(label, html_for=place, class_name="unseen" if unseen_label else ""),
        rx.el.div(
            *((sign, entry) if unit == "$" else (entry, sign)),
            class_name="context-input",
            custom_attrs={"data-wrong": rx.cond(fault != "", "true", rx.Var("undefined"))},
        ),
        rx.cond(fault != "", rx.el.p(fault, id=f"{place}-fault", role="alert", class_name="context-fault")),
        class_name="context-field",
    )
