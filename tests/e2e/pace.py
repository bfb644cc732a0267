"""The pace of keys, by the clock of the page: a test presses them faster than a person does.

press_like_a_person(browser)           # before its first context is made: half a second between characters
type_in_a_burst(page, "explain")       # all at one moment
"""

from __future__ import annotations

import time
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page

SLOWLY = """(() => {
  let at = 0;
  addEventListener("keydown", (event) => {
    if (globalThis.typesInBurst || event.key.length > 1) return;
    at = Math.max(event.timeStamp, at + 500);
    Object.defineProperty(event, "timeStamp", { value: at });
  }, { capture: true });
})()"""


def press_like_a_person(browser: Browser) -> None:
    """Put half a second between characters in the contexts that this browser makes from now on."""
    make, make_page = browser.new_context, browser.new_page

    def new_context(**options: Any) -> BrowserContext:
        context = make(**options)
        context.add_init_script(SLOWLY)
        return context

    def new_page(**options: Any) -> Page:
        page = make_page(**options)  # this also makes a context
        page.context.add_init_script(SLOWLY)
        return page

    browser.new_context, browser.new_page = new_context, new_page


def type_in_a_burst(page: Page, text: str) -> None:
    """Type lower-case letters and spaces at one moment by the clock of the page, however slow the machine is."""
    session: Any = page.context.new_cdp_session(page)
    page.evaluate("globalThis.typesInBurst = true")
    now = time.time()
    for key in text:
        code = "Space" if key == " " else f"Key{key.upper()}"
        typed = {"key": key, "code": code, "windowsVirtualKeyCode": ord(key.upper()), "timestamp": now}
        session.send("Input.dispatchKeyEvent", {"type": "keyDown", "text": key, **typed})
        session.send("Input.dispatchKeyEvent", {"type": "keyUp", **typed})
    page.evaluate("globalThis.typesInBurst = false")
    session.detach()
