"""Settings → Context: the form of limits and choices. Errors stand at their fields."""

from __future__ import annotations

from typing import Final

import reflex as rx

from app.state.settings.context import ContextState
from app.state.settings.preferences import PreferencesState
from app.ui.phrase import phrase
from app.ui.settings.parts import once_loaded, radio, saving, section

_CEILINGS: Final = (
    ("send", phrase("settings.context.one_send")),
    ("conversation", phrase("settings.context.a_conversation")),
    ("day", phrase("settings.context.a_day")),
)
_OVER_BUDGET: Final = (
    ("ask", phrase("settings.context.ask_each_time")),
    ("fit", phrase("settings.context.newest_that_fit")),
    ("force", phrase("settings.context.send_all_the_same")),
)
_CACHE: Final = (
    ("auto", phrase("settings.context.cache_as_it_pays")),
    ("5m", phrase("settings.context.five_minutes")),
    ("1h", phrase("settings.context.cache_hour")),
    ("off", phrase("settings.context.cache_off")),
)


def context() -> rx.Component:
    """The section of the context."""
    return section(
        "context",
        phrase("settings.context.context"),
        phrase("settings.context.about"),
        once_loaded(ContextState.opened > 0, _form()),
    )


def _form() -> rx.Component:
    return rx.el.form(
        rx.el.div(
            _field("soft_cap", phrase("settings.context.window_share"), unit="%"),
            _field("reserve", phrase("settings.context.reserve_for_the_reply"), unit="tokens"),
            class_name="context-pair",
        ),
        rx.el.fieldset(
            rx.el.legend(phrase("settings.context.limits_empty_none")),
            rx.el.div(*(_ceilings(of, name) for of, name in _CEILINGS), class_name="ceilings"),
        ),
        _choices(phrase("settings.context.over_budget"), "over_budget", _OVER_BUDGET),
        _choices(phrase("settings.context.cache_lifetime"), "cache", _CACHE),
        saving(ContextState.said),
        on_submit=ContextState.save,
        no_validate=True,
        aria_label=phrase("settings.context.context"),
        class_name="context-settings",
        key=f"opened {ContextState.opened}",
    )


def _ceilings(of: str, name: str) -> rx.Component:
    return rx.el.div(
        rx.el.span(name),
        _field(f"{of}_tokens", phrase("settings.context.in_tokens", name=name), unit="tokens", unseen_label=True),
        _field(f"{of}_money", phrase("settings.context.in_us_dollars", name=name), unit="$", unseen_label=True),
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


def _field(name: str, label: str | rx.Var[str], *, unit: str, unseen_label: bool = False) -> rx.Component:
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
        aria_describedby=rx.cond(fault != "", f"{place}-fault", ""),
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
