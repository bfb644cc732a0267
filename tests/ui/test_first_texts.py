"""Texts that a new user reads first: the start page, and the notes above pairs that are not sent."""

from __future__ import annotations

from app.ui.pages.home import home
from tests.ui.drawn import draw


def test_start_page_begins_with_what_is_sent() -> None:
    page = draw(home, {})

    lead = page.text.index("What you see is what is sent to the model")
    assert lead < page.text.index("Attach a file")

