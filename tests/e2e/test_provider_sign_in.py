"""Sign-in by a provider in a browser, at one that nobody here wrote: linked, refused with a reason, unlinked."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.api.providers_of_identity import CLIENT_ID, CLIENT_SECRET, a_real_provider, allow
from tests.databases import lay_database
from tests.e2e.test_accounts import ACCOUNTS, first_link, sign_out, take_link
from tests.e2e.test_security import examine, open_security, wait_until_in
from tests.serving import Served, serving

HERE = re.compile(r"http://(127\.0\.0\.1|localhost):\d+/")


@pytest.fixture
def provider() -> Generator[str]:
    """The address of a provider that knows Ann, Cleo, Ben of another organisation, and somebody with Ann's address."""
    with a_real_provider() as issuer:
        allow(issuer, "ann-there", email="ann@elsewhere.example", email_verified=True, name="Ann")
        allow(issuer, "cleo", email="cleo@example.org", email_verified=True, name="Cleo")
        allow(issuer, "ben", email="ben@stranger.example", email_verified=True, name="Ben")
        allow(issuer, "another-ann", email="ann@example.org", email_verified=True, name="Another Ann")
        yield issuer


@pytest.fixture
def demanding(tmp_path: Path, provider: str) -> Generator[Served]:
    """A server with that provider, which admits people of example.org, and has no account yet."""
    lay_database(tmp_path / "data")
    settings = {
        "INVIEW_OIDC_ISSUER": provider,
        "INVIEW_OIDC_CLIENT_ID": CLIENT_ID,
        "INVIEW_OIDC_CLIENT_SECRET": CLIENT_SECRET,
        "INVIEW_OIDC_NAME": "Example SSO",
        "INVIEW_OIDC_ADMITS": "example.org",
    }
    with serving(tmp_path / "data", ACCOUNTS | settings) as served:
        yield served


@contextmanager
def a_page(served: Served, browser: Browser) -> Generator[Page]:
    """A page that reaches this machine alone: the provider's own asks another for its style."""
    with browser.new_context(base_url=served.url) as context:
        context.route(lambda address: not HERE.match(address), lambda route: route.abort())
        yield context.new_page()


def enter_as(page: Page, subject: str) -> None:
    """Follow the button to the provider and sign in there."""
    page.get_by_role("link", name="Continue with Example SSO").click()
    page.get_by_placeholder("sub").fill(subject)
    page.get_by_role("button", name="Authorize", exact=True).click()


def refused(page: Page, said: str) -> None:
    """See that nobody was signed in, and why."""
    expect(page.get_by_role("alert")).to_contain_text(said)
    examine(page)
    page.goto("/settings")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_an_account_is_linked_signs_in_and_is_unlinked(demanding: Served, browser: Browser) -> None:
    with a_page(demanding, browser) as page:
        take_link(page, first_link(demanding), "Ann")
        open_security(page)
        page.get_by_role("button", name="Link an account").click()
        expect(page.get_by_text("You go to Example SSO now, and come back here.")).to_be_visible()
        examine(page)
        enter_as(page, "ann-there")
        page.wait_for_url("**/security")
        expect(page.get_by_text("ann@elsewhere.example")).to_be_visible()
        examine(page)

        sign_out(page)
        examine(page)
        enter_as(page, "ann-there")
        wait_until_in(page)
        page.goto("/settings")
        expect(page.get_by_text("ann@example.org").first).to_be_visible()  # it is Ann's account here
        sign_out(page)

        page.get_by_label("E-mail address").fill("ann@example.org")
        page.get_by_label("Password").fill("correct horse battery")
        page.get_by_role("button", name="Sign in", exact=True).click()
        wait_until_in(page)
        open_security(page)
        page.get_by_role("button", name="Unlink: ann@elsewhere.example").click()
        expect(page.get_by_text("ann@elsewhere.example")).to_have_count(0)
        sign_out(page)
        enter_as(page, "ann-there")
        refused(page, "Example SSO knows you, but no account here is linked to it.")


def test_somebody_new_comes_in_and_others_are_refused_with_a_reason(demanding: Served, browser: Browser) -> None:
    with a_page(demanding, browser) as page:
        take_link(page, first_link(demanding), "Ann")
        sign_out(page)
        enter_as(page, "ben")
        refused(page, "Example SSO knows you, but no account here is linked to it.")
        enter_as(page, "another-ann")
        refused(page, "An account with your e-mail address exists already.")
        page.get_by_role("link", name="Continue with Example SSO").click()
        page.get_by_role("button", name="Deny").click()
        refused(page, "Begin again.")  # this provider sends no state with a refusal, as it should (RFC 6749, 4.1.2.1)

        enter_as(page, "cleo")
        wait_until_in(page)
        page.goto("/settings")
        expect(page.get_by_text("cleo@example.org").first).to_be_visible()
        page.goto("/security")  # signed in a moment ago, without a password that could be asked for
        expect(page.get_by_role("heading", name="Example SSO")).to_be_visible()
        page.get_by_role("button", name="Unlink: cleo@example.org").click()
        expect(page.get_by_role("alert")).to_contain_text("This is your only way to sign in.")
        examine(page)
        page.go_back()
        sign_out(page)
        page.go_back()
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
