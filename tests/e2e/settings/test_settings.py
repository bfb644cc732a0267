"""Settings: keys are entered and never shown; servers are added, tested, chosen and removed."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Generator

import pytest
from playwright.sync_api import Locator, Page, WebSocket, expect

from tests.e2e.screen import Screen, reload, visit_settings
from tests.serving import Served, announcing

KEY = "sk-ant-very-secret-0123456789-wXyZ"


@pytest.fixture(scope="module")
def stub_url() -> Generator[str]:
    """Serve a Chat Completions server and yield its base URL."""
    with announcing([sys.executable, "-m", "tests.bench.servers.stub", "0"], r"listening on (http://\S+)") as (_, url):
        yield f"{url}/v1"


@pytest.fixture
def settings(page: Page) -> Page:
    visit_settings(page)
    fold_out(page)
    expect(card(page, "Anthropic")).to_be_visible()
    return page


def fold_out(page: Page) -> None:
    page.locator("summary").get_by_text("Add a provider").click()


def card(page: Page, label: str) -> Locator:
    return page.get_by_role("listitem").filter(has=page.get_by_role("group")).filter(has_text=label)


def opened(page: Page, label: str) -> Locator:
    found = card(page, label)
    found.locator("summary").click()
    return found


def test_sections_have_addresses_and_a_key_is_stored_never_sent_back_and_forgotten(page: Page, server: Served) -> None:
    sections_have_addresses_and_the_way_back_leads_through_them(page)
    visit_settings(page)
    key_is_stored_never_sent_back_and_forgotten(page, server)


def key_is_stored_never_sent_back_and_forgotten(settings: Page, server: Served) -> None:
    received: list[str] = []

    def listen(socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: received.append(str(frame)))

    settings.on("websocket", listen)
    reload(settings)
    fold_out(settings)
    anthropic = opened(settings, "Anthropic")
    anthropic.get_by_label("Key").fill(KEY)
    anthropic.get_by_label("Base URL").fill("http://127.0.0.1:9")
    anthropic.get_by_role("button", name="Save").click()

    expect(anthropic).to_contain_text("Key is set")
    expect(anthropic.get_by_label("Key")).to_have_value("")
    reload(settings)
    expect(card(settings, "Anthropic")).to_contain_text("Key is set")
    assert received != []
    assert KEY not in "".join(received)
    assert KEY not in settings.content()
    assert KEY not in json.dumps(settings.evaluate("[{...localStorage}, {...sessionStorage}]"))
    assert KEY not in server.log()
    data_dir = server.output.parent / "data"
    assert not [file.name for file in data_dir.iterdir() if file.is_file() and KEY.encode() in file.read_bytes()]

    opened(settings, "Anthropic").get_by_role("button", name="Remove").click()
    expect(card(settings, "Anthropic")).not_to_contain_text("Key is set")


def sections_have_addresses_and_the_way_back_leads_through_them(page: Page) -> None:
    visit_settings(page)
    sections = page.get_by_role("navigation", name="Sections of the settings")
    expect(sections.get_by_role("link", name="Providers")).to_have_attribute("aria-current", "page")
    expect(page.get_by_role("heading", name="Tools", exact=True)).to_be_hidden()

    sections.get_by_role("link", name="Tools").click()
    expect(page).to_have_url(re.compile("/settings#tools$"))
    expect(page.get_by_role("heading", name="Tools", exact=True)).to_be_focused()
    expect(page.get_by_role("heading", name="Providers", exact=True)).to_be_hidden()
    page.go_back()
    expect(page.get_by_role("heading", name="Providers", exact=True)).to_be_focused()
    expect(sections.get_by_role("link")).to_have_count(9)
    expect(sections.locator("[aria-current]")).to_have_text("Providers")

    page.get_by_role("link", name="Trash").click()
    expect(page.get_by_role("main")).to_be_focused()


def test_compatible_server_is_added_tried_chosen_and_answers(settings: Page, stub_url: str) -> None:
    form = settings.get_by_role("form", name="Another server")
    form.get_by_label("Name").fill("stub")
    form.get_by_label("Base URL").fill(stub_url)
    form.get_by_role("button", name="Add").click()
    expect(form.get_by_role("status")).to_have_text(re.compile(r"^Added stub\. Connected, \d+ models\.$"))
    expect(card(settings, "stub")).to_contain_text(re.compile(r"Connected, \d+ models"))

    screen = Screen(settings).go("/")
    settings.get_by_role("button", name=re.compile("^Model: ")).click()
    settings.get_by_role("combobox", name="Search models").fill("stub t300")
    option = settings.get_by_role("option", name=re.compile("t300-r100"))
    expect(option).to_have_attribute("aria-selected", "true")
    settings.keyboard.press("Enter")
    expect(settings.get_by_role("button", name=re.compile("^Model: t300-r100"))).to_be_focused()
    screen.start("go").wait_for_reply()

    expect(screen.last_reply).to_contain_text("mk299x")
    assert screen.stored_pairs()[0]["model"] == "stub:t300-r100"
    reload(settings)
    expect(settings.get_by_role("button", name=re.compile("^Model: t300-r100"))).to_be_visible()


@pytest.mark.exhaustive
def test_choice_that_was_removed_meanwhile_is_reported_on_the_page(
    settings: Page, context_page: Page, stub_url: str
) -> None:
    form = settings.get_by_role("form", name="Another server")
    form.get_by_label("Name").fill("fleeting")
    form.get_by_label("Base URL").fill(stub_url)
    form.get_by_role("button", name="Add").click()
    expect(card(settings, "fleeting")).to_be_visible()
    Screen(context_page).go("/")
    context_page.get_by_role("button", name=re.compile("^Model: ")).click()
    context_page.get_by_role("combobox", name="Search models").fill("fleeting t300")
    choice = context_page.get_by_role("option", name=re.compile("t300-r100"))
    expect(choice).to_be_visible()

    opened(settings, "fleeting").get_by_role("button", name="Remove").click()
    expect(card(settings, "fleeting")).to_have_count(0)
    choice.click()

    notice = context_page.get_by_role("alert").filter(has_text="provider 'fleeting' is not configured")
    expect(notice).to_be_visible()
    notice.get_by_role("button", name="Dismiss").click()
    expect(notice).to_have_count(0)


@pytest.mark.exhaustive
def test_menu_closes_on_escape_and_gives_the_focus_back(screen: Screen) -> None:
    button = screen.page.get_by_role("button", name=re.compile("^Model: "))
    button.click()
    expect(screen.page.get_by_role("option", name=re.compile("Offline demo"))).to_be_visible()
    screen.page.keyboard.type("no such model at all")
    expect(screen.page.get_by_text("No models found.")).to_be_visible()

    screen.page.keyboard.press("Escape")

    expect(button).to_be_focused()
    expect(screen.page.get_by_role("listbox")).to_have_count(0)
