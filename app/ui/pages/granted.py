"""What others share with the person at this page."""

from __future__ import annotations

import reflex as rx

from app.ui.pages.frame import frame
from app.ui.shell.toasts import toasts
from app.ui.transfer.granted import granted_head, granted_page


def granted() -> rx.Component:
    """The page of `/shared`, and of `/shared?grant=<id>`."""
    return frame(granted_page(), rx.el.div(toasts(), class_name="composer-place"), top=granted_head())
