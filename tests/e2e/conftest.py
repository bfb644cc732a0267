"""The real server and a real Chromium for browser tests; pytest runs this folder in its own process."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect, sync_playwright

from tests.e2e import evidence
from tests.e2e.pace import press_like_a_person
from tests.e2e.peer import Peer, serve_peer, serving_beside
from tests.e2e.screen import Screen
from tests.e2e.written import call
from tests.serving import RUNNING, Served

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
# A loaded machine is slow; a slow page is not an error.
expect.set_options(timeout=30_000)

KEPT = "cookies,local_storage,indexeddb,service_workers"
"""Everything that a page can store in a browser, except the HTTP cache."""
os.environ |= evidence.ENVIRONMENT  # for the servers that are started here
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]


browsers: list[Browser] = []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(call: pytest.CallInfo[None]) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add to the report of a failed story what the pages and the servers knew at that moment."""
    report = yield
    if call.when == "call" and report.failed:
        contexts = [context for browser in browsers for context in browser.contexts]
        report.sections.extend(evidence.gather(contexts, RUNNING))
    return report


@pytest.fixture(scope="session")
def peer() -> Generator[Peer]:
    """The provider at the other end of the network."""
    with serve_peer() as served:
        yield served


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, peer: Peer) -> Generator[Served]:
    with serving_beside(peer, tmp_path_factory.mktemp("e2e") / "data") as served:
        yield served


@pytest.fixture
def prefer(server: Served) -> Generator[Callable[..., None]]:
    """Return a function that sets preferences; all others have their defaults. The defaults return after the test."""

    def put(**preferences: Any) -> None:
        call(server.url, "PUT", "/preferences", preferences)

    yield put
    put()


@pytest.fixture(scope="session")
def browser() -> Generator[Browser]:
    if not Path(CHROMIUM).exists():
        pytest.skip("browser tests need Chromium (apt-get install chromium)")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        evidence.record_sockets(chromium)
        press_like_a_person(chromium)
        browsers.append(chromium)
        yield chromium
        browsers.remove(chromium)
        chromium.close()


class Profile:
    """A browser that has visited this server before: it has the page's compiled scripts, and nothing else of the page.

    `faults`: errors of scripts and violations of the page's policy since the last `clear`.
    """

    def __init__(self, browser: Browser, url: str) -> None:
        self.url = url
        self.faults: list[str] = []
        self.context = browser.new_context(base_url=url, viewport={"width": 1280, "height": 800})
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
        self.context.set_offline(False)
        self._storage.send("Storage.clearDataForOrigin", {"origin": self.url, "storageTypes": KEPT})
        self.faults.clear()

    def _note_breach(self, line: ConsoleMessage) -> None:
        if "Content Security Policy" in line.text:
            self.faults.append(line.text)


@pytest.fixture(scope="session")
def profiles(browser: Browser) -> Generator[dict[str, Profile]]:
    """The profiles by the URL of their server."""
    made: dict[str, Profile] = {}
    yield made
    for profile in made.values():
        profile.context.close()


@pytest.fixture
def context(browser: Browser, profiles: dict[str, Profile], server: Served) -> Generator[BrowserContext]:
    """A person's browser without stored data. An error of a script or a violation of the page's policy fails the test.

    The tests use the same context one after the other: a new one loads and compiles the page's scripts again, which
    takes a second.
    """
    profile = profiles.get(server.url) or profiles.setdefault(server.url, Profile(browser, server.url))
    yield profile.context
    faults = [*profile.faults]
    profile.clear()
    assert faults == []


@pytest.fixture
def page(context: BrowserContext) -> Page:
    opened = context.new_page()
    opened.set_default_timeout(30_000)
    return opened


@pytest.fixture
def screen(page: Page) -> Screen:
    """The page of a new conversation, ready to type."""
    return Screen(page).go("/")


@pytest.fixture
def another_screen(context: BrowserContext) -> Callable[[str], Screen]:
    """Return a function that opens an address in a new tab of the same browser."""

    def open_tab(path: str) -> Screen:
        tab = context.new_page()
        tab.set_default_timeout(30_000)
        return Screen(tab).go(path)

    return open_tab


@pytest.fixture
def context_page(context: BrowserContext) -> Page:
    """A second tab of the same browser."""
    tab = context.new_page()
    tab.set_default_timeout(30_000)
    return tab
