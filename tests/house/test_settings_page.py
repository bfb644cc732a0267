"""The page of settings is filled from its top."""

from __future__ import annotations

from app.ui.pages.settings import ON_LOAD, settings


def test_sections_are_read_in_the_order_of_the_page() -> None:
    page = str(settings())
    places = [page.index(handler.state_full_name.replace(".", "__").rpartition("__")[0]) for handler in ON_LOAD]

    assert places == sorted(places)
