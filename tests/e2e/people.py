"""The browsers of people who use one server. They are kept from story to story, and cleared between them.

people.open()                      # a tab of a person
people.open("another")             # a tab of another person
people.open(**PHONE)               # a tab on a phone
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, ViewportSize

DESK = ViewportSize(width=1280, height=800)
PHONE: Final[Mapping[str, Any]] = {
    "viewport": ViewportSize(width=390, height=844),
    "has_touch": True,
    "is_mobile": True,
}
KEPT = "cookies,local_storage,indexeddb,service_workers"
"""Everything that a page can store in a browser, except the HTTP cache."""


class Profile:
    """A browser that has visited this server before: it has the page's compiled scripts, and nothing else of the page.

    `faults`: errors of scripts and violations of the page's policy since the last `clear`.
    """

    def __init__(self, browser: Browser, url: str, **options: Any) -> None:
        self.url = url
        self.faults: list[str] = []
        given: dict[str, Any] = {"viewport": DESK, **options}
        self.context = browser.new_context(base_url=url, **given)
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.context.on("weberror", lambda fault: self.faults.append(str(fault.error)))
        self.context.on("console", self._note_breach)
        self._blank = self.context.new_page()
        self._storage: Any = self.context.new_cdp_session(self._blank)

    def clear(self) -> None:
        """Close its tabs and delete everything that a page stored in it."""
        for page in self.context.pages:
            if page is not self._blank:
                page.close()
        self._storage.send("Storage.clearDataForOrigin", {"origin": self.url, "storageTypes": KEPT})
        self.faults.clear()

    def _note_breach(self, line: ConsoleMessage) -> None:
        if "Content Security Policy" in line.text:
            self.faults.append(line.text)


@dataclass
class People:
    """The browsers of people who use the server of a story. They have no stored data and share only the server.

    The stories use the same browsers one after the other: a new one loads and compiles the page's scripts again, which
    takes a second.
    """

    browser: Browser
    url: str
    profiles: dict[str, Profile]
    used: list[Profile] = field(default_factory=list[Profile])
    faults: list[str] = field(default_factory=list[str])

    def context(self, person: str = "", **options: Any) -> BrowserContext:
        """Return the browser of a person. `options` are those of `Browser.new_context`."""
        key = f"{self.url} {person} {options}"
        profile = self.profiles.get(key) or self.profiles.setdefault(key, Profile(self.browser, self.url, **options))
        if profile not in self.used:
            self.used.append(profile)
        return profile.context

    def open(self, person: str = "", **options: Any) -> Page:
        """Open a tab in the browser of a person."""
        opened = self.context(person, **options).new_page()
        opened.set_default_timeout(30_000)
        return opened

    def leave(self, *left: BrowserContext) -> None:
        """Close the tabs of these browsers and delete everything that is stored there."""
        for profile in [one for one in self.used if one.context in left]:
            self.faults += profile.faults
            self.used.remove(profile)
            profile.clear()
