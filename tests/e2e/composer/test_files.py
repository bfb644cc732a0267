"""Images and files in a message: chosen, pasted, dropped, kept over a reload, sent, opened; by keyboard."""

from __future__ import annotations

import re
from base64 import b64encode

import pytest
from playwright.sync_api import FilePayload, Locator, Page, expect

from app.domain.attachments.uploads import list_accepted
from tests.e2e.people import PHONE, People
from tests.e2e.screen import Screen, choose_model, eventually, reload
from tests.media.test_pictures import a_photo, a_picture

TABLE = "city,people\nUlm,128928\n"
GIVE = """([kind, name, type, base64]) => {
  const data = new DataTransfer();
  const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
  data.items.add(new File([bytes], name, { type }));
  const place = document.querySelector("#prompt");
  const common = { bubbles: true, cancelable: true };
  place.dispatchEvent(kind === "paste"
    ? new ClipboardEvent("paste", { ...common, clipboardData: data })
    : new DragEvent(kind, { ...common, dataTransfer: data }));
}"""
"""Give the page a file as a clipboard or a drag does."""
PASTE_TEXT = """(text) => {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  const common = { bubbles: true, cancelable: true };
  document.activeElement.dispatchEvent(new ClipboardEvent("paste", { ...common, clipboardData: data }));
}"""
ENTER_TWICE = """(box) => {
  const enter = { key: "Enter", code: "Enter", bubbles: true, cancelable: true };
  for (let time = 0; time < 2; time += 1) box.dispatchEvent(new KeyboardEvent("keydown", enter));
}"""
"""Press Enter again before the server has answered."""


@pytest.fixture
def phone(people: People) -> Screen:
    page = people.open(**PHONE)
    page.emulate_media(color_scheme="dark")
    return Screen(page).go("/")


def files_of(page: Page) -> Locator:
    return page.get_by_role("list", name="Attached files").get_by_role("listitem")


def a_file(name: str, data: bytes, kind: str = "") -> FilePayload:
    return {"name": name, "mimeType": kind, "buffer": data}


def give(page: Page, kind: str, name: str, data: bytes, media_type: str = "image/png") -> None:
    page.evaluate(GIVE, [kind, name, media_type, b64encode(data).decode()])


def attach(screen: Screen, *some: FilePayload) -> None:
    screen.page.locator("input[type=file][multiple]").set_input_files(list(some))


def test_files_are_chosen_by_keyboard_kept_over_a_reload_and_sent_once(screen: Screen) -> None:
    page = screen.page
    holiday, table = a_file("holiday.jpg", a_picture("JPEG", (4_000, 3_000))), a_file("c.csv", TABLE.encode())
    page.on("filechooser", lambda chooser: chooser.set_files([holiday, table]))
    page.keyboard.type("/echo What is this?")
    page.get_by_role("button", name="Add to the message").press("Enter")
    expect(page.get_by_role("button", name="Attach files")).to_be_focused()
    page.keyboard.press("Enter")

    expect(files_of(page)).to_have_count(2)
    expect(files_of(page).nth(0)).to_contain_text(re.compile("holiday.jpg.*scaled down to 2,576 × 1,932"))
    expect(files_of(page).nth(0).locator(".thumbnail img")).to_have_js_property("naturalWidth", 2_576)
    expect(files_of(page).nth(1)).to_contain_text("sent as text")
    expect(screen.composer).to_have_value("/echo What is this?")
    eventually(lambda: page.evaluate("localStorage.getItem('inview.draft.new')") == "/echo What is this?")
    reload(page)
    expect(files_of(page)).to_have_count(2)
    expect(screen.composer).to_have_value("/echo What is this?")
    screen.composer.press("Enter")
    screen.wait_for_reply()

    expect(files_of(page)).to_have_count(0)
    attached = page.get_by_role("list", name="Sent with this request")
    expect(attached.get_by_role("img", name="Picture")).to_be_visible()
    expect(attached.get_by_text("c.csv")).to_be_visible()
    (pair,) = screen.stored_pairs()
    assert [part["type"] for part in pair["attached"]] == ["image", "text_file"]
    reload(page)
    expect(files_of(page)).to_have_count(0)
    expect(attached.get_by_role("img", name="Picture")).to_be_visible()

    attach(screen, a_file("cities.csv", TABLE.encode()))
    screen.write("/echo Hello")
    expect(files_of(page)).to_have_count(1)
    expect(files_of(page).get_by_role("progressbar")).to_have_count(0)
    screen.composer.evaluate(ENTER_TWICE)
    screen.wait_for_reply(2)
    screen.write("next")
    expect(page.locator("button.estimate")).not_to_contain_text("counting…")
    assert [pair["user_text"] for pair in screen.stored_pairs()] == ["/echo What is this?", "/echo Hello"]


@pytest.mark.exhaustive
def test_a_picture_is_looked_at_by_keyboard_and_the_focus_comes_back(screen: Screen) -> None:
    page = screen.page
    attach(screen, a_file("photo.png", a_picture("PNG", (800, 600))))
    expect(files_of(page)).to_contain_text("800 × 600")
    screen.start("/echo one").wait_for_reply()
    picture = page.locator("article").get_by_role("button", name="Picture")
    picture.focus()
    page.keyboard.press("Enter")

    viewer = page.get_by_role("dialog", name="Picture")
    expect(viewer.get_by_role("button", name="Close")).to_be_focused()
    expect(viewer.get_by_role("status")).to_have_text("Fitted")
    page.keyboard.press("+")
    expect(viewer.get_by_role("status")).to_have_text("50 %")
    page.keyboard.press("+")
    expect(viewer.get_by_role("status")).to_have_text("100 %")
    expect(viewer.get_by_role("img", name="Picture")).to_have_css("width", "800px")
    page.keyboard.press("-")
    expect(viewer.get_by_role("status")).to_have_text("50 %")
    page.keyboard.press("0")
    expect(viewer.get_by_role("status")).to_have_text("Fitted")
    page.keyboard.press("Escape")
    expect(viewer).to_have_count(0)
    expect(picture).to_be_focused()


def test_files_are_pasted_dropped_and_refused_and_the_browser_offers_what_the_model_takes(screen: Screen) -> None:
    page = screen.page
    chooser = page.locator("input[type=file][multiple]")
    expect(chooser).to_have_attribute("accept", list_accepted(images=True))
    give(page, "paste", "image.png", a_picture("PNG"))
    expect(files_of(page)).to_have_count(1)
    give(page, "dragover", "photo.jpg", a_photo(), "image/jpeg")
    expect(page.locator("html[data-dropping]")).to_have_count(1)
    give(page, "drop", "photo.jpg", a_photo(), "image/jpeg")

    expect(files_of(page)).to_have_count(2)
    expect(page.locator("html[data-dropping]")).to_have_count(0)
    expect(files_of(page).nth(1)).to_contain_text("photo.jpg")
    for place in range(2):
        expect(files_of(page).nth(place)).to_contain_text("×")  # it has arrived, which moves its button
    page.get_by_role("button", name="Remove image.png").click()
    expect(files_of(page)).to_have_count(1)
    screen.composer.evaluate("it => it.blur()")  # as after a reply that is taller than the window
    page.evaluate(PASTE_TEXT, "Pasted outside the box")
    expect(screen.composer).to_have_value("Pasted outside the box")
    expect(screen.composer).to_be_focused()
    screen.composer.fill("")
    expect(page.get_by_role("button", name="Send", exact=True)).to_be_enabled()
    screen.composer.focus()
    page.keyboard.press("Enter")
    screen.wait_for_reply()
    (pair,) = screen.stored_pairs()
    assert (pair["user_text"], len(pair["attached"])) == ("", 1)

    attach(screen, a_file("tool.exe", b"MZ\x90\0"), a_file("x.svg", b"<svg onload='document.title=`owned`'/>"))

    expect(page.get_by_role("alert").filter(has_text="tool.exe cannot be sent")).to_be_visible()
    expect(files_of(page)).to_have_count(1)
    expect(files_of(page)).to_contain_text("sent as text")
    screen.send("/echo one").wait_for_reply(2)
    expect(page.get_by_role("alert").filter(has_text="tool.exe")).to_have_count(0)
    page.get_by_text("x.svg", exact=True).click()
    expect(page.locator(".file-text")).to_contain_text("<svg onload=")
    assert page.title() != "owned"

    choose_model(page, "Offline tiny")
    expect(chooser).to_have_attribute("accept", list_accepted(images=False))
    expect(page.locator("input[type=file][capture]")).to_have_count(0)


@pytest.mark.exhaustive
def test_what_is_attached_is_counted_while_it_is_attached(screen: Screen) -> None:
    page = screen.page
    screen.start("/echo one").wait_for_reply()
    estimate = page.locator("button.estimate")
    expect(estimate).not_to_contain_text("counting…")
    before = estimate.inner_text()
    attach(screen, a_file("photo.jpg", a_picture("JPEG", (2_000, 2_000))))

    expect(files_of(page)).to_contain_text("2,000 × 2,000")
    expect(estimate).not_to_have_text(before)
    page.get_by_role("button", name="Remove photo.jpg").click()
    expect(estimate).to_have_text(before)


def test_on_a_phone_a_photo_is_taken_and_nothing_is_wider_than_the_screen(phone: Screen) -> None:
    page = phone.page
    camera = page.locator("input[type=file][capture]")
    assert (camera.get_attribute("accept"), camera.get_attribute("capture")) == ("image/*", "environment")
    page.get_by_role("button", name="Add to the message").tap()
    with page.expect_file_chooser():
        page.get_by_role("button", name="Take a photo").tap()
    camera.set_input_files(a_file("a name that is much longer than any phone is wide " * 3 + ".jpg", a_photo()))
    expect(files_of(page)).to_contain_text("40 × 20")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    phone.start("/echo one").wait_for_reply()
    page.locator("article").get_by_role("button", name="Picture").tap()
    viewer = page.get_by_role("dialog", name="Picture")
    expect(viewer).to_be_visible()
    viewer.get_by_role("button", name="Zoom in (+)").tap()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    viewer.get_by_role("button", name="Close").tap()
    expect(viewer).to_have_count(0)
