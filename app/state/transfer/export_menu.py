"""The export menu of the conversation on screen: links to its files, whole or as filtered.

A link needs no handler: the browser fetches the file over HTTP. A filter typed as `:export` does the same
(`app/state/filters/line.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import reflex as rx

from app.domain.filters.language.commands import ExportFormat
from app.language.translation import translate
from app.state.address import conversation_in
from app.state.filters.applied import FilterState
from app.views.export_address import export_address


@dataclass(frozen=True)
class ExportLink:
    """A line of the menu. `download`: the file is saved; otherwise it opens in a tab of its own."""

    name: str
    about: str
    address: str
    download: bool


@dataclass(frozen=True)
class ExportMenuView:
    """The menu. `filtered`: the filter in force leaves pairs out; `narrowed`: the files have only what it shows."""

    links: tuple[ExportLink, ...]
    filtered: bool
    narrowed: bool


_PRINT: Final = "print"
_LINES: Final = (
    (ExportFormat.JSON.value, "transfer.json", "transfer.json_about"),
    (ExportFormat.MARKDOWN.value, "transfer.markdown", "transfer.markdown_about"),
    (ExportFormat.HTML.value, "transfer.html", "transfer.html_about"),
    (_PRINT, "transfer.print", "transfer.print_about"),
)


class ExportMenuState(FilterState):
    """`menu` is None while it is closed."""

    menu: rx.Field[ExportMenuView | None] = rx.field(None)

    @rx.event
    async def show(self) -> None:
        """Open the menu. With a filter in force, the files have only what it shows."""
        self._show(narrowed=bool(self.filter))

    @rx.event
    async def toggle_scope(self) -> None:
        """Change whether the files have only what the filter shows."""
        if self.menu is not None:
            self._show(narrowed=bool(self.filter) and not self.menu.narrowed)

    @rx.event
    async def close(self) -> None:
        """Close the menu."""
        self.menu = None

    def _show(self, *, narrowed: bool) -> None:
        conversation_id = conversation_in(self.router.url.path)
        view_options: dict[str, str | None] = {}
        if narrowed:
            wanted = self.wanted
            view_options = {
                "filter": self.filter,
                "model": wanted.model,
                "topic": wanted.topic,
                "zone": wanted.zone,
                "as_of": self.as_of or None,
            }
        self.menu = ExportMenuView(
            tuple(
                _link(conversation_id, key, translate(name), translate(about), view_options)
                for key, name, about in _LINES
            ),
            filtered=bool(self.filter),
            narrowed=narrowed,
        )


def _link(conversation_id: str, key: str, name: str, about: str, view_options: dict[str, str | None]) -> ExportLink:
    asked = {"format": "html", "print": "true"} if key == _PRINT else {"format": key}
    return ExportLink(name, about, export_address(conversation_id, **asked, **view_options), download=key != _PRINT)
