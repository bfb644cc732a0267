"""Passkeys in a browser that has an authenticator: one is added, signs in without a password, and is removed."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.databases import lay_database
from tests.e2e.test_accounts import ACCOUNTS, first_link, sign_out, take_link
from tests.e2e.test_security import examine, open_security, wait_until_in
from tests.serving import Served, serving

DEVICE = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture
def demanding(tmp_path: Path) -> Generator[Served]:
    """A server that demands accounts, and has none yet."""
    lay_database(tmp_path / "data")
    with serving(tmp_path / "data", ACCOUNTS) as served:
        yield served


@contextmanager
def at_localhost(served: Served, browser: Browser) -> Generator[Page]:
    """A page at the one name of this machine for which browsers use passkeys."""
    with browser.new_context(base_url=f"http://localhost:{served.port}") as context:
        yield context.new_page()


class Device:
    """An authenticator in the browser of a page."""

    def __init__(self, page: Page) -> None:
        self._devtools: Any = page.context.new_cdp_session(page)
        self._devtools.send("WebAuthn.enable")
        self._id: str = self._devtools.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})["authenticatorId"]

    def recognises(self, *, its_user: bool) -> None:
        """Whether it verifies its user from now on."""
        self._devtools.send("WebAuthn.setUserVerified", {"authenticatorId": self._id, "isUserVerified": its_user})


def test_a_passkey_is_added_used_renamed_and_removed(demanding: Served, browser: Browser) -> None:
    with at_localhost(demanding, browser) as page:
        faults: list[str] = []
        page.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
        device = Device(page)
        take_link(page, first_link(demanding), "Ann")
        open_security(page)
        page.get_by_role("button", name="Add a passkey").click()
        expect(page.get_by_label("Name of the passkey")).to_have_value(re.compile("Chrome"))
        examine(page)
        page.get_by_label("Name of the passkey").fill("Ann's laptop")
        device.recognises(its_user=False)
        page.get_by_role("button", name="Make the passkey").click()
        expect(page.get_by_role("alert")).to_have_text("The browser made no passkey. Try again.")
        examine(page)
        device.recognises(its_user=True)
        page.get_by_role("button", name="Make the passkey").click()
        expect(page.get_by_text(re.compile("not used yet"))).to_be_visible()
        examine(page)
        page.get_by_role("button", name="Add a passkey").click()
        page.get_by_role("button", name="Make the passkey").click()
        expect(page.get_by_role("alert")).to_have_text("This device has a passkey of your account already.")

        sign_out(page)
        examine(page)
        page.get_by_role("link", name="Sign in with a passkey").click()
        wait_until_in(page)
        sign_out(page)
        device.recognises(its_user=False)
        page.get_by_role("link", name="Sign in with a passkey").click()
        expect(page.get_by_role("alert")).to_contain_text("The browser gave no passkey")
        examine(page)
        device.recognises(its_user=True)
        page.get_by_role("button", name="Use a passkey").press("Enter")
        wait_until_in(page)

        open_security(page)
        expect(page.get_by_text(re.compile("last used"))).to_be_visible()
        page.get_by_label("Name of the passkey").fill("Old laptop")
        page.get_by_role("button", name="Rename: Ann's laptop").click()
        page.get_by_role("button", name="Remove: Old laptop").click()
        expect(page.get_by_label("Name of the passkey")).to_have_count(0)
        sign_out(page)
        page.get_by_role("link", name="Sign in with a passkey").click()
        expect(page.get_by_role("alert")).to_contain_text("opens no account here")
        examine(page)
        assert [one for one in faults if "Content Security Policy" in one] == []


def test_at_another_address_a_sentence_says_where_passkeys_work(demanding: Served, browser: Browser) -> None:
    with browser.new_context(base_url=demanding.url) as context:
        page = context.new_page()
        take_link(page, first_link(demanding), "Ann")
        sign_out(page)
        page.get_by_role("link", name="Sign in with a passkey").click()
        expect(page.get_by_text(f"Passkeys work at http://localhost:{demanding.port}")).to_be_visible()
        expect(page.get_by_role("button", name="Use a passkey")).to_be_disabled()
        examine(page)
        page.get_by_role("link", name="Back to the sign-in page").click()
        expect(page.get_by_label("Password")).to_be_visible()
