"""The parameters of the next send: the button, the list of the parameters that are set, and the dialog that sets them.

The composer shows the list before the send. A parameter that is set only for the next send can be removed in the list.
"""

from __future__ import annotations

from typing import Any, Final

import reflex as rx

from app.domain.conversation.parameters import Source
from app.domain.retry_policy import (
    LEAST_BACKOFF,
    LONGEST_BACKOFF,
    MAX_BACKOFF,
    MAX_RETRIES,
    MOST_RETRIES,
    RetryPolicy,
)
from app.state.composer.parameters import ParametersState
from app.state.composer.parameters_form import FIELD, REDACTION, RETRY_POLICY, USER_CONTEXT, ParameterTarget
from app.ui.composer.icons import SLIDERS
from app.ui.kit.containers.dialog import Dialog, dialog_cancel, dialog_foot, dialog_title
from app.ui.kit.controls.icon import line_icon
from app.ui.kit.keys.form_keys import FormKeys
from app.views.composer.parameters import SettingView

_TITLE: Final = "Parameters"
_FORM: Any = ParametersState.form
_SCOPES: Final = {ParameterTarget.CONVERSATION: "This conversation", ParameterTarget.SEND: "Next send"}
_POLICIES: Final = {
    RetryPolicy.EXPONENTIAL: "Exponential",
    RetryPolicy.LINEAR: "Linear",
    RetryPolicy.NONE: "None",
}
_SOURCES: Final = {
    Source.SEND: "for this send",
    Source.CONVERSATION: "for this conversation",
    Source.AGENT: "by the agent",
}


def parameters_button() -> rx.Component:
    """Draw the button that opens the dialog of the parameters. It is shown only if a parameter is set.

    Without this button, the dialog can be opened by the "+" menu.
    """
    return rx.cond(
        ParametersState.summary != "",
        rx.el.button(
            line_icon(SLIDERS),
            type="button",
            aria_label="Parameters: " + ParametersState.summary,
            aria_haspopup="dialog",
            title="Parameters: " + ParametersState.summary,
            on_click=ParametersState.ask,
            custom_attrs={"data-set": ""},
            class_name="schema-button",
        ),
    )


def parameters_set() -> rx.Component:
    """Draw the list of the parameters of the next send, each with its source; nothing if none is set."""
    return rx.cond(
        ParametersState.settings.length() > 0,
        rx.el.ul(
            rx.foreach(ParametersState.settings.to(list[SettingView]), _setting),
            aria_label="Parameters of the next send",
            class_name="settings-set",
        ),
    )


def _setting(one: rx.vars.ObjectVar[SettingView]) -> rx.Component:
    source = rx.match(one.source.to(str), *((key.value, text) for key, text in _SOURCES.items()), "")
    return rx.el.li(
        rx.el.span(
            one.text,
            rx.el.small(" ", source),
            title=rx.cond(one.refusal != "", one.refusal, ""),
        ),
        rx.cond(
            one.source == Source.SEND.value,
            rx.el.button(
                "\u00d7",
                type="button",
                aria_label="Remove " + one.text.to(str) + " from this send",
                title="Remove",
                on_click=ParametersState.take_off(one.name),
            ),
        ),
        rx.cond(one.refusal != "", rx.el.span(one.refusal, role="status", class_name="settings-refused")),
        key=one.name,
        custom_attrs={
            "data-source": one.source.to(str),
            "data-refused": rx.cond(one.refusal != "", "", None),
        },
    )


@rx.memo
def parameters_dialog() -> rx.Component:
    """Draw the dialog that sets the parameters of the conversation or of the next send.

    It has a field for each parameter that the model accepts.
    """
    return Dialog.create(
        dialog_title(_TITLE),
        rx.el.div(
            *(_scope(scope, name) for scope, name in _SCOPES.items()),
            role="group",
            aria_label="Applies to",
            class_name="parameters-scopes",
        ),
        FormKeys.create(
            rx.el.form(
                rx.el.input(type="hidden", name="scope", value=_FORM.scope),
                rx.el.div(*_fields(), _retries(), *_retry_limits(), *_middleware(), class_name="agent-parameters"),
                rx.cond(_FORM.lacks != "", rx.el.p(_FORM.lacks, class_name="agent-hint parameters-lacks")),
                dialog_foot(
                    rx.cond(
                        _FORM.is_set,
                        rx.el.button("Reset", type="button", on_click=ParametersState.unset, class_name="quiet"),
                    ),
                    dialog_cancel(),
                    rx.el.button("Save", type="submit", class_name="loud"),
                ),
                key=_FORM.number,  # a new key draws the form again, so that new values replace those in the browser
                no_validate=True,
                on_submit=ParametersState.use,
            ),
            on_escape=ParametersState.close,
        ),
        label=_TITLE,
        on_close=ParametersState.close,
        class_name="modal parameters-dialog",
    )


def _scope(scope: ParameterTarget, name: str) -> rx.Component:
    return rx.el.button(
        name,
        type="button",
        aria_pressed=_FORM.scope == scope.value,
        on_click=ParametersState.choose_scope(scope.value),
    )


def _fields() -> list[rx.Component]:
    number: dict[str, Any] = {"type": "text", "input_mode": "decimal", "auto_complete": "off", "max_length": 40}
    whole = number | {"input_mode": "numeric"}
    efforts = {"low": "Low", "medium": "Medium", "high": "High"}
    return [
        _field("temperature", "Temperature", "0 to 2. Higher values vary more.", rx.el.input, **number),
        _field("top_p", "Top p", "0 to 1. Lower values limit the choice of words.", rx.el.input, **number),
        _field(
            "max_output_tokens",
            "Output tokens",
            "Maximum length of the reply. ",
            rx.el.input,
            more=_FORM.limit,
            **whole,
        ),
        _field("seed", "Seed", "The same seed may give the same reply.", rx.el.input, **whole),
        _choice("effort", "Effort", "How much the model thinks.", efforts),
        _choice("thinking", "Thinking", "On: the model thinks before it answers.", {"true": "On", "false": "Off"}),
    ]


def _retries() -> rx.Component:
    """Draw the menu of the retry policy; nothing for the next send, because only a conversation has this policy."""
    policies = {policy.value: text for policy, text in _POLICIES.items()}
    hint = "Waiting time before a failed call is retried."
    return _menu(RETRY_POLICY, "Retries", hint, _FORM.retry_policy, policies)


def _middleware() -> list[rx.Component]:
    """Draw the menus of the text about the user and of redaction; nothing for the next send."""
    settings = "As in Settings"
    return [
        _menu(
            USER_CONTEXT,
            "Text about you",
            "Send the text about you from Settings → Privacy.",
            _FORM.user_context,
            {"": settings, "false": "Not sent"},
        ),
        _menu(
            REDACTION,
            "Redaction",
            "Replace keys, tokens and passwords before they are sent.",
            _FORM.redaction,
            {"": settings, "true": "On", "false": "Off"},
        ),
    ]


def _menu(name: str, label: str, hint: str, value: Any, options: dict[str, str]) -> rx.Component:
    """Draw a menu of a setting of the conversation; nothing for the next send."""
    control, note = FIELD + name, f"{FIELD}{name}-said"
    return rx.cond(
        _FORM.scope == ParameterTarget.CONVERSATION.value,
        rx.el.div(
            rx.el.label(label, html_for=control),
            rx.el.select(
                *(rx.el.option(text, value=one) for one, text in options.items()),
                id=control,
                name=name,
                default_value=value,
                aria_describedby=note,
            ),
            rx.el.p(hint, id=note, class_name="agent-hint"),
            class_name="agent-field",
        ),
    )


def _retry_limits() -> list[rx.Component]:
    """Draw the fields of the limits of retries; nothing for the next send."""
    often = f"0 to {MOST_RETRIES}. Number of retries of a failed call."
    wait = f"{LEAST_BACKOFF:g} to {LONGEST_BACKOFF:g}. Maximum seconds before a retry."
    limits = (
        ("max_retries", "Maximum retries", f"Default: {MAX_RETRIES}", often),
        ("max_backoff_seconds", "Longest wait", f"Default: {MAX_BACKOFF:g} seconds", wait),
    )
    return [_retry_limit(*one) for one in limits]


def _retry_limit(name: str, label: str, usual: str, hint: str) -> rx.Component:
    fault, note = getattr(ParametersState.retry_faults, name), f"{FIELD}{name}-said"
    return rx.cond(
        _FORM.scope == ParameterTarget.CONVERSATION.value,
        rx.el.div(
            rx.el.label(label, html_for=FIELD + name),
            rx.el.input(
                id=FIELD + name,
                name=name,
                default_value=getattr(_FORM.retry_texts, name),
                placeholder=usual,
                type="text",
                input_mode="decimal",
                auto_complete="off",
                max_length=40,
                aria_describedby=note,
                aria_invalid=rx.cond(fault != "", "true", rx.Var("undefined")),
            ),
            rx.el.p(
                rx.cond(fault != "", fault, hint),
                id=note,
                role=rx.cond(fault != "", "alert", rx.Var("undefined")),
                class_name=rx.cond(fault != "", "agent-fault", "agent-hint"),
            ),
            class_name="agent-field",
        ),
    )


def _field(name: str, label: str, hint: str, control: Any, *, more: rx.Var[str] | str = "", **props: Any) -> Any:
    fault = getattr(ParametersState.faults, name)
    note = f"{FIELD}{name}-said"
    own: dict[str, Any] = {}
    if control is rx.el.input:
        own = {"placeholder": getattr(_FORM.instead, name), "custom_attrs": {"data-first": ""}}
    return rx.cond(
        _FORM.takes.contains(name),
        rx.el.div(
            rx.el.label(label, html_for=FIELD + name),
            control(
                id=FIELD + name,
                name=name,
                default_value=getattr(_FORM.texts, name),
                aria_describedby=note,
                aria_invalid=rx.cond(fault != "", "true", rx.Var("undefined")),
                **own,
                **props,
            ),
            rx.el.p(
                rx.cond(fault != "", fault, rx.fragment(hint, more)),
                id=note,
                role=rx.cond(fault != "", "alert", rx.Var("undefined")),
                class_name=rx.cond(fault != "", "agent-fault", "agent-hint"),
            ),
            class_name="agent-field",
        ),
    )


def _choice(name: str, label: str, hint: str, options: dict[str, str]) -> rx.Component:
    def menu(**props: Any) -> rx.Component:
        unset = rx.el.option(getattr(_FORM.instead, name), value="")
        return rx.el.select(unset, *(rx.el.option(text, value=value) for value, text in options.items()), **props)

    return _field(name, label, hint, menu)
