"""Parameters of the model: the button, the overrides of the next send, and the dialog that sets them.

What is set stands in the composer before the send. What is set for one send alone can be removed there.
"""

from __future__ import annotations

from typing import Any, Final

import reflex as rx

from app.domain.conversation.parameters import Source
from app.domain.conversation.retry_policy import RetryPolicy
from app.state.composer.parameters import FIELD, RETRY_POLICY, ParametersState, Scope
from app.ui.kit.dialog import Dialog, dialog_cancel, dialog_foot, dialog_title
from app.ui.kit.form_keys import FormKeys
from app.ui.kit.icon import icon
from app.ui.phrase import phrase
from app.views.screen.parameters import SettingView

_TITLE: Final = phrase("common.parameters")
_BUTTON: Final = "parameters-button"
_FORM: Any = ParametersState.form
_SLIDERS: Final = "M2.5 4.5h6M12 4.5h1.5M2.5 11.5H4M7.5 11.5h6M10.2 3v3M5.8 10v3"
_SCOPES: Final = {Scope.CONVERSATION: phrase("composer.this_conversation"), Scope.SEND: phrase("composer.next_send")}
_POLICIES: Final = {
    RetryPolicy.EXPONENTIAL: phrase("composer.exponential"),
    RetryPolicy.LINEAR: phrase("composer.linear"),
    RetryPolicy.NONE: phrase("composer.none"),
}
_SOURCES: Final = {
    Source.SEND: phrase("composer.for_this_send"),
    Source.CONVERSATION: phrase("composer.for_this_conversation"),
    Source.AGENT: phrase("composer.by_the_agent"),
}


def parameters_button() -> rx.Component:
    """Opens the dialog; says what is set."""
    is_set = ParametersState.summary != ""
    return rx.el.button(
        icon(_SLIDERS),
        id=_BUTTON,
        type="button",
        aria_label=rx.cond(
            is_set, phrase("composer.parameters", summary=ParametersState.summary), phrase("common.parameters")
        ),
        aria_haspopup="dialog",
        title=rx.cond(
            is_set,
            phrase("composer.parameters", summary=ParametersState.summary),
            phrase("composer.parameters_button"),
        ),
        on_click=ParametersState.ask,
        custom_attrs={"data-set": rx.cond(is_set, "", None)},
        class_name="schema-button",
    )


def parameters_set() -> rx.Component:
    """What the next send asks of the model, each with who set it. Nothing where nothing is set."""
    return rx.cond(
        ParametersState.settings.length() > 0,
        rx.el.ul(
            rx.foreach(ParametersState.settings.to(list[SettingView]), _setting),
            aria_label=phrase("composer.parameters_title"),
            class_name="settings-set",
        ),
    )


def _setting(one: rx.vars.ObjectVar[SettingView]) -> rx.Component:
    source = rx.match(one.source.to(str), *((key.value, said) for key, said in _SOURCES.items()), "")
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
                aria_label=phrase("composer.remove_from_this_send", text=one.text.to(str)),
                title=phrase("common.remove"),
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
    """The fields of what the model takes, for the conversation or for the next send."""
    return Dialog.create(
        dialog_title(_TITLE),
        rx.el.div(
            *(_scope(scope, name) for scope, name in _SCOPES.items()),
            role="group",
            aria_label=phrase("composer.parameters_scope"),
            class_name="parameters-scopes",
        ),
        FormKeys.create(
            rx.el.form(
                rx.el.input(type="hidden", name="scope", value=_FORM.scope),
                rx.el.div(*_fields(), _retries(), class_name="agent-parameters"),
                rx.cond(_FORM.lacks != "", rx.el.p(_FORM.lacks, class_name="form-hint parameters-lacks")),
                dialog_foot(
                    rx.cond(
                        _FORM.is_set,
                        rx.el.button(
                            phrase("composer.reset"), type="button", on_click=ParametersState.unset, class_name="quiet"
                        ),
                    ),
                    dialog_cancel(),
                    rx.el.button(phrase("common.save"), type="submit", class_name="loud"),
                ),
                key=_FORM.number,  # other texts take the place of what is written, which the browser holds
                no_validate=True,
                on_submit=ParametersState.use,
            ),
            on_escape=ParametersState.close,
        ),
        label=_TITLE,
        on_close=ParametersState.close,
        class_name="modal parameters-dialog",
    )


def _scope(scope: Scope, name: str) -> rx.Component:
    return rx.el.button(
        name,
        type="button",
        aria_pressed=_FORM.scope == scope.value,
        on_click=ParametersState.choose_scope(scope.value),
    )


def _fields() -> list[rx.Component]:
    number: dict[str, Any] = {"type": "text", "input_mode": "decimal", "auto_complete": "off", "max_length": 40}
    whole = number | {"input_mode": "numeric"}
    efforts = {"low": phrase("common.low"), "medium": phrase("common.medium"), "high": phrase("common.high")}
    return [
        _field("temperature", phrase("common.temperature"), phrase("composer.temperature_hint"), rx.el.input, **number),
        _field("top_p", phrase("common.top_p"), phrase("composer.top_p_hint"), rx.el.input, **number),
        _field(
            "max_output_tokens",
            phrase("composer.output_tokens"),
            f"{phrase('composer.the_most_it_writes')} ",
            rx.el.input,
            more=_FORM.limit,
            **whole,
        ),
        _field("seed", phrase("common.seed"), phrase("composer.seed_hint"), rx.el.input, **whole),
        _choice("effort", phrase("common.effort"), phrase("composer.how_hard_it_thinks"), efforts),
        _choice(
            "thinking",
            phrase("common.thinking"),
            phrase("composer.whether_it_thinks_first"),
            {"true": phrase("common.on"), "false": phrase("common.off")},
        ),
    ]


def _retries() -> rx.Component:
    """When a failed call is made again: of the conversation alone."""
    control, note = FIELD + RETRY_POLICY, f"{FIELD}{RETRY_POLICY}-said"
    return rx.cond(
        _FORM.scope == Scope.CONVERSATION.value,
        rx.el.div(
            rx.el.label(phrase("composer.retries"), html_for=control),
            rx.el.select(
                *(rx.el.option(text, value=policy.value) for policy, text in _POLICIES.items()),
                id=control,
                name=RETRY_POLICY,
                default_value=_FORM.retry_policy,
                aria_describedby=note,
            ),
            rx.el.p(phrase("composer.retries_hint"), id=note, class_name="form-hint"),
            class_name="form-field",
        ),
    )


def _field(name: str, label: str, hint: str, control: Any, *, more: rx.Var[str] | str = "", **props: Any) -> Any:
    fault = getattr(ParametersState.faults, name)
    note = f"{FIELD}{name}-said"
    own = {"placeholder": getattr(_FORM.instead, name)} if control is rx.el.input else {}
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
                class_name=rx.cond(fault != "", "form-fault", "form-hint"),
            ),
            class_name="form-field",
        ),
    )


def _choice(name: str, label: str, hint: str, options: dict[str, str]) -> rx.Component:
    def menu(**props: Any) -> rx.Component:
        unset = rx.el.option(getattr(_FORM.instead, name), value="")
        return rx.el.select(unset, *(rx.el.option(text, value=value) for value, text in options.items()), **props)

    return _field(name, label, hint, menu)
