"""Shares the conversation on screen: a preview of the shared page, then the link.

    await tab.send(ShareState.ask)
    tab.shows(ShareState, "page")                    # "<!doctype html>…": what is in view now
    await tab.send(ShareState.make, form={"author": "", "hours": "24"})
    tab.shows(ShareState, "link")                    # "https://…/s/…", until the dialog is closed

The link opens the page that was previewed, even if the conversation has changed since.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, Final

import reflex as rx

from app.domain.errors import InviewError
from app.domain.sharing.shares import DEFAULT_HOURS, MAX_AUTHOR, ShareChoice
from app.language.translation import translate
from app.runs.caller import caller
from app.runs.transfer.exports.sharing import PreparedShare, create_share, prepare_share
from app.runs.workbench import bench_of, current
from app.state.address import conversation_in
from app.state.composer.view_options import view_options_of
from app.state.faults import describe_fault
from app.state.inputs import text_in

MAX_PREVIEW: Final = 2_000_000
"""Characters of a preview with its images. A larger page is previewed without them."""
HOURS: Final = (1, 24, DEFAULT_HOURS, 30 * 24, 365 * 24)
"""How long a link can be good, as the menu offers it."""
_PARTS: Final = frozenset({"system_prompt", "thinking", "tools", "cost"})
_IMAGE: Final = re.compile(r'src="data:[^"]*"')
_HERE_ALONE: Final = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True)
class ShareView:
    """The dialog. `pairs` says how many are shared, `notes` what is not on the page. `filtered`: a filter holds."""

    system_prompt: bool
    thinking: bool
    tools: bool
    cost: bool = False
    pairs: str = ""
    notes: tuple[str, ...] = ()
    filtered: bool = False


class ShareState(rx.State):
    """`view` is None while the dialog is closed. `page` is the HTML of the preview, "" until it is drawn.

    `link` is the address that was made; `here_alone`: it opens on this machine only. `fault` is why nothing is shared.
    """

    view: rx.Field[ShareView | None] = rx.field(None)
    page: rx.Field[str] = rx.field("")
    link: rx.Field[str] = rx.field("")
    here_alone: rx.Field[bool] = rx.field(default=False)
    fault: rx.Field[str] = rx.field("")
    _author: str = ""
    _prepared: PreparedShare | None = None
    _turn: int = 0  # counts the pages that were asked for; one that was overtaken is dropped

    @rx.event
    async def ask(self) -> rx.event.EventType[()]:
        """Open the dialog, and draw what would be shared."""
        self._clear()
        self.view = ShareView(system_prompt=False, thinking=False, tools=False)
        return ShareState.draw

    @rx.event
    async def close(self) -> None:
        """Share nothing more. A link that was made stays good."""
        self._clear()

    @rx.event
    async def choose(self, part: str, shown: bool) -> rx.event.EventType[()] | None:
        """Show the system prompt, thinking, calls of tools or costs, or leave them out."""
        if self.view is None or part not in _PARTS:
            return None
        self.view = replace(self.view, **{part: shown is True})
        return ShareState.draw

    @rx.event
    async def sign(self, author: str) -> rx.event.EventType[()] | None:
        """Set the name that is shown on the page; "": none."""
        name = (text_in(author, 10 * MAX_AUTHOR) or "").strip()
        if self.view is None or name == self._author:
            return None
        self._author = name
        return ShareState.draw

    @rx.event(background=True)
    async def draw(self) -> None:
        """Draw the page of what is in view."""
        async with self:
            if self.view is None:
                return
            self._turn += 1
            turn, choice = self._turn, self._choice(self.view)
            conversation_id = conversation_in(self.router.url.path)
            view_options = await view_options_of(self, conversation_id)
        prepared, fault = None, ""
        try:
            bench = await bench_of(current(), conversation_id)
            prepared = await prepare_share(bench, caller(), conversation_id, view_options, choice)
        except InviewError as error:
            fault = describe_fault(error)
        async with self:
            if self._turn != turn:
                return
            self._prepared, self.fault, self.page = prepared, fault, ""
            self.view = replace(self.view, pairs="", notes=(), filtered=bool(view_options.filter))
            if prepared is not None:
                self.page, cut = _preview(prepared.page)
                self.view = replace(
                    self.view, pairs=translate("share.pairs", count=prepared.pairs), notes=_describe(prepared, cut=cut)
                )

    @rx.event
    async def make(self, form: dict[str, Any]) -> None:
        """Make the link to the page that is previewed."""
        if self.view is None or self.link or self._prepared is None:
            return
        author = (text_in(form.get("author"), 10 * MAX_AUTHOR) or "").strip()
        hours = text_in(form.get("hours"), 10) or ""
        prepared, wb = self._prepared, current()
        try:
            if author != prepared.choice.author:  # typed and sent by Enter: the page is drawn with that name
                self._author = author
                conversation_id = conversation_in(self.router.url.path)
                view_options, choice = await view_options_of(self, conversation_id), self._choice(self.view)
                prepared = await prepare_share(wb, caller(), conversation_id, view_options, choice)
            made = await create_share(wb, caller(), prepared, int(hours) if hours.isdecimal() else DEFAULT_HOURS)
        except InviewError as error:
            self.fault = describe_fault(error)
            return
        public = wb.settings.public_url
        self.link = f"{(public or self.router.url.origin).rstrip('/')}{made.path}"
        self.here_alone = not public and self.router.url.hostname in _HERE_ALONE
        self.page, self.fault, self._prepared = "", "", None

    def _choice(self, view: ShareView) -> ShareChoice:
        return ShareChoice(view.system_prompt, view.thinking, view.tools, self._author, view.cost)

    def _clear(self) -> None:
        self._turn += 1
        self.view, self.page, self.link, self.fault, self.here_alone = None, "", "", "", False
        self._author, self._prepared = "", None


def _preview(page: str) -> tuple[str, bool]:
    """The page as it is previewed, and whether its images are left out."""
    return (page, False) if len(page) <= MAX_PREVIEW else (_IMAGE.sub('src=""', page), True)


def _describe(prepared: PreparedShare, *, cut: bool) -> tuple[str, ...]:
    """What is not on the page, or not on the preview."""
    return (
        *([translate("share.secrets", count=prepared.secrets)] if prepared.secrets else ()),
        *([translate("share.running", count=prepared.running)] if prepared.running else ()),
        *([translate("share.no_images")] if cut else ()),
    )
