"""Somebody who has never been here does everything of many conversations by keyboard: Tab, Enter, arrows and letters.

Nothing is clicked, and nothing gets the focus but by a key. The dialog that chooses a file is the system's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, FilePayload, Locator, Page, expect

from tests import foreign
from tests.e2e.screen import ANY_CONVERSATION, Screen, wait_until_loaded
from tests.e2e.written import call
from tests.serving import Served, serving

MAX_STEPS = 120
"""Of the Tab key. More than that is no way to walk."""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    with serving(Path(tmp_path_factory.mktemp("keyboard")) / "data") as served:
        yield served


@pytest.fixture(params=[1440, 390])
def page(browser: Browser, house: Served, request: pytest.FixtureRequest) -> Generator[Page]:
    """A place with nothing in it."""
    for kind in ("conversations", "folders", "prompts"):
        for item in call(house.url, "GET", f"/{kind}")["items"]:
            call(house.url, "DELETE", f"/{kind}/{item['id']}")
    call(house.url, "DELETE", "/trash")
    page = browser.new_page(base_url=house.url, viewport={"width": request.param, "height": 900})
    Screen(page).go("/")
    expect(page.locator(".conversation-row")).to_have_count(0)
    yield page
    page.close()


def walk(page: Page, to: Locator, key: str = "Tab") -> None:
    """Press a key until the focus is there."""
    expect(to).to_be_visible()
    for _ in range(MAX_STEPS):
        if to.evaluate("it => it === document.activeElement"):
            return
        page.keyboard.press(key)
    raise AssertionError(f"{key} does not lead to {to}")


def press(page: Page, to: Locator, key: str = "Enter") -> None:
    """Walk there and press a key."""
    walk(page, to)
    page.keyboard.press(key)


def choose(page: Page, by: Locator, file: FilePayload) -> None:
    """Walk to what chooses a file, and have the dialog of the system answer with this one.

    The answer is arranged before the walk: Chromium takes a moment to leave its dialogs to a test.
    """
    page.once("filechooser", lambda chooser: chooser.set_files(file))
    press(page, by)


def open_list(page: Page) -> None:
    """On a phone the list of conversations lies folded away."""
    if page.viewport_size and page.viewport_size["width"] < 860:
        press(page, page.get_by_role("button", name="Show the conversation list"))


def row(page: Page, name: str) -> Locator:
    return page.locator(".conversation-row").filter(has_text=name).get_by_role("link")


def test_a_file_is_sent_and_its_words_are_found(page: Page) -> None:
    screen = Screen(page)
    expect(screen.composer).to_be_focused()
    page.keyboard.type("/echo the quokka sleeps")
    attach = page.get_by_role("button", name="Attach files")
    choose(page, attach, {"name": "c.csv", "mimeType": "text/csv", "buffer": b"a,b\n"})
    expect(page.get_by_role("list", name="Attached files")).to_contain_text("sent as text")
    walk(page, screen.composer, "Shift+Tab")
    page.keyboard.press("Enter")
    page.wait_for_url(ANY_CONVERSATION)
    wait_until_loaded(page)
    screen.wait_for_reply()
    expect(page.get_by_role("list", name="Sent with this request")).to_contain_text("c.csv")

    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="Search and commands")).to_be_focused()
    found = page.get_by_role("listbox", name="Found").get_by_role("option")
    page.keyboard.type("new conversation")
    expect(found.first).to_contain_text("New conversation")
    page.keyboard.press("Enter")
    page.wait_for_url("**/")
    wait_until_loaded(page)
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="Search and commands")).to_be_focused()
    page.keyboard.type("quokka")
    expect(found).to_have_count(1)  # those of the field before a word is typed are more
    expect(found).to_contain_text("quokka")
    page.keyboard.press("Enter")
    page.wait_for_url("**/c/*?at=1")
    wait_until_loaded(page)
    expect(screen.pairs).to_have_count(1)

    open_list(page)
    walk(page, page.get_by_role("searchbox", name="Search conversations"))
    page.keyboard.type("sleeps")
    expect(page.locator("mark").filter(has_text="sleeps").first).to_be_visible()


def test_conversations_are_put_in_a_folder_and_several_deleted_and_brought_back(page: Page) -> None:
    for title in ("Apples", "Bread", "Cherries"):
        call(page.url.rstrip("/"), "POST", "/conversations", {"title": title})
    expect(page.locator(".conversation-row")).to_have_count(3)
    open_list(page)
    walk(page, row(page, "Bread"))
    page.keyboard.press("m")
    expect(page.get_by_role("dialog")).to_be_visible()
    walk(page, page.get_by_role("textbox", name="New folder"))
    page.keyboard.type("Baking")
    page.keyboard.press("Enter")
    expect(page.locator(".conversation-row")).to_have_count(2)
    press(page, page.get_by_role("button", name="Baking: 1 conversation"))
    expect(row(page, "Bread")).to_be_visible()
    press(page, page.get_by_role("button", name="All chats"))

    walk(page, row(page, "Apples"))
    page.keyboard.press("s")
    press(page, page.get_by_role("button", name="Select all"))
    press(page, page.get_by_role("group", name="Select").get_by_role("button", name="Delete"))
    expect(page.locator(".conversation-row")).to_have_count(0)
    press(page, page.locator(".toast").get_by_role("button", name="Undo"))
    expect(page.locator(".conversation-row")).to_have_count(2)


def test_what_comes_in_from_elsewhere_goes_out_as_a_file_and_by_a_link(page: Page, browser: Browser) -> None:
    open_list(page)
    press(page, page.get_by_role("link", name="Import", exact=True))
    file = foreign.written(foreign.chatgpt_with_branches())
    chooser = page.get_by_label("Export to import")
    expect(chooser).to_be_attached()
    choose(page, chooser, {"name": "conversations.json", "mimeType": "application/json", "buffer": file})
    expect(page.get_by_role("button", name="Import", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Imported")).to_be_visible()
    press(page, page.get_by_role("main").get_by_role("link", name="Postgres or MongoDB", exact=True))
    page.wait_for_url(ANY_CONVERSATION)
    wait_until_loaded(page)
    expect(Screen(page).pairs).to_have_count(2)

    press(page, page.get_by_role("button", name="Export", exact=True))
    with page.expect_download() as coming:
        press(page, page.get_by_role("dialog", name="Export").get_by_role("link", name="JSON"))
    written = json.loads(Path(coming.value.path()).read_text(encoding="utf-8"))
    assert written["conversations"][0]["title"] == "Postgres or MongoDB"

    press(page, page.get_by_role("button", name="Share", exact=True))
    dialog = page.get_by_role("dialog", name="Share")
    walk(page, dialog.get_by_label("Shared by"))
    page.keyboard.type("Ada")
    page.keyboard.press("Enter")
    link = dialog.get_by_role("textbox", name="Link")
    expect(link).to_have_value(re.compile("/s/"))
    stranger = browser.new_page()
    stranger.goto(link.input_value())
    expect(stranger.get_by_text("Shared by Ada")).to_be_visible()
    stranger.close()


def test_a_prompt_is_kept_and_inserted(page: Page) -> None:
    open_list(page)
    press(page, page.get_by_role("link", name="Prompts", exact=True))
    press(page, page.get_by_role("button", name="New prompt"))
    form = page.get_by_role("form", name="New prompt")
    expect(form.get_by_label("Name", exact=True)).to_be_focused()
    page.keyboard.type("greet")
    walk(page, form.get_by_label("Text"))
    page.keyboard.type("/echo Hello!")
    walk(page, form.get_by_label("Name", exact=True), "Shift+Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Edit greet")).to_be_visible()

    open_list(page)
    press(page, page.get_by_role("link", name="New conversation"))
    page.wait_for_url("**/")
    wait_until_loaded(page)
    expect(Screen(page).composer).to_be_focused()
    page.keyboard.type("/gre")
    expect(page.get_by_role("listbox", name="Prompts").get_by_role("option")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(Screen(page).composer).to_have_value("/echo Hello!")
