"""The version switch of a pair: "2/3" compares the versions, the arrows restore the previous and the next one.

A note says which version is shown if it is not the newest.
"""

from __future__ import annotations

from typing import Any, Final

import reflex as rx

from app.state.inspector.versions import VersionsState
from app.ui.kit.controls.icon import line_icon
from app.ui.kit.vars import PairVar

_BACK: Final = "M9.5 4 5.5 8l4 4"
_ON: Final = "m6.5 4 4 4-4 4"


def versions(pair: PairVar) -> rx.Component:
    """Draw the version switch of a pair; nothing if the pair has only one version."""
    standing, count = pair.version.to(int), pair.versions.to(int)
    place = f"Version {standing} of {count}"
    return rx.cond(
        count > 1,
        rx.el.span(
            _arrow(pair, standing - 1, at_end=standing <= 1, name="Previous version", path=_BACK),
            rx.el.button(
                f"{standing}/{count}",
                type="button",
                title="Compare the versions (Shift+E swaps)",
                aria_label=f"{standing}/{count}: compare the versions",
                on_click=VersionsState.compare(pair.id),
                class_name="version-place",
            ),
            _arrow(pair, standing + 1, at_end=standing >= count, name="Next version", path=_ON),
            role="group",
            aria_label=place,
            class_name="versions",
        ),
    )


def older_version(pair: PairVar) -> rx.Component:
    """Draw a note that the pair shows an older version; nothing if it shows the newest."""
    standing, count = pair.version.to(int), pair.versions.to(int)
    return rx.cond(standing < count, rx.el.span(f"Showing version {standing} of {count}", class_name="older-version"))


def _arrow(pair: PairVar, to: rx.vars.NumberVar[Any], *, at_end: rx.Var[bool], name: str, path: str) -> rx.Component:
    """Draw an arrow that restores the version `to`. It is never disabled, because a disabled button loses the focus."""
    return rx.el.button(
        line_icon(path, "1.5"),
        type="button",
        aria_label=name,
        title=name,
        aria_disabled=at_end,
        on_click=rx.cond(at_end, rx.noop(), VersionsState.restore(pair.id, to, pair.version)),
        class_name="version-arrow",
    )
