"""Two people in two browsers: one shares a conversation, the other reads it and continues it in a copy."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from tests.e2e.axe import axe_findings
from tests.e2e.screen import Screen, visit
from tests.e2e.test_accounts import demanding, first_link, take_link
from tests.serving import Served

__all__ = ["demanding"]

CUT_OFF = """badge => [badge, ...badge.children].filter((it) => {
  const box = it.getBoundingClientRect();
  const bar = badge.parentElement.getBoundingClientRect();
  const hidden = getComputedStyle(it).clipPath !== "none";
  return !hidden && (it.scrollWidth > it.clientWidth + 1 || box.left < bar.left || box.right > bar.right);
}).map((it) => it.outerHTML)"""
"""What of the badge is cut, by itself or by the bar it is in."""


def test_a_conversation_is_shared_read_and_continued_in_a_copy(
    demanding: Served, browser: Browser, tmp_path: Path
) -> None:
    with browser.new_context(base_url=demanding.url) as anns, browser.new_context(base_url=demanding.url) as bens:
        ann, ben = anns.new_page(), bens.new_page()
        take_link(ann, first_link(demanding), "Ann")
        visit(ann, "/settings#people")
        ann.get_by_label("Role of the new person").select_option("Member")
        ann.get_by_role("button", name="Make an invitation").click()
        link = ann.get_by_role("group", name="One-time link").get_by_role("code")
        expect(link).to_contain_text("/welcome?key=")
        take_link(ben, link.inner_text(), "Ben")
        Screen(ann).go("/").start("/echo Roses in the **garden**").wait_for_reply()

        ann.get_by_role("button", name="Share", exact=True).click()
        shared = ann.get_by_role("form", name="Share with a person")
        shared.get_by_label("Person").select_option(label="Ben")
        shared.get_by_label("May").select_option(label="read it and continue in a copy")
        shared.get_by_role("button", name="Share").press("Enter")
        expect(ann.get_by_role("list", name="Who has access").get_by_role("listitem")).to_contain_text("Ben")
        assert axe_findings(ann) == []
        photograph(ann, tmp_path, "dialog")
        ann.keyboard.press("Escape")
        expect(ann.get_by_text("Shared with Ben")).to_be_visible()
        photograph(ann, tmp_path, "owner")
        ann.set_viewport_size({"width": 390, "height": 844})
        badge = ann.locator(".grant-badge")
        expect(badge).to_have_text("Shared with Ben")
        assert badge.evaluate(CUT_OFF) == []
        ann.set_viewport_size({"width": 1440, "height": 900})

        visit(ben, "/")
        listed = ben.get_by_role("navigation", name="Shared with me")
        expect(listed.get_by_role("listitem")).to_contain_text("Ann")
        photograph(ben, tmp_path, "sidebar")
        listed.get_by_role("listitem").get_by_role("link").click()
        expect(ben.get_by_text("Shared by Ann")).to_be_visible()
        expect(ben.frame_locator("iframe").get_by_text("garden").first).to_be_visible()
        assert axe_findings(ben) == []
        photograph(ben, tmp_path, "reading")
        ben.get_by_role("button", name="Continue in a copy").click()
        ben.wait_for_url("**/c/*")
        Screen(ben).send("/echo Tulips").wait_for_reply(2)

        ann.get_by_role("button", name="Share", exact=True).click()
        ann.get_by_role("button", name="Stop sharing with Ben").click()
        expect(ann.get_by_role("list", name="Who has access").get_by_role("listitem")).to_have_count(0)
        expect(ann.get_by_text("Tulips")).to_have_count(0)
        visit(ben, "/shared")
        expect(ben.get_by_text("Nobody shares a conversation with you")).to_be_visible()
        photograph(ben, tmp_path, "nothing")


def photograph(page: Page, folder: Path, name: str) -> None:
    """For whoever looks at them."""
    for scheme in ("light", "dark"):
        for width, height in ((390, 844), (1440, 900)):
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": height})
            page.screenshot(path=folder / f"{name}-{scheme}-{width}.png")
    page.emulate_media(color_scheme="light")
