"""Settings → Permissions: the rules, each with a button that revokes it, and the audit trail, which expands."""

from __future__ import annotations

import reflex as rx

from app.state.settings.permissions import AuditItem, PermissionRulesState, RuleItem
from app.ui.kit.clock.moment import MomentText, TimeForm
from app.ui.settings.parts import section, status


def permissions() -> rx.Component:
    """Draw the section Permissions of the Settings page."""
    return section(
        "permissions",
        "Permissions",
        "The tools that models may call without asking you, and the decision about each call.",
        rx.cond(PermissionRulesState.loaded, _content(), status("Loading rules…")),
    )


def _content() -> rx.Component:
    rules = rx.el.ul(
        rx.foreach(PermissionRulesState.rules, lambda rule: rule_row(rule=rule, key=rule.id)), aria_label="Rules"
    )
    none = rx.el.p(
        "No rules: you are asked before every tool call, except the current time and the search in your conversations, "
        "which only read.",
        class_name="context-said",
    )
    return rx.el.div(
        rx.cond(PermissionRulesState.rules.length() > 0, rules, none),
        status(PermissionRulesState.said),
        rx.el.details(
            rx.el.summary("All decisions", on_click=PermissionRulesState.show_audit),
            rx.cond(
                PermissionRulesState.audit_loaded,
                rx.cond(PermissionRulesState.audit.length() > 0, _audit(), _note("No tool calls yet.")),
                _note("Loading…"),
            ),
        ),
        role="group",
        aria_label="Permissions",
        class_name="context-settings permission-settings",
    )


@rx.memo
def rule_row(rule: rx.vars.ObjectVar[RuleItem], rest: rx.RestProp) -> rx.Component:
    """Draw one permission rule, with a button that revokes it."""
    where = rx.cond(
        rule.conversation != "",
        rx.fragment("in ", rx.el.a("one conversation", href=rule.conversation)),
        rx.cond(rule.agent != "", f"always for {rule.agent}", "always"),
    )
    return rx.el.li(
        rx.el.p(
            rx.el.strong(rule.name),
            " ",
            rx.el.span(where, ", since ", MomentText.create(at=rule.since, form=TimeForm.DAY)),
            rx.foreach(rule.patterns, lambda pattern: rx.el.code(pattern, key=pattern)),
        ),
        rx.el.button(
            "Revoke",
            type="button",
            aria_label=f"Revoke {rule.name}",
            on_click=PermissionRulesState.revoke(rule.id),
            class_name="quiet",
        ),
        rest,
    )


def _audit() -> rx.Component:
    return rx.fragment(
        rx.el.ol(
            rx.foreach(PermissionRulesState.audit, lambda item: audit_row(item=item, key=item.number.to_string())),
            aria_label="Audit trail",
            class_name="audit",
        ),
        rx.cond(
            PermissionRulesState.older,
            rx.el.button("Show older", type="button", on_click=PermissionRulesState.show_older, class_name="quiet"),
        ),
    )


@rx.memo
def audit_row(item: rx.vars.ObjectVar[AuditItem], rest: rx.RestProp) -> rx.Component:
    """Draw one decision of the audit trail."""
    return rx.el.li(
        MomentText.create(at=item.at, form=TimeForm.FULL),
        " ",
        rx.el.strong(item.action),
        f" {item.tool} ",
        rx.el.span(item.reason),
        rx.cond(item.arguments != "", rx.el.code(item.arguments, dir="auto")),
        rest,
    )


def _note(text: str) -> rx.Component:
    return rx.el.p(text, class_name="context-said")
