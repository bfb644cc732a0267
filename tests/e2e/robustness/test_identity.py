"""What is in view is what is sent: the provider receives the pairs in the document that have no OUT badge.

A hundred random conversations, filters, marks, models and budgets. The usage that the provider reports is wrong each
time. The document is read as a person reads it, independently of the server's own data. `tests/identity` does the same
for ten thousand cases without a browser.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.figures import counter, tokens
from tests.e2e.peer import MODELS, Peer, serve_peer, serving_beside
from tests.e2e.screen import Screen, eventually, step
from tests.e2e.written import a_pair, write
from tests.effort import EFFORT
from tests.lies.servers import USAGE_LIES
from tests.serving import Served

CASES = EFFORT.page_identity
STORY = 10
"""Maximum number of cases of one story."""
SEED = 20_261_122
WORDS = ("maple", "river", "stone", "quiet", "seven", "lamp", "orbit", "salt")
TERMS = (
    "s>=2", "s0", "s3", "b", "g", "in", "out", "!out", "r1", "r3", "r5", "e", "!e", "c'maple'", "c'river*salt'", "m",
    "m'large'", "d<1y", "d>6d", "i", "k", "u>40", "o", "o2", "!o", "!(s1 | b)", "t",
)  # fmt: skip
DRAFT = "What would you say to all of that?"

# Every pair on screen without an OUT badge: its request and its reply. A person scrolls to each to read it: the browser
# does not draw pairs that are far from the visible part, and such a pair has no readable text.
IN_CONTEXT = """async () => {
  const texts = [];
  for (const pair of document.querySelectorAll("article")) {
    if (pair.closest("[data-pair]").querySelector(".out")) continue;
    pair.scrollIntoView();
    while (!pair.checkVisibility({ contentVisibilityAuto: true })) await new Promise(requestAnimationFrame);
    texts.push(["user", pair.querySelector(".request").innerText]);
    texts.push(["assistant", pair.querySelector(".reply").innerText]);
  }
  return texts;
}"""


@dataclass(frozen=True)
class Case:
    """One conversation with its view. `ceiling`: maximum tokens of a send. None: the model's window."""

    spec: dict[str, Any]
    filter: str
    model: str
    ceiling: int | None


def make_case(random: Random) -> Case:
    pairs = [_pair(random, number) for number in range(1, random.randint(2, 13))]
    model = random.choice(list(MODELS))
    spec = {"model": f"peer:{model}", "pairs": pairs}
    if random.random() < 0.5:
        spec["system_prompt"] = _words(random, 6)
    return Case(spec, _filter(random), model, random.choice([None, None, 60, 150, 300, 600]))


def _pair(random: Random, number: int) -> dict[str, Any]:
    lifecycle = random.choices(["succeeded", "canceled", "error"], [8, 1, 1])[0]
    reply = None if lifecycle != "succeeded" and random.random() < 0.6 else f"Answer {number} {_words(random, 30)}"
    return a_pair(
        f"Question {number} {_words(random, 12)}",
        reply,
        lifecycle=lifecycle,
        stars=random.randrange(4),
        flagged=random.random() < 0.3,
        mark=random.choice([None, None, "in", "out"]),
        model=f"peer:{random.choice(list(MODELS))}",
        minutes_ago=(14 - number) * 24 * 60,
    )


def _filter(random: Random) -> str:
    count = random.choices([0, 1, 2, 3], [2, 3, 3, 1])[0]
    line = random.choice(TERMS) if count else ""
    for _ in range(count - 1):
        line = f"({line}){random.choice([' ', ' & ', ' | '])}{random.choice(TERMS)}"
    return line


def _words(random: Random, most: int) -> str:
    return " ".join(random.choices(WORDS, k=random.randint(1, most)))


@pytest.fixture(scope="module")
def peer() -> Generator[Peer]:
    """A separate peer: Inview learns from its reports, and other tests need honest figures."""
    with serve_peer() as served:
        yield served


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, peer: Peer) -> Generator[Served]:
    with serving_beside(peer, tmp_path_factory.mktemp("identity") / "data") as served:
        yield served


@pytest.fixture(scope="module")
def cases(server: Served) -> list[tuple[str, Case]]:
    random = Random(SEED)
    made = [make_case(random) for _ in range(CASES)]
    return list(zip(write(server, *(case.spec for case in made)), made, strict=True))


@pytest.mark.timeout(600)
@pytest.mark.parametrize("first", range(0, CASES, STORY))
def test_what_is_on_screen_is_what_arrives(
    page: Page,
    cases: list[tuple[str, Case]],
    peer: Peer,
    prefer: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
    *,
    first: int,
) -> None:
    lies = tuple(USAGE_LIES.values())
    for number, (conversation, case) in enumerate(cases[first : first + STORY], first):
        monkeypatch.setattr(peer, "usage", lies[number % len(lies)](500))
        with step(f"case {number}: {case}"):
            require_that_what_is_on_screen_arrives(page, conversation, case, peer, prefer)


def require_that_what_is_on_screen_arrives(
    page: Page, conversation: str, case: Case, peer: Peer, prefer: Callable[..., None]
) -> None:
    prefer(reserve=0, send_tokens=case.ceiling)
    screen = Screen(page).go(f"/c/{conversation}")
    bar = page.get_by_role("combobox", name="Filter")
    expect(counter(page)).to_be_visible()
    bar.fill(case.filter)
    bar.press("Enter")
    expect(bar).not_to_be_focused()
    if case.filter:
        expect(page.locator(".filter-sentence")).to_be_visible()
    before = tokens(page)
    screen.write(DRAFT)
    eventually(lambda: tokens(page) != before)
    expect(screen.pairs).to_have_count(_count(page, 1))
    shown = page.evaluate(IN_CONTEXT)
    arrived = len(peer.bodies)
    asks = _asks_first(page)

    screen.composer.press("Enter")
    if asks:
        page.get_by_role("button", name=re.compile("that fit|draft alone")).click()
    eventually(lambda: len(peer.bodies) > arrived)

    body = peer.bodies[-1]
    system = [["system", case.spec["system_prompt"]]] if "system_prompt" in case.spec else []
    assert [[message["role"], message["content"]] for message in body["messages"]] == [*system, *shown, ["user", DRAFT]]
    assert body["model"] == case.model


def _asks_first(page: Page) -> bool:
    """Return whether a dialog asks before the send: if pairs are over budget, not if they failed or are only shown."""
    return _count(page, 0) < _count(page, 1) and page.get_by_text(re.compile("OUT.*over budget")).count() > 0


def _count(page: Page, place: int) -> int:
    return int(counter(page).inner_text().split("/")[place].split()[0].replace(",", ""))
