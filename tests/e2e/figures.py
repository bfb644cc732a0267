"""The figures on screen: how many pairs are sent, and what that comes to."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page


def counter(page: Page) -> Locator:
    """X / Y."""
    return page.get_by_role("button", name=re.compile("pairs in view are sent$"))


def estimate(page: Page) -> Locator:
    """The figure beside Send."""
    return page.get_by_role("button", name=re.compile("to be sent now"))


def tokens(page: Page) -> int:
    """How many tokens the figure beside Send says."""
    found = re.search(r"[\d,]+", estimate(page).inner_text())
    assert found
    return int(found[0].replace(",", ""))
