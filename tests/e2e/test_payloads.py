"""Five hundred texts that would run or fetch something, in every place that holds a text: none does.

A page is loaded once for each region, with all of them in it. Written pages are opened a second time without any policy
(`bypass_csp`), as a reader's mail program might: what keeps them safe then is only how they were written.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, BrowserContext, Dialog, FilePayload, Page, Route, WebSocket, expect

from tests.addresses import LINKS, NO_LINKS
from tests.e2e.screen import Screen, eventually, visit
from tests.e2e.test_tools import a_call, a_result
from tests.e2e.written import call
from tests.payloads import FAMILIES, PAYLOADS, items, lines
from tests.serving import Served, serving

A_PAIR = 26
"""Payloads of a message. With these a page shows all pairs at once."""
READER = "http://reader.example/page"
"""Where a written page is opened as a file that somebody was sent."""

AUDIT = r"""() => {
  const active = new Set("IFRAME OBJECT EMBED FRAME FRAMESET APPLET BASE PORTAL FENCEDFRAME MARQUEE".split(" "));
  const loading = new Set("src srcset data poster background ping action formaction srcdoc lowsrc code".split(" "));
  const safe = /^(https?:\/\/[^/]|mailto:|\/(?!\/)|#|\?|blob:|data:image\/(png|jpeg|gif|webp)[;,]|$)/i;
  const found = [];
  for (const element of document.querySelectorAll("body *")) {
    const draws = element.matches("iframe.diagram-frame[sandbox=allow-scripts][src='/diagram.html']");
    if (active.has(element.tagName.toUpperCase()) && !draws) found.push(element.outerHTML.slice(0, 200));
    for (const { name, value } of element.attributes) {
      const leads = name === "href" || name === "xlink:href";
      if (element.matches(".diagram > img") && name === "src" && value.startsWith("data:image/svg+xml,")) continue;
      const bad = name.startsWith("on") || (leads && !safe.test(value)) ||
        (loading.has(name) && (!safe.test(value) || value.includes("evil.example"))) ||
        (name === "style" && /url\(|expression|binding|behavior/i.test(value)) ||
        (/^(IMG|FORM|A|EMBED)$/.test(element.tagName) && /^(id|name)$/.test(name) && value in document);
      if (bad) found.push(`${element.tagName} ${name}=${value.slice(0, 200)}`);
    }
  }
  return found;
}"""


@dataclass
class Watch:
    """What happened in a browser that should not."""

    ran: list[str] = field(default_factory=list[str])
    fetched: list[str] = field(default_factory=list[str])


@contextmanager
def watching(context: BrowserContext, *own: str) -> Generator[Watch]:
    """Note each dialog, and each request to anybody but `own`, which gets no answer."""
    seen = Watch()

    def refuse(route: Route) -> None:
        seen.fetched.append(route.request.url)
        route.abort()

    def note_socket(socket: WebSocket) -> None:
        if not is_own(socket.url.replace("ws", "http", 1)):
            seen.fetched.append(socket.url)

    def is_own(url: str) -> bool:
        return url.startswith((*own, "data:", "blob:"))

    def note_dialog(opened: Dialog) -> None:
        seen.ran.append(opened.message)
        opened.dismiss()

    def follow(page: Page) -> None:
        page.on("dialog", note_dialog)
        page.on("websocket", note_socket)

    def is_foreign(url: str) -> bool:
        return not is_own(url)

    context.on("page", follow)
    context.route(is_foreign, refuse)
    yield seen
    context.remove_listener("page", follow)
    context.unroute(is_foreign, refuse)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    """A server of its own: what is planted on it would be in the way of other tests."""
    with serving(tmp_path_factory.mktemp("payloads") / "data") as served:
        yield served


@pytest.fixture(scope="module")
def planted(server: Served) -> str:
    """The payloads, wherever a person, a model, a tool or a file can put a text. The conversation's id."""
    url = server.url
    topics = [call(url, "POST", "/topics", {"path": line})["id"] for line in list(lines(80, ">"))[:20]]
    for number, line in enumerate(list(lines(60))[:20]):
        agent = {"name": line, "description": " ".join(lines(500))[:500], "system_prompt": items(PAYLOADS)}
        call(url, "POST", "/agents", agent)
        prompt = {"name": f"p{number}", "title": line, "text": "\n\n".join(PAYLOADS).replace("{{", "{ {")}
        call(url, "POST", "/prompts", prompt)
    for title in lines(300):
        call(url, "POST", "/conversations", {"title": title})
    made = call(url, "POST", "/import", a_conversation())["conversations"][0]["id"]
    pairs = call(url, "GET", f"/conversations/{made}/pairs")["items"]
    for pair, topic in zip(pairs, topics, strict=False):
        call(url, "PATCH", f"/pairs/{pair['id']}", {"topic_id": topic})
    return made


def a_conversation() -> dict[str, Any]:
    """A file of our own format: each payload is in a request, a reply, thinking, a call, a result and a file."""
    titles = list(lines(300))
    pairs: list[dict[str, Any]] = []
    for start in range(0, len(PAYLOADS), A_PAIR):
        payloads = PAYLOADS[start : start + A_PAIR]
        plain, listed, name = "\n\n".join(payloads), items(payloads), titles[len(pairs)]
        calls = [a_call("c1", name[:60], dict(enumerate_as_text(payloads))), a_result("c1", plain)]
        reply = [{"type": "thinking", "text": listed}, *calls, {"type": "text", "text": listed}]
        request = [{"type": "text", "text": plain}, {"type": "text_file", "name": name[:120], "text": plain}]
        pairs.append(
            {"user_text": plain, "request": {"parts": request}, "reply_text": listed, "reply": {"parts": reply}}
        )
    return {"title": titles[0], "model": "offline:demo", "system_prompt": items(PAYLOADS), "pairs": pairs}


def enumerate_as_text(payloads: tuple[str, ...]) -> list[tuple[str, str]]:
    """The payloads as the fields of an object, each also as a name."""
    return [(f"{number} {payload}", payload) for number, payload in enumerate(payloads)]


def reach_first(page: Page) -> int:
    """Scroll to the first pair that is there, which has earlier ones come. How many there are."""
    page.evaluate("document.querySelector('article')?.scrollIntoView()")
    return page.get_by_role("article").count()


def require_nothing(page: Page, seen: Watch) -> None:
    """Nothing ran, nothing was fetched, and nothing is in the page that could do so later."""
    assert page.evaluate(AUDIT) == []
    assert (seen.ran, seen.fetched) == ([], [])


def test_there_are_many_and_they_run_where_nothing_is_done_against_them(browser: Browser) -> None:
    """Shows that the tests below would notice: the same texts as markup run and fetch."""
    assert len(set(PAYLOADS)) == len(PAYLOADS) >= 300
    assert len(FAMILIES) >= 10
    with browser.new_context() as context, watching(context, READER) as seen:
        context.route(READER, lambda route: route.fulfill(content_type="text/html", body="<body></body>"))
        page = context.new_page()
        page.goto(READER)
        ran = page.evaluate(
            """async (payloads) => {
              const ran = new Set();
              window.noted = (each) => ran.add(each);
              const { body } = document, make = document.createElement.bind(document);
              for (const [at, payload] of payloads.entries()) {
                const holder = make("div");
                body.append(holder);
                holder.innerHTML = payload.replaceAll("alert(1)", `window.noted(${at})`);
              }
              await new Promise((done) => setTimeout(done, 1500));
              return ran.size;
            }""",
            [payload for payload in PAYLOADS if not re.search("<(meta|base|form|iframe)", payload)],
        )

    print(f"{ran} ran, {len(set(seen.fetched))} addresses were asked for")
    assert ran >= 60
    assert len({url for url in seen.fetched if "evil.example" in url}) >= 30


def test_nothing_runs_in_a_conversation(context: BrowserContext, server: Served, planted: str) -> None:
    with watching(context, server.url) as seen:
        page = context.new_page()
        visit(page, f"/c/{planted}")
        eventually(lambda: reach_first(page) == -(-len(PAYLOADS) // A_PAIR))
        last = (len(PAYLOADS) - 1) % A_PAIR + 1
        expect(page.locator("article .reply").last).to_contain_text(f"end{last}")
        # All that is folded, of calls, of thinking, of files.
        page.evaluate(
            "document.querySelectorAll('article details:not([open]) > summary').forEach((one) => one.click())"
        )
        expect(page.locator(".tool-card .tool-text, .tool-card .json-lines").first).to_be_visible()
        eventually(lambda: page.locator(".undrawn, [aria-busy=true]").count() == 0)

        shown = page.locator("article .reply").first.text_content() or ""
        assert [number for number in range(1, A_PAIR + 1) if f"end{number}" not in shown] == []
        require_nothing(page, seen)


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/agents",
        "/audit",
        "/status",
        "/prompts",
        "/pairs",
        "/shared",
        "/shares",
        "/usage",
        "/trash",
        "/import",
        "/settings",
    ],
)
def test_nothing_runs_on_a_page(context: BrowserContext, server: Served, planted: str, path: str) -> None:
    call(server.url, "POST", f"/conversations/{planted}/shares", {})
    with watching(context, server.url) as seen:
        page = context.new_page()
        visit(page, path)
        expect(page.get_by_role("navigation").first).to_contain_text("alert(1)")  # the titles
        page.wait_for_load_state("networkidle")

        require_nothing(page, seen)


def test_nothing_runs_in_the_palette(context: BrowserContext, server: Served, planted: str) -> None:
    with watching(context, server.url) as seen:
        page = context.new_page()
        Screen(page).go(f"/c/{planted}")
        page.keyboard.press("Control+k")
        expect(page.get_by_role("dialog").get_by_role("option").first).to_be_visible()
        page.keyboard.type("alert")
        expect(page.get_by_role("dialog").get_by_text("alert(1)").first).to_be_visible()
        require_nothing(page, seen)


def test_nothing_runs_of_a_file_to_import(context: BrowserContext, server: Served) -> None:
    file: FilePayload = {"name": next(lines(200, "/")), "mimeType": "application/json", "buffer": b"{}"}
    with watching(context, server.url) as seen:
        page = context.new_page()
        visit(page, "/import")
        page.get_by_label("Export to import").set_input_files(file)
        expect(page.locator(".import-message")).to_be_visible()

        require_nothing(page, seen)


@pytest.mark.parametrize("what", ["html", "print", "share"])
def test_nothing_of_a_written_page_runs_with_or_without_its_policy(
    browser: Browser, server: Served, planted: str, what: str
) -> None:
    shown = {"tools": True, "thinking": True, "system_prompt": True, "author": next(lines(60))}
    path = {
        "html": lambda: f"/api/v1/conversations/{planted}/export?format=html",
        "print": lambda: f"/api/v1/conversations/{planted}/export?format=html&print=true",
        "share": lambda: call(server.url, "POST", f"/conversations/{planted}/shares", shown)["path"],
    }[what]()
    written = server.get(path)
    assert written.status == 200
    for bypassed in (False, True):
        with browser.new_context(bypass_csp=bypassed) as context, watching(context, READER) as seen:
            context.add_init_script("window.print = () => {}")
            context.route(READER, lambda route: route.fulfill(content_type="text/html", body=written.text))
            page = context.new_page()
            page.goto(READER)
            page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
            expect(page.locator("article .reply").last).to_contain_text("end1")
            page.wait_for_load_state("networkidle")

            require_nothing(page, seen)
            assert page.evaluate("document.scripts.length") == (1 if what == "print" else 0)


def test_only_pages_and_mail_are_links_of_a_reply(context: BrowserContext, server: Served) -> None:
    text = "".join(f"- [x]({url}) [y](<{url}>)\n" for url in (*LINKS, *NO_LINKS))
    pair = {"user_text": "Links?", "reply_text": f"{text}\nThat is all."}
    made = call(server.url, "POST", "/import", {"title": "Links", "model": "offline:demo", "pairs": [pair]})
    page = context.new_page()
    visit(page, f"/c/{made['conversations'][0]['id']}")
    reply = page.locator("article .reply").last
    expect(reply).to_contain_text("That is all.")
    hrefs = reply.locator("a[href]").evaluate_all("links => links.map((link) => link.getAttribute('href'))")

    assert hrefs == [quote(url, safe=":/?#[]@=&") for url in LINKS for _ in range(2)]
