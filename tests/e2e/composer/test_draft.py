"""The draft that counts is the text in the box, however fast it is typed, sent, queued, left and reloaded.

A person types at random speeds, from 0 to 200 ms per key. After each step the preview, its hash and the estimate belong
to the text in the box; and a send carries the bytes that the preview showed. A preview of another text is marked in
every frame of the browser.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.figures import tokens
from tests.e2e.inspector.test_inspector import inspector, open_preview
from tests.e2e.peer import Peer
from tests.e2e.screen import Screen, eventually, reload
from tests.e2e.written import a_pair, call, write
from tests.effort import EFFORT
from tests.serving import Served

STEPS = 14
LOOK_AT_EACH_FRAME = """
const drafted = ({ role, content }) =>
  role !== "user" ? "" : typeof content === "string" ? content : content.map(({ text }) => text).join("");
const look = () => {
  requestAnimationFrame(look);
  const box = document.querySelector("#prompt");
  const panel = document.querySelector("#preview-panel");
  const lines = [...(panel?.querySelectorAll("pre") ?? [])].map((line) => line.innerText).join("");
  if (!box || !lines || panel.closest("[data-old]")) return;
  const shown = drafted(JSON.parse(lines).messages.at(-1));
  if (shown !== box.value) window.lies.push([shown, box.value]);
};
window.lies = [];
look();
"""
"""Record the draft in the unmarked preview, and the text in the box, whenever they differ."""
SLOWEST = 200
"""Milliseconds between two keys."""
WORDS = ("maple", "river", "btw", "thanks", "extra", "json", "what now", "Enter", "é", "不", "x" * 40)


@dataclass
class Person:
    """A simulated person. `boxes`: the text in each conversation's box. `steps`: its actions, for failure reports."""

    random: Random
    screen: Screen
    server: Served
    peer: Peer
    names: tuple[str, ...]
    here: str
    boxes: dict[str, str] = field(default_factory=dict[str, str])
    steps: list[str] = field(default_factory=list[str])

    @property
    def box(self) -> str:
        return self.boxes.get(self.here, "")

    @property
    def waits(self) -> bool:
        """True while a reply is running that the test has not released."""
        return not self.peer.free.is_set()

    def step(self) -> None:
        """Do a random action and check the page."""
        acts: list[Callable[[], None]] = [self.type, self.type, self.send, self.erase, self.edit, self.reload]
        acts += [self.release if self.waits else self.hold, self.type_and_send]
        if not self.waits:
            acts += [self.switch]
        act = self.random.choice(acts)
        assert self.screen.page.evaluate("window.lies") == []
        self.steps.append(act.__name__)
        act()
        self.agree()

    def type(self) -> None:
        words = " ".join(self.random.choices(WORDS, k=self.random.randint(1, 3)))
        self.screen.composer.press("Control+End")
        self.screen.page.keyboard.type(words, delay=self.random.uniform(0, SLOWEST) if len(words) < 20 else 0)
        self.boxes[self.here] = self.box + words
        self.steps[-1] += f" {words!r}"

    def type_and_send(self) -> None:
        """Press Enter directly after the last letter."""
        self.type()
        self._enter()

    def send(self) -> None:
        """Send, and compare the bytes that arrive with the last preview."""
        if not self.box.strip():
            return
        shown, arrived = self.shown_hash(), len(self.peer.raw)
        self._enter()
        if not self.waits:
            eventually(lambda: len(self.peer.raw) > arrived)
            assert sha256(self.peer.raw[arrived]).hexdigest() == shown, self.steps

    def erase(self) -> None:
        self.screen.composer.press("Control+a")
        self.screen.page.keyboard.press("Backspace")
        self.boxes[self.here] = ""

    def hold(self) -> None:
        """Make replies wait until this person releases them."""
        self.peer.free.clear()
        self.type_and_send()

    def release(self) -> None:
        self.peer.free.set()

    def edit(self) -> None:
        """Start to edit a pair and cancel the edit."""
        if self.waits:
            return
        pair = self.screen.pairs.last
        pair.hover()
        pair.get_by_role("button", name="Edit and resend", exact=True).locator("visible=true").click()
        form = self.screen.page.get_by_role("form", name="Edit pair")
        form.get_by_role("textbox").press_sequentially(" more", delay=self.random.uniform(0, SLOWEST))
        form.get_by_role("button", name="Cancel").click()
        expect(form).to_have_count(0)

    def switch(self) -> None:
        self.here = next(name for name in self.names if name != self.here)
        self.screen.page.locator(f"a[href*='{self.here}']").first.click()
        self.screen.page.wait_for_url(f"**/c/{self.here}*")

    def reload(self) -> None:
        reload(self.screen.page)

    def agree(self) -> None:
        """Check that the box has the typed text, and that the preview and the estimate belong to it."""
        expect(self.screen.composer).to_have_value(self.box)
        if not self.waits:
            expect(self.screen.stop).to_have_count(0)
            expect(self.screen.page.get_by_role("region", name="Queue")).to_have_count(0)
        eventually(lambda: self._is_of_the_box(self.shown_body(), self.expected()))
        expect(inspector(self.screen.page).locator("[data-old]")).to_have_count(0)
        assert self.screen.page.evaluate("window.lies") == []

    def shown_hash(self) -> str:
        title = inspector(self.screen.page).locator("code[title]").nth(1).get_attribute("title")
        assert title
        return title

    def shown_body(self) -> Any:
        lines = inspector(self.screen.page).locator("pre").all_inner_texts()
        try:
            return json.loads("".join(lines))
        except ValueError:
            return None

    def _is_of_the_box(self, body: Any, expected: Any) -> bool:
        return body == expected["body"] and tokens(self.screen.page) == expected["estimate"]["tokens"]

    def expected(self) -> Any:
        return call(self.server.url, "POST", f"/conversations/{self.here}/preview", {"text": self.box})

    def _enter(self) -> None:
        if not self.box.strip():
            return
        self.screen.composer.press("Enter")
        self.boxes[self.here] = ""


@pytest.mark.parametrize("seed", range(EFFORT.drafts))
def test_preview_estimate_and_send_are_of_the_text_in_the_box(
    page: Page, server: Served, peer: Peer, prefer: Callable[..., None], seed: int
) -> None:
    specs = [{"model": "peer:large", "pairs": [a_pair(f"Question {name}", "Answer")]} for name in ("one", "two")]
    names = tuple(write(server, *specs))
    page.add_init_script(LOOK_AT_EACH_FRAME)
    screen = Screen(page).go(f"/c/{names[0]}")
    open_preview(screen).get_by_role("tab", name="JSON").click()
    person = Person(Random(seed), screen, server, peer, names, names[0])
    try:
        for _ in range(STEPS):
            person.step()
    except BaseException:
        print(*person.steps, person.shown_body(), person.expected()["body"], tokens(page), sep="\n")
        raise
    finally:
        peer.free.set()
