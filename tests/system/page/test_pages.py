from __future__ import annotations

from collections import Counter
from typing import Any, cast

import reflex as rx

from app.ui import pages


class Recorder:
    """Replaces the app and records the added routes."""

    def __init__(self) -> None:
        self.routes: list[str] = []

    def add_page(self, _page: object, *, route: str, **_more: Any) -> None:
        self.routes.append(route)


def test_no_route_has_two_pages() -> None:
    """Reflex silently uses the later page: a merge that doubles a line would lose the load events of a page."""
    recorder = Recorder()

    pages.register(cast("rx.App", recorder))

    assert recorder.routes
    assert [route for route, count in Counter(recorder.routes).items() if count > 1] == []
