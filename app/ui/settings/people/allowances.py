"""Settings → People, second part: models by role, and budgets of roles and persons. For owners and admins."""

from __future__ import annotations

import reflex as rx

from app.state.settings.allowances import AllowanceState, GivenBudgetItem, ReceiverItem, RoleModelsItem
from app.state.usage.budgets import SPANS
from app.ui.phrase import phrase
from app.ui.settings.parts import FIELD, LOUD, QUIET, labelled, status
from app.ui.usage.table import options

_TITLE = "mt-6 text-[14px] font-medium"


def allowances() -> rx.Component:
    """The part; nothing for members, and where accounts are off."""
    return rx.cond(
        AllowanceState.loaded,
        rx.el.section(
            rx.el.h3(phrase("settings.allowances.budgets"), class_name=_TITLE),
            rx.el.p(phrase("settings.allowances.about_budgets"), class_name="text-[14px] text-muted"),
            rx.el.ul(rx.foreach(AllowanceState.budgets, _budget), class_name="divide-y divide-line text-[14px]"),
            _give(),
            rx.el.h3(phrase("settings.allowances.models"), class_name=_TITLE),
            rx.el.p(phrase("settings.allowances.about_models"), class_name="text-[14px] text-muted"),
            rx.foreach(AllowanceState.models, _models),
            status(AllowanceState.said),
            aria_label=phrase("settings.allowances.title"),
            class_name="mb-10",
        ),
    )


def _budget(one: rx.vars.ObjectVar[GivenBudgetItem]) -> rx.Component:
    return rx.el.li(
        rx.el.p(
            rx.el.span(one.name, dir="auto", class_name="font-medium"),
            " · ",
            one.about,
            class_name="min-w-0 grow basis-56 break-words",
        ),
        rx.cond(
            one.changeable,
            rx.el.button(
                phrase("common.remove"),
                type="button",
                aria_label=phrase("settings.allowances.remove", name=one.name),
                on_click=AllowanceState.take(one.receiver, one.span),
                class_name=QUIET,
            ),
        ),
        key=f"{one.receiver} {one.span}",
        class_name="flex flex-wrap items-center gap-x-4 gap-y-2 py-3",
    )


def _give() -> rx.Component:
    return rx.el.form(
        labelled(
            phrase("settings.allowances.for"),
            rx.el.select(rx.foreach(AllowanceState.receivers, _receiver), name="to", class_name=FIELD),
        ),
        labelled(
            phrase("usage.for_which_time"),
            rx.el.select(*options(SPANS), name="span", default_value="month", class_name=FIELD),
        ),
        labelled(
            phrase("usage.amount_in_us_dollars"),
            rx.el.input(name="amount", input_mode="decimal", required=True, placeholder="10.00", class_name=FIELD),
        ),
        rx.el.label(
            rx.el.input(type="checkbox", name="stops", default_checked=True),
            f" {phrase('usage.stop_there')}",
            class_name="text-[14px]",
        ),
        rx.el.button(phrase("usage.set_the_budget"), type="submit", class_name=f"{LOUD} justify-self-start"),
        on_submit=AllowanceState.give,
        aria_label=phrase("usage.set_a_budget"),
        class_name="mt-3 grid gap-3",
    )


def _receiver(one: rx.vars.ObjectVar[ReceiverItem]) -> rx.Component:
    return rx.el.option(one.name, value=one.value, key=one.value)


def _models(one: rx.vars.ObjectVar[RoleModelsItem]) -> rx.Component:
    return rx.el.form(
        rx.el.input(type="hidden", name="role", value=one.role, read_only=True),
        labelled(
            one.name.to(str),
            rx.el.textarea(
                name="models",
                default_value=one.models,
                placeholder=phrase("settings.allowances.all_models"),
                rows=3,
                spell_check=False,
                disabled=~one.changeable,
                class_name=f"{FIELD} h-auto py-2 font-mono",
            ),
        ),
        rx.cond(
            one.changeable,
            rx.el.button(
                phrase("common.save"),
                type="submit",
                aria_label=phrase("settings.allowances.save_models", name=one.name),
                class_name=f"{QUIET} justify-self-start",
            ),
        ),
        on_submit=AllowanceState.save_models,
        aria_label=phrase("settings.allowances.models_of", name=one.name),
        key=one.role,
        class_name="mt-3 grid gap-3",
    )
