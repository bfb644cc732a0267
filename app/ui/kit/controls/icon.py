"""Line icons of 16 by 16 units in the colour of the text. They are hidden from screen readers: controls have names."""

from __future__ import annotations

from typing import Any

import reflex as rx


def icon(path: str, **props: Any) -> rx.Component:
    """Draw an icon from an SVG path. The stylesheet of its surroundings sets the style of the lines."""
    return rx.el.svg(rx.el.path(d=path), **_frame(props))


def line_icon(path: str, width: str = "1.3", *, fill: str | rx.Var[str] = "none", **props: Any) -> rx.Component:
    """Draw an icon from an SVG path, with lines of this width. `fill` is the colour of its area."""
    return lines(rx.el.path(d=path), width=width, fill=fill, **props)


def lines(*shapes: rx.Component, width: str = "1.3", fill: str | rx.Var[str] = "none", **props: Any) -> rx.Component:
    """Draw an icon of several SVG shapes, with lines of this width. `fill` is the colour of its area."""
    style = {"stroke": "currentColor", "stroke_width": width, "stroke_linecap": "round", "stroke_linejoin": "round"}
    return rx.el.svg(*shapes, **_frame({"fill": fill, **style, **props}))


def _frame(props: dict[str, Any]) -> dict[str, Any]:
    return {"view_box": "0 0 16 16", "aria_hidden": "true", **props}
