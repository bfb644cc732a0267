"""Toasts: a line that reports the last action and offers to undo it, and a line that reports work in progress."""

from __future__ import annotations

from typing import Any, Final

import reflex as rx

from app.state.messages.toasts import ToastState
from app.state.reply.summary import SummaryState
from app.ui.kit.clock.passing import Passing
from app.ui.kit.controls.icon import line_icon

SHOWN_MS: Final = 7000

_TOAST: Any = ToastState.toast
_WORK: Any = SummaryState.work


def toasts() -> rx.Component:
    """Draw the toasts over the end of the transcript or of the page. They take no space and move nothing."""
    return rx.el.div(
        rx.el.div(_work(), rx.cond(_TOAST & ~_TOAST.fault, _toast()), role="status", aria_live="polite"),
        rx.el.div(rx.cond(_TOAST & _TOAST.fault, _toast()), role="alert", aria_live="assertive"),
        class_name="toasts",
    )


def _toast() -> rx.Component:
    return Passing.create(
        rx.el.span(_TOAST.message, dir="auto"),
        rx.cond(
            _TOAST.offer,
            rx.el.button(_TOAST.offer, type="button", on_click=ToastState.take_offer(_TOAST.id), class_name="offer"),
        ),
        rx.cond(
            _TOAST.undo,
            rx.el.button("Undo", type="button", title="Undo (Ctrl+Z)", on_click=ToastState.undo(_TOAST.id)),
        ),
        rx.el.button(
            line_icon("m4.5 4.5 7 7m0-7-7 7", "1.4"),
            type="button",
            aria_label="Dismiss",
            title="Dismiss",
            on_click=ToastState.dismiss(_TOAST.id),
            class_name="close",
        ),
        milliseconds=SHOWN_MS,
        on_end=ToastState.dismiss(_TOAST.id).temporal,
        key=_TOAST.id,
        class_name="toast",
        custom_attrs={"data-fault": rx.cond(_TOAST.fault, "", rx.Var("undefined"))},
    )


def _work() -> rx.Component:
    """Draw the progress of a summary, with a button that stops it."""
    return rx.cond(
        _WORK,
        rx.el.div(
            rx.el.span(_WORK.message, dir="auto"),
            rx.el.button("Stop", type="button", on_click=SummaryState.stop),
            class_name="toast",
        ),
    )
