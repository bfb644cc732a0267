"""The page of usage: a report of costs, budgets, the comparison with a bill, and prices set by the user."""

from __future__ import annotations

import reflex as rx

from app.ui.pages.frame import frame
from app.ui.usage.bill import bill
from app.ui.usage.budgets import budgets
from app.ui.usage.prices import own_prices
from app.ui.usage.report import report


def usage() -> rx.Component:
    """Draw the page of `/usage`."""
    return frame(
        rx.el.div(
            rx.el.div(report(), budgets(), bill(), own_prices(), class_name="usage-page mx-auto px-5 pt-4 pb-16"),
            class_name="relative min-h-0 flex-1 overflow-y-auto",
        ),
        top=rx.el.h1("Usage", class_name="text-[14.5px] font-semibold"),
    )
