"""How somebody signs in, in a browser: a second step is turned on, asked for, and turned off."""

from __future__ import annotations

import re
from base64 import b32decode
from collections.abc import Generator
from pathlib import Path
from time import time

import pytest
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP
from playwright.sync_api import Browser, Page, expect

from tests.databases import lay_database
from tests.e2e.axe import axe_findings
from tests.e2e.screen import visit, wait_until_alive
from tests.e2e.test_accounts import ACCOUNTS, PASSWORD, first_link, sign_out, take_link
from tests.serving import Served, serving

WIDE, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}


@pytest.fixture
def demanding(tmp_path: Path) -> Generator[Served]:
    """A server that demands accounts, and has none yet."""
    lay_database(tmp_path / "data")
    with serving(tmp_path / "data", ACCOUNTS) as served:
        yield served


def examine(page: Page) -> None:
    """In all four looks: nothing sticks out, and axe finds nothing wrong."""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for size in (WIDE, PHONE):
            page.set_viewport_size(size)  # pyright: ignore[reportArgumentType] - a dict is what it takes
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            assert axe_findings(page) == []
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(WIDE)  # pyright: ignore[reportArgumentType] - see above


def wait_until_in(page: Page) -> None:
    """Until the page is open: the form before it leads there."""
    expect(page).to_have_url(re.compile(r":\d+/$"))
    wait_until_alive(page)


def fill_password(page: Page) -> None:
    page.get_by_label("E-mail address").fill("ann@example.org")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()


def open_security(page: Page) -> None:
    """From Settings → Account, with the password."""
    visit(page, "/settings")
    page.get_by_role("link", name=re.compile("^How you sign in")).click()
    page.wait_for_url("**/security")
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Second step")).to_be_visible()


def test_a_second_step_is_turned_on_asked_for_and_turned_off(demanding: Served, browser: Browser) -> None:
    with browser.new_context(base_url=demanding.url) as context:
        page = context.new_page()
        take_link(page, first_link(demanding), "Ann")
        open_security(page)
        examine(page)
        page.get_by_role("button", name="Turn on").click()
        expect(page.get_by_role("img", name="QR code with the secret")).to_be_visible()
        examine(page)
        secret = b32decode(page.get_by_role("code").inner_text().replace(" ", ""))
        app = TOTP(secret, 6, SHA1(), 30)
        page.get_by_role("textbox", name="Code").fill(app.generate(int(time()) - 30).decode())
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()
        examine(page)
        codes = page.get_by_role("listitem").all_inner_texts()
        page.get_by_role("link", name="Back to how you sign in").click()
        expect(page.get_by_text("Recovery codes left: 10.")).to_be_visible()
        examine(page)

        sign_out(page)
        fill_password(page)
        page.wait_for_url("**/sign-in/code")
        examine(page)
        page.get_by_role("textbox", name="Code").fill("000000")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("This code is wrong")
        page.get_by_role("textbox", name="Code").fill(app.generate(int(time())).decode())
        page.keyboard.press("Enter")
        wait_until_in(page)
        sign_out(page)
        fill_password(page)
        page.get_by_role("textbox", name="Code").fill(codes[0])
        page.keyboard.press("Enter")
        wait_until_in(page)

        open_security(page)
        page.get_by_role("button", name="Turn off").click()
        expect(page.get_by_role("button", name="Turn on")).to_be_visible()
        sign_out(page)
        fill_password(page)
        wait_until_in(page)
