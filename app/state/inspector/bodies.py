"""The JSON of a request's body on the page: all of it, or a page of it with a link to the rest."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.views.screen.json_pages import JsonPage, cut_json


@dataclass(frozen=True, slots=True)
class BodyView:
    """The JSON of a body, or a page of it. `download` is where all of it is, "" if it stands here."""

    page: JsonPage = field(default_factory=JsonPage)
    number: int = 1
    count: int = 1
    download: str = ""


def show_body(body: bytes, number: int, download: str) -> BodyView:
    """The page with that number, counted from 1, or the nearest there is."""
    pages = cut_json(body.decode(errors="replace"))
    at = min(max(number, 1), len(pages))
    return BodyView(pages[at - 1], at, len(pages), download if len(pages) > 1 else "")
