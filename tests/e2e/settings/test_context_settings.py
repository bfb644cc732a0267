"""Settings → Context: limits are stored, refused with a reason at their field, and applied to sends."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.screen import reload, visit_settings
from tests.e2e.written import call
from tests.serving import Served

pytestmark = pytest.mark.usefixtures("prefer")


@pytest.fixture
def form(page: Page) -> Locator:
    visit_settings(page, "context")
    shown = page.get_by_role("form", name="Context")
    expect(shown).to_be_visible()
    return shown


def save(form: Locator) -> None:
    form.get_by_role("button", name="Save").click()


def test_what_is_saved_is_kept(form: Locator, server: Served) -> None:
    form.get_by_label("Use at most this share").fill("50 %")
    form.get_by_label("Reserve for the reply").fill("1,000")
    form.get_by_label("Per send, in tokens").fill("20 000")
    form.get_by_label("Per conversation, in US dollars").fill("$2.50")
    form.get_by_label("Per day, in US dollars").fill("10")
    form.get_by_label("Send the newest pairs that fit").check()
    save(form)
    expect(form.get_by_role("status")).to_contain_text("Saved")

    reload(form.page)

    expect(form.get_by_label("Use at most this share")).to_have_value("50")
    expect(form.get_by_label("Send the newest pairs that fit")).to_be_checked()
    kept = call(server.url, "GET", "/preferences")
    assert (kept["soft_cap"], kept["reserve"], kept["send_tokens"]) == (0.5, 1000, 20_000)
    assert (kept["conversation_money"], kept["day_money"], kept["over_budget"]) == ("2.50", "10", "fit")


@pytest.mark.parametrize(
    ("label", "value"),
    [
        ("Use at most this share", "150"),
        ("Use at most this share", "much"),
        ("Reserve for the reply", "-1"),
        ("Per send, in tokens", "0"),
        ("Per day, in US dollars", "a lot"),
    ],
)
@pytest.mark.exhaustive
def test_what_cannot_be_used_is_said_at_its_field(
    form: Locator,
    server: Served,
    label: str,
    value: str,
) -> None:
    before = call(server.url, "GET", "/preferences")

    form.get_by_label(label).fill(value)
    save(form)

    field = form.get_by_label(label)
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_be_focused()
    fault = form.page.locator(f"#{field.get_attribute('aria-describedby')}")
    expect(fault).to_have_text(re.compile(r"\w+ .*\w"))
    assert call(server.url, "GET", "/preferences") == before
