"""What was sent for a pair: listed from its line, downloaded byte for byte, and told when words are gone."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.e2e.screen import Screen
from tests.e2e.test_looks import PHONE, WIDE, examine
from tests.serving import Served


def opened(screen: Screen, pair: int = 1, *, position: int = 1) -> Locator:
    screen.page.keyboard.press("Escape")
    box = screen.pairs.nth(pair - 1)
    box.hover()
    box.get_by_role("button", name="Recorded calls").first.click()
    dialog = screen.page.get_by_role("dialog", name=f"Sent for pair {position}")
    expect(dialog).to_be_visible()
    return dialog


def test_a_recorded_call_is_listed_and_downloaded_byte_for_byte(screen: Screen) -> None:
    screen.start("/echo The red fox").wait_for_reply()

    dialog = opened(screen)

    line = dialog.get_by_role("listitem")
    expect(line).to_have_count(1)
    expect(line).to_contain_text("Reply, call 1")
    expect(line).to_contain_text("complete")
    with screen.page.expect_download() as downloading:
        line.get_by_role("link", name="Download the body: Reply, call 1").click()
    body = Path(downloading.value.path()).read_bytes()
    assert b"The red fox" in body
    expect(line.locator("code")).to_have_text(sha256(body).hexdigest()[:12])
    expect(line.locator("code")).to_have_attribute("title", sha256(body).hexdigest())
    expect(line).to_contain_text(f"{len(body):,} bytes")

    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_have_count(0)


def test_a_call_whose_words_were_deleted_for_good_says_so_and_has_no_link(screen: Screen) -> None:
    screen.start("/echo The swordfish is in the second drawer.").wait_for_reply()
    screen.send("/echo Another matter").wait_for_reply(2)
    first = screen.stored_pairs()[0]["id"]
    for path in (f"pairs/{first}", f"trash/{first}"):
        gone = screen.page.evaluate("(path) => fetch('/api/v1/' + path, {method: 'DELETE'}).then((it) => it.ok)", path)
        assert gone
    expect(screen.pairs).to_have_count(1)

    dialog = opened(screen, 1, position=2)

    expect(dialog.get_by_role("listitem")).to_contain_text("words deleted for good")
    expect(dialog.get_by_role("link")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_the_list_fits_and_can_be_read_by_everybody(browser: Browser, server: Served, size: Any, scheme: Any) -> None:
    phone = size is PHONE
    page = browser.new_page(base_url=server.url, viewport=size, color_scheme=scheme, has_touch=phone, is_mobile=phone)
    screen = Screen(page).go("/").start("/echo The red fox").wait_for_reply()
    if phone:
        page.locator(".more > summary").last.click()
        page.locator(".more-row").get_by_role("button", name="Recorded calls").click()
    else:
        opened(screen)
    expect(page.get_by_role("dialog").get_by_role("listitem")).to_have_count(1)
    examine(page)
    page.close()
