"""What was spent: in the top bar, in a pair's line, and on a page of its own. The scripts explain how."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.ui.components.scripts import Script, script


class Spent(Script):
    """The open conversation's tokens and cost; a press opens its requests."""

    library = script("spent.jsx")
    tag = "Spent"


class PairSpent(Script):
    """A reply's tokens and cost."""

    library = script("spent.jsx")
    tag = "PairSpent"
    usage: rx.Var[dict[str, Any]]
    cost: rx.Var[str]
    at_least: rx.Var[bool]


class UsagePage(Script):
    """Sums, charts, budgets and prices."""

    library = script("usage.jsx")
    tag = "UsagePage"
