"""Figures on screen: the number of pairs that will be sent, and the estimate of the send."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page


def counter(page: Page) -> Locator:
    """The counter X / Y."""
    return page.get_by_role("button", name=re.compile("pairs in view are sent$"))


def estimate(page: Page) -> Locator:
    """The figure next to Send."""
    return page.get_by_role("button", name=re.compile("to be sent now"))


def tokens(page: Page) -> int:
    """Return the number of tokens in the figure next to Send."""
    found = re.search(r"[\d,]+", estimate(page).inner_text())
    assert found
    return int(found[0].replace(",", ""))
