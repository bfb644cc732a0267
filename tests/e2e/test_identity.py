"""What is in view is what is sent: what stands in the document without OUT badge is the body that the provider gets.

Conversations, filters, marks, models and budgets at random; what the provider reports of each is a lie. The
document is read as a person reads it, and knows nothing of what the server thinks it sends. Then the same with
pictures, documents, text files, and calls of tools with their results, each opened and fetched from where it stands.
A hundred of them and twenty with files are tried by `make test-long`. Many more without a browser are in
`tests/identity`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from app.domain.conversation.attachments import Attachment
from app.domain.conversation.parts import Part, Text, TextFile, ToolCall, ToolResult
from tests.domain.conversation.test_attachments import a_png
from tests.e2e.figures import counter, tokens
from tests.e2e.peer import MODELS, Peer, serve_peer, serving_beside
from tests.e2e.screen import Screen, eventually
from tests.e2e.written import a_pair, write
from tests.lies.servers import USAGE_LIES
from tests.pdfs import a_pdf
from tests.seeds import choose_count
from tests.serving import Served

CASES = choose_count("IDENTITY_PAGES", 40, 100)
SEED = 20_261_122
WORDS = ("maple", "river", "stone", "quiet", "seven", "lamp", "orbit", "salt")
TERMS = (
    "s>=2", "s0", "s3", "b", "g", "in", "out", "!out", "r1", "r3", "r5", "e", "!e", "c'maple'", "c'river*salt'", "m",
    "m'large'", "d<1y", "d>6d", "i", "k", "u>40", "o", "o2", "!o", "!(s1 | b)", "t",
)  # fmt: skip
DRAFT = "What would you say to all of that?"

# Every pair on screen that bears no OUT badge: what was asked, what was answered.
IN_CONTEXT = """() => [...document.querySelectorAll("article")]
    .filter((pair) => !pair.closest("[data-pair]").querySelector(".out"))
    .flatMap((pair) => [["user", pair.querySelector(".request").innerText],
                        ["assistant", pair.querySelector(".reply").innerText]])"""

PICTURES = tuple(Attachment("image/png", a_png(width, 2)) for width in (1, 2, 3))
DOCUMENTS = tuple(Attachment("application/pdf", a_pdf(word), f"{word}.pdf") for word in WORDS[:2])
FILES: tuple[Part, ...] = (
    *(one.part() for one in (*PICTURES, *DOCUMENTS)),
    TextFile("cities.csv", "city,people\nUlm,128928\n"),
    TextFile("notes.txt", "No end of line"),
)
WITH_FILES = choose_count("IDENTITY_PAGES_WITH_FILES", 10, 20)

# The same with all that stands beside the words. A picture or a document is fetched from where its link leads.
ALL_IN_CONTEXT = """async () => {
  const fetched = async (href) => {
    const blob = await (await fetch(href)).blob();
    return new Promise((done) => {
      const reader = new FileReader();
      reader.onload = () => done(reader.result);
      reader.readAsDataURL(blob);
    });
  };
  const beside = async (place) => {
    const found = [];
    for (const one of place.querySelectorAll("img, a.tool-file, .text-file")) {
      if (one.matches("img")) found.push(["image", await fetched(one.src)]);
      else if (one.matches("a")) found.push(["file", one.textContent, (await fetched(one.href)).split(",")[1]]);
      else found.push(["text", one.querySelector(".file-name").textContent,
                       one.querySelector("pre").textContent.replace(/\\n$/, "")]);
    }
    return found;
  };
  const shown = [];
  for (const pair of document.querySelectorAll("article")) {
    if (pair.closest("[data-pair]").querySelector(".out")) continue;
    const request = pair.querySelector(".request");
    const said = [["user", request.querySelector(":scope > div").innerText, await beside(request)]];
    for (const part of pair.querySelectorAll(".reply > [data-part]")) {
      const card = part.querySelector(".tool-card");
      if (!card) {
        said.push(["assistant", part.innerText]);
        continue;
      }
      const result = card.querySelector(".tool-result");
      const words = [...result.querySelectorAll("pre")].map((one) => one.textContent).join("");
      const given = card.querySelector("figure pre");
      const lines = given.childElementCount ? [...given.children].map((line) => line.textContent).join("\\n")
                                            : given.textContent;
      said.push(["call", card.querySelector(".tool-name").textContent, lines, words, await beside(result)]);
    }
    shown.push(said);
  }
  return shown;
}"""


@dataclass(frozen=True)
class Case:
    """`ceiling`: tokens of a send at most, None for the model's window."""

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
    """One of its own: what it reports is learnt, and other tests count on honest figures."""
    with serve_peer() as served:
        served.inputs = ["text", "image", "file"]
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


@pytest.mark.parametrize("number", range(CASES))
def test_what_is_on_screen_is_what_arrives(
    page: Page,
    cases: list[tuple[str, Case]],
    peer: Peer,
    prefer: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
    *,
    number: int,
) -> None:
    conversation, case = cases[number]
    prefer(reserve=0, send_tokens=case.ceiling)
    lies = tuple(USAGE_LIES.values())
    monkeypatch.setattr(peer, "usage", lies[number % len(lies)](500))
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


@pytest.fixture(scope="module")
def cases_with_files(server: Served) -> list[str]:
    random = Random(SEED)
    specs = [
        {
            "model": "peer:large",
            "attachments": (*PICTURES, *DOCUMENTS),
            "pairs": [_pair_with_files(random, number) for number in range(1, random.randint(2, 5))],
        }
        for _ in range(WITH_FILES)
    ]
    return write(server, *specs)


def _pair_with_files(random: Random, number: int) -> dict[str, Any]:
    asked = (Text(f"Question {number} {_words(random, 6)}"), *random.sample(FILES, random.randrange(4)))
    reply: tuple[Part, ...] = (Text(f"Answer {number} {_words(random, 6)}"),)
    for turn in range(random.choice([0, 1, 1, 2])):
        reply = (*reply, *_round(random, turn), Text(_words(random, 4)))
    return a_pair(asked, reply, model="peer:large", mark=random.choice([None, None, "out"]))


def _round(random: Random, turn: int) -> Iterator[Part]:
    called = [f"call-{turn}-{place}" for place in range(random.randint(1, 2))]
    for one in called:
        yield ToolCall(one, random.choice(["clock", "find"]), json.dumps({"q": _words(random, 3)}), complete=True)
    for one in called:
        beside = random.sample([part.part() for part in (*PICTURES, *DOCUMENTS)], random.randrange(3))
        yield ToolResult(one, (Text(_words(random, 5)), *beside), is_error=random.random() < 0.3)


@pytest.mark.parametrize("number", range(WITH_FILES))
def test_files_and_tools_on_screen_are_what_arrives(
    page: Page, cases_with_files: list[str], peer: Peer, prefer: Callable[..., None], *, number: int
) -> None:
    prefer(reserve=0, send_tokens=None)
    screen = Screen(page).go(f"/c/{cases_with_files[number]}")
    bar = page.get_by_role("combobox", name="Filter")
    bar.fill("!out")
    bar.press("Enter")
    expect(page.locator(".filter-sentence")).to_be_visible()
    eventually(lambda: screen.pairs.count() == _count(page, 1))
    closed = page.locator("article :is(.text-file, .tool-card):not([open]) > summary")
    while closed.count():
        closed.first.click()
    cards = page.locator("article .tool-card").count()
    expect(page.locator("article .tool-card .tool-result")).to_have_count(cards)
    shown = page.evaluate(ALL_IN_CONTEXT)
    arrived = len(peer.bodies)
    screen.write(DRAFT)
    screen.composer.press("Enter")
    eventually(lambda: len(peer.bodies) > arrived)

    assert _read_back(peer.bodies[-1]["messages"]) == [line for pair in shown for line in pair] + [["user", DRAFT, []]]


def _read_back(messages: list[dict[str, Any]]) -> list[list[Any]]:
    """What arrived, in the order and the words in which a screen shows it: each call with its result."""
    lines, calls = list[list[Any]](), dict[str, list[Any]]()
    for message in messages:
        content = message["content"]
        if message["role"] == "tool":
            calls[message["tool_call_id"]][3] = content
        elif message["role"] == "assistant":
            if content is not None:
                lines.append(["assistant", content])
            for call in message.get("tool_calls", ()):
                given = json.dumps(json.loads(call["function"]["arguments"]), indent=2)
                calls[call["id"]] = ["call", call["function"]["name"], given, "", []]
                lines.append(calls[call["id"]])
        elif isinstance(content, str):
            lines.append(["user", content, []])
        elif result := re.fullmatch(r"\[Result of (.+)\]", content[0]["text"]):
            for block in content:
                if block["type"] == "text":
                    result = re.fullmatch(r"\[Result of (.+)\]", block["text"])
                else:
                    assert result is not None
                    calls[result[1]][4].append(_read_block(block))
        else:
            lines.append(["user", content[0]["text"], [_read_block(block) for block in content[1:]]])
    return lines


def _read_block(block: dict[str, Any]) -> list[str]:
    if block["type"] == "image_url":
        return ["image", block["image_url"]["url"]]
    if block["type"] == "file":
        return [
            "file",
            block["file"]["filename"],
            block["file"]["file_data"].removeprefix("data:application/pdf;base64,"),
        ]
    named = re.fullmatch(r'<file name="(.+?)">\n(.*)\n</file>', block["text"], re.DOTALL)
    assert named is not None
    return ["text", named[1], named[2]]


def _asks_first(page: Page) -> bool:
    """Whether a dialog asks before the send: where pairs are over budget, not where they failed or are only shown."""
    return _count(page, 0) < _count(page, 1) and page.get_by_text(re.compile("OUT.*over budget")).count() > 0


def _count(page: Page, place: int) -> int:
    return int(counter(page).inner_text().split("/")[place].split()[0].replace(",", ""))
