"""While the first reply of a conversation runs: new text and attachments are kept, and few announcements are made."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.composer.test_files import TABLE, a_file, attach, files_of
from tests.e2e.screen import Screen, choose_model, eventually, reload
from tests.media.test_pictures import a_picture

DRAFT = "/echo line 1\nline 2"
LISTEN = """() => {
  window.announced = [];
  const live = "[aria-live], [role=status], [role=log], [role=alert]";
  new MutationObserver((changes) => {
    const regions = new Set(changes.flatMap(({ target }) => (target.parentElement ?? target).closest(live) ?? []));
    for (const region of regions) if (region.textContent.trim()) window.announced.push(region.textContent.trim());
  }).observe(document, { subtree: true, childList: true, characterData: true });
}"""


def expect_draft(screen: Screen) -> None:
    page = screen.page
    expect(screen.composer).to_have_value(DRAFT)
    expect(files_of(page)).to_have_count(2)
    expect(page.get_by_role("button", name="Model: Offline tiny")).to_be_visible()


@pytest.mark.exhaustive
def test_text_files_and_model_outlive_a_reload_a_visit_elsewhere_and_the_tab(screen: Screen) -> None:
    page = screen.page
    screen.start("/long 3000 /rate 50")
    expect(screen.stop).to_be_visible()
    screen.write(DRAFT)
    attach(screen, a_file("notes.csv", TABLE.encode()), a_file("small.png", a_picture("PNG")))
    expect(files_of(page)).to_have_count(2)
    choose_model(page, "Offline tiny")
    expect_draft(screen)
    path = screen.path
    eventually(lambda: page.evaluate(f"localStorage.getItem('inview.draft.{path.removeprefix('/c/')}')") == DRAFT)

    reload(page)
    expect_draft(screen)
    page.get_by_role("link", name=re.compile("^New conversation")).first.click()
    page.wait_for_url("**/")
    expect(screen.composer).to_have_value("")
    expect(files_of(page)).to_have_count(0)
    screen.go(path)
    expect_draft(screen)
    again = Screen(page.context.new_page())
    page.close()
    again.go(path)
    expect_draft(again)

    expect(again.stop).to_be_visible()
    assert again.stored_pairs()[0]["model"] == "offline:demo"
    again.stop.click()


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("text", "stopped", "said"),
    [
        ("/think 50 /long 200 /rate 60", False, "The reply is complete."),
        ("/long 400 /rate 60", True, "The reply was stopped"),
    ],
    ids=["complete", "stopped"],
)
def test_handful_of_things_is_announced_of_a_reply(screen: Screen, text: str, stopped: bool, said: str) -> None:
    page = screen.page
    page.evaluate(LISTEN)
    screen.start(text)
    if stopped:
        expect(screen.last_reply).to_be_visible()
        screen.stop.click()
    screen.wait_for_reply()
    expect(screen.stop).to_have_count(0)

    def announced() -> list[str]:
        return page.evaluate("window.announced")

    eventually(lambda: any(said in words for words in announced()))
    assert len(set(announced())) <= 6, announced()
    assert max(map(len, announced())) < 400, announced()
    assert page.evaluate("document.activeElement !== document.body")
