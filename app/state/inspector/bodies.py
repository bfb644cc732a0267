"""The JSON of a request's body as the page shows it: whole, or in pages with a link that downloads the whole."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.views.inspector.json_pages import JsonPage, cut_json


@dataclass(frozen=True, slots=True)
class BodyView:
    """The JSON of a request's body, or one of its `count` pages. `number` is the number of the page, counted from 1.

    `download` is the address of the whole body, "" for none.
    """

    page: JsonPage = field(default_factory=JsonPage)
    number: int = 1
    count: int = 1
    download: str = ""


def show_body(body: bytes, number: int, download: str) -> BodyView:
    """Return the page with this number, counted from 1, of a body. If there is no such page, return the nearest one.

    `download` is the address of the whole body, "" for none.
    """
    pages = cut_json(body.decode(errors="replace"))
    at = min(max(number, 1), len(pages))
    return BodyView(pages[at - 1], at, len(pages), download if len(pages) > 1 else "")
