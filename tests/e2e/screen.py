"""The screen as a person sees it: its actions and contents, by names rather than by markup.

screen.send("/echo Hello")
expect(screen.last_reply).to_have_text("Hello")
"""

from __future__ import annotations

import json
import re
import time
import urllib.request
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

from playwright.sync_api import Locator, Page, expect

ANY_CONVERSATION = "**/c/*"


def eventually(holds: Callable[[], bool], seconds: float = 30) -> None:
    """Wait until something holds that no locator can say. (The page's policy forbids Playwright's own way.)"""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not come to hold"
        time.sleep(0.05)


@contextmanager
def step(name: str) -> Generator[None]:
    """Add the name of this step to the failure of a story of many steps."""
    try:
        yield
    except Exception as fault:
        fault.add_note(f"Step of the story: {name}")
        raise


ALIVE = "document.documentElement.dataset.mode !== undefined"
"""The page hears keys: the script that writes this runs after every control of the page has its handlers."""


def appears(place: Locator) -> bool:
    """Return true if the locator is visible within a moment."""
    try:
        expect(place).to_be_visible(timeout=3000)
    except AssertionError:
        return False
    return True


PAINTED = """() => new Promise((done) => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = done;
  requestAnimationFrame(() => requestAnimationFrame(() => port2.postMessage(null)));
})"""


def wait_until_painted(page: Page) -> None:
    """Until the browser has painted what the page was given before."""
    page.evaluate(PAINTED)


def wait_until_still(page: Page, expression: str) -> None:
    """Until an expression of the page has had the same value for ten frames."""
    page.evaluate(f"""() => new Promise((done) => {{
      let [before, frames] = [undefined, 0];
      const look = () => {{
        const now = String({expression});
        [before, frames] = [now, now === before ? frames + 1 : 0];
        return frames < 10 ? requestAnimationFrame(look) : done();
      }};
      look();
    }})""")


def heard(page: Page, holds: Callable[[], bool]) -> None:
    """Wait until something holds that requests of the page change. Playwright reports those only while it is called."""

    def look() -> bool:
        page.evaluate("null")
        return holds()

    eventually(look)


def press_escape_twice(page: Page) -> None:
    """Press Escape twice at one moment by the clock of the page, however slow the machine is."""
    session: Any = page.context.new_cdp_session(page)
    escape = {"key": "Escape", "code": "Escape", "windowsVirtualKeyCode": 27, "timestamp": time.time()}
    for kind in ("rawKeyDown", "keyUp", "rawKeyDown", "keyUp"):
        session.send("Input.dispatchKeyEvent", {"type": kind, **escape})
    session.detach()


def wait_until_alive(page: Page) -> None:
    """Until buttons and keys do something, and the composer has the focus: the server's drawing is seen before that."""
    eventually(lambda: page.evaluate(ALIVE))


def visit(page: Page, path: str) -> None:
    """Go to an address, and wait until the page answers."""
    page.goto(path)
    wait_until_alive(page)


def add_to_message(page: Page, what: str) -> None:
    """Choose an item in the menu of the composer."""
    page.get_by_role("button", name="Add to the message").click()
    page.get_by_role("dialog", name="Add to the message").get_by_role("button", name=what).click()


def choose_model(page: Page, name: str) -> None:
    """Choose the model that answers."""
    page.get_by_role("button", name=re.compile("^Model: ")).click()
    page.get_by_role("option", name=name).click()


def visit_settings(page: Page, section: str = "providers") -> None:
    """Go to a section of the settings, and wait until all of them have been read."""
    visit(page, f"/settings#{section}")
    expect(page.get_by_role("button", name=re.compile("^Key of "), include_hidden=True)).not_to_have_count(0)
    expect(page.get_by_text(re.compile("^Loading (settings|servers|rules)…$"))).to_have_count(0)


def reload(page: Page) -> None:
    """Reload the page, as a person does who then waits until it answers."""
    page.reload()
    wait_until_alive(page)


@dataclass(frozen=True)
class Screen:
    """One tab."""

    page: Page

    # --- what a person does ---

    def go(self, path: str) -> Self:
        visit(self.page, path)
        expect(self.composer).to_be_visible()
        return self

    def write(self, text: str) -> Self:
        """Write into the composer, once no dialog covers the page, not even one that is closing."""
        expect(self.page.locator("dialog:modal")).to_have_count(0)
        self.composer.fill(text)
        return self

    def send(self, text: str) -> Self:
        self.write(text)
        self.composer.press("Enter")
        return self

    def start(self, text: str) -> Self:
        """Send the first text of a new conversation, and be there."""
        self.send(text)
        self.page.wait_for_url(ANY_CONVERSATION)
        expect(self.pairs).to_have_count(1)
        return self

    def wait_for_reply(self, pairs: int = 1, *, seconds: float = 30) -> Self:
        """Wait until this number of pairs have ended."""
        expect(self.page.locator("article footer.meta")).to_have_count(pairs, timeout=seconds * 1000)
        return self

    def open_log(self) -> Locator:
        """Open the log of the conversation by the menu at its title. Returns its entries."""
        self.page.get_by_role("button", name="Conversation menu").click()
        self.page.get_by_role("dialog", name="Conversation menu").get_by_role("button", name="Log").click()
        entries = self.page.locator(".log li")
        expect(entries.first).to_be_visible()
        return entries

    # --- contents ---

    @property
    def composer(self) -> Locator:
        return self.page.get_by_role("textbox", name="Message", exact=True)

    @property
    def pairs(self) -> Locator:
        return self.page.get_by_role("article")

    @property
    def last_reply(self) -> Locator:
        return self.page.locator("article .reply").last

    @property
    def stop(self) -> Locator:
        return self.page.get_by_role("button", name="Stop the reply")

    @property
    def conversations(self) -> Locator:
        return self.page.get_by_role("navigation", name="Conversations").get_by_role("listitem")

    @property
    def path(self) -> str:
        return "/" + self.page.url.split("/", 3)[3]

    # --- what is stored ---

    def stored_pairs(self) -> list[dict[str, Any]]:
        """The pairs of the conversation on screen, as the API reports them."""
        origin, conversation = self.page.url.rsplit("/c/", 1)
        with urllib.request.urlopen(f"{origin}/api/v1/conversations/{conversation}/pairs", timeout=10) as answer:
            return json.load(answer)["items"]
