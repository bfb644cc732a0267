"""Settings → Permissions: rules with a button that revokes each, and the audit trail, read once it is opened."""

from __future__ import annotations

import reflex as rx

from app.state.settings.permissions import AuditItem, PermissionRulesState, PreapprovedItem, RuleItem
from app.ui.kit.moment import Moment, TimeForm
from app.ui.phrase import phrase
from app.ui.settings.parts import section, status


def permissions() -> rx.Component:
    """The section of permissions."""
    return section(
        "permissions",
        phrase("settings.permissions.permissions"),
        phrase("settings.permissions.about"),
        rx.cond(PermissionRulesState.loaded, _content(), status(phrase("settings.permissions.reading_the_rules"))),
    )


def _content() -> rx.Component:
    rules = rx.el.ul(
        rx.foreach(PermissionRulesState.rules, lambda rule: rule_row(rule=rule, key=rule.id)),
        aria_label=phrase("settings.permissions.rules"),
    )
    none = rx.el.p(
        phrase("settings.permissions.no_rules"),
        class_name="context-said",
    )
    return rx.el.div(
        rx.cond(PermissionRulesState.rules.length() > 0, rules, none),
        status(PermissionRulesState.said),
        rx.cond(
            PermissionRulesState.preapproved.length() > 0,
            rx.fragment(
                _note(phrase("settings.permissions.agents_about")),
                rx.el.ul(
                    rx.foreach(PermissionRulesState.preapproved, lambda item: preapproved_row(item=item, key=item.key)),
                    aria_label=phrase("settings.permissions.pre_approved_by_agents"),
                ),
            ),
        ),
        rx.el.details(
            rx.el.summary(
                phrase("settings.permissions.every_decision_so_far"), on_click=PermissionRulesState.show_audit
            ),
            rx.cond(
                PermissionRulesState.audit_loaded,
                rx.cond(
                    PermissionRulesState.audit.length() > 0,
                    _audit(),
                    _note(phrase("settings.permissions.nothing_was_called_yet")),
                ),
                _note(phrase("common.reading")),
            ),
        ),
        role="group",
        aria_label=phrase("settings.permissions.permissions"),
        class_name="context-settings permission-settings",
    )


@rx.memo
def rule_row(rule: rx.vars.ObjectVar[RuleItem], rest: rx.RestProp) -> rx.Component:
    """One rule."""
    where = rx.cond(
        rule.conversation != "",
        rx.fragment(
            f"{phrase('settings.permissions.in')} ",
            rx.el.a(phrase("settings.permissions.one_conversation"), href=rule.conversation),
        ),
        rx.cond(
            rule.agent != "",
            phrase("settings.permissions.always_for", agent=rule.agent.to(str)),
            phrase("settings.permissions.always"),
        ),
    )
    return rx.el.li(
        rx.el.p(
            rx.el.strong(rule.name),
            " ",
            rx.el.span(
                where, f"{phrase('settings.permissions.since')} ", Moment.create(at=rule.since, form=TimeForm.DAY)
            ),
            rx.foreach(rule.patterns, lambda pattern: rx.el.code(pattern, key=pattern)),
        ),
        rx.el.button(
            phrase("settings.permissions.revoke"),
            type="button",
            aria_label=phrase("settings.permissions.revoke_name", name=rule.name),
            on_click=PermissionRulesState.revoke(rule.id),
            class_name="quiet",
        ),
        rest,
    )


@rx.memo
def preapproved_row(item: rx.vars.ObjectVar[PreapprovedItem], rest: rx.RestProp) -> rx.Component:
    """Calls that one agent makes without asking."""
    return rx.el.li(
        rx.el.p(
            rx.el.strong(item.name),
            " ",
            rx.el.span(f"{phrase('settings.permissions.pre_approved_for')} ", rx.el.a(item.agent, href=item.place)),
            rx.foreach(item.patterns, lambda pattern: rx.el.code(pattern, key=pattern)),
        ),
        rest,
    )


def _audit() -> rx.Component:
    return rx.fragment(
        rx.el.ol(
            rx.foreach(PermissionRulesState.audit, lambda item: audit_row(item=item, key=item.number.to_string())),
            aria_label=phrase("settings.permissions.audit_trail"),
            class_name="audit",
        ),
        rx.cond(
            PermissionRulesState.older,
            rx.el.button(
                phrase("common.show_older"), type="button", on_click=PermissionRulesState.show_older, class_name="quiet"
            ),
        ),
    )


@rx.memo
def audit_row(item: rx.vars.ObjectVar[AuditItem], rest: rx.RestProp) -> rx.Component:
    """One decision."""
    return rx.el.li(
        Moment.create(at=item.at, form=TimeForm.FULL),
        " ",
        rx.el.strong(item.action),
        f" {item.tool} ",
        rx.el.span(item.reason),
        rx.cond(item.arguments != "", rx.el.code(item.arguments, dir="auto")),
        rest,
    )


def _note(text: str) -> rx.Component:
    return rx.el.p(text, class_name="context-said")
