"""Drawn replies: the result of Markdown, what is never drawn, and a stream that ends with the same page as a reload."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Request, Route, expect

from tests.e2e.screen import Screen, eventually, reload

EVERYTHING = """# Title

A paragraph with **bold**, *italic*, ~~gone~~, `code`, a [link](https://example.org/a?b=1) and $x^2$.
A second line.

1. one
2. two
   - inner
   - more

   still two
3. three

- [x] done
- [ ] open

> A quote
> of two lines

> [!WARNING]
> Mind the *gap*.

| a | b |
|:--|--:|
| 1 | **2** |

```python
def f(x):
    return x  # twice
```

$$
\\int_0^1 x\\,dx
$$

A [defined] link, &amp; an entity &mdash; done.

---

Last words.[^why]

[^why]: Because *of this*.

[defined]: https://example.org/defined
"""

BODY = "document.querySelector('article .reply').innerHTML"


def shown(screen: Screen) -> str:
    expect(screen.page.locator("pre .hljs-keyword").first).to_be_visible()
    expect(screen.page.locator(".math .katex")).to_have_count(2)
    return screen.page.evaluate(BODY)


def test_streamed_reply_ends_as_the_same_document_that_a_reload_draws(screen: Screen) -> None:
    screen.start(f"/echo {EVERYTHING}").wait_for_reply()
    expect(screen.last_reply.locator("a[href='https://example.org/defined']")).to_have_text("defined")
    expect(screen.last_reply.locator(".callout[data-kind=warning]")).to_have_text(
        re.compile(r"^Warning\s*Mind the gap\.$")
    )
    mark, note = screen.last_reply.get_by_role("button", name="Footnote why"), screen.last_reply.locator(".footnote")
    expect(note).to_have_text(re.compile("Because of this"))
    mark.click()
    expect(note).to_be_focused()
    note.get_by_role("button", name="why, back to the text").click()
    expect(mark).to_be_focused()
    streamed = shown(screen)

    reload(screen.page)
    screen.wait_for_reply()

    assert shown(screen) == streamed


@pytest.mark.exhaustive
def test_everything_has_its_element(screen: Screen) -> None:
    screen.start(f"/echo {EVERYTHING}").wait_for_reply()
    reply = screen.last_reply

    for selector in ("h1", "strong", "em", "del", "p code", "ol > li > ul > li", "blockquote", "hr", "figure.code pre"):
        expect(reply.locator(selector).first).to_be_visible()
    expect(reply.locator("input[type=checkbox]")).to_have_count(2)
    expect(reply.locator("td").nth(1)).to_have_css("text-align", "right")
    expect(reply).to_contain_text("& an entity — done.")


def test_html_is_never_run_pictures_are_fetched_on_a_click_and_code_is_copied_unchanged(screen: Screen) -> None:
    html_is_never_run_and_links_lead_out_safely(screen)
    picture_from_elsewhere_is_fetched_on_a_click_and_not_before(screen)
    code_is_copied_unchanged(screen)
    request_is_formatted_shown_as_it_was_sent_and_copied_unchanged(screen)


def html_is_never_run_and_links_lead_out_safely(screen: Screen) -> None:
    screen.start(
        '/echo <img src=x onerror="window.ran=1"> <script>window.ran=1</script>\n\n<iframe src="/"></iframe>\n\n'
        "[bad](javascript:window.ran=1) [data](data:text/html,x) https://example.org/x and [this](http://example.com)."
    ).wait_for_reply()

    expect(screen.last_reply).to_contain_text("<script>window.ran=1</script>")
    for tag in ("img", "script", "iframe", "a[href^='javascript']", "a[href^='data']"):
        expect(screen.last_reply.locator(tag)).to_have_count(0)
    assert screen.page.evaluate("window.ran") is None
    links = screen.last_reply.get_by_role("link")
    expect(links).to_have_count(2)
    for link in links.all():
        assert link.get_attribute("target") == "_blank"
        assert {"noopener", "noreferrer"} <= set((link.get_attribute("rel") or "").split())


def picture_from_elsewhere_is_fetched_on_a_click_and_not_before(screen: Screen) -> None:
    asked: list[Request] = []
    screen.page.on("request", lambda request: asked.append(request) if "pictures.example" in request.url else None)
    screen.page.route(
        "**/pictures.example/**", lambda route: route.fulfill(status=200, content_type="image/gif", body=b"")
    )

    screen.send("/echo ![a cat](https://pictures.example/cat.gif)").wait_for_reply(2)
    button = screen.page.get_by_role("button", name=re.compile("Load picture “a cat” from pictures.example"))
    expect(button).to_be_visible()
    assert asked == []
    with screen.page.expect_response("**/pictures.example/**"):
        button.click()

    expect(screen.last_reply.locator("img[alt='a cat']")).to_have_count(1)
    screen.send("/echo The picture is not fetched again.").wait_for_reply(3)
    assert len(asked) == 1
    assert "referer" not in asked[0].headers


def code_is_copied_unchanged(screen: Screen) -> None:
    screen.send("/echo ```py\nx = 1\n\n\tif x:\n```").wait_for_reply(4)

    screen.page.get_by_role("button", name="Copy code").click()

    expect(screen.page.get_by_role("button", name="Copy code")).to_contain_text("Copied")
    assert screen.page.evaluate("navigator.clipboard.readText()") == "x = 1\n\n\tif x:"


def request_is_formatted_shown_as_it_was_sent_and_copied_unchanged(screen: Screen) -> None:
    text = "Is **this** `code`?\nA second line."
    screen.send(text).wait_for_reply(5)
    request = screen.pairs.last.locator(".request")

    expect(request.locator("strong")).to_have_text("this")
    assert request.locator("p").first.inner_text() == "Is this code?\nA second line."
    screen.pairs.last.hover()
    screen.pairs.last.locator(".actions").get_by_role("button", name="Copy the request").click()
    eventually(lambda: screen.page.evaluate("navigator.clipboard.readText()") == text)
    request.get_by_role("button", name="Show as sent").click()
    expect(request.locator("strong")).to_have_count(0)
    assert request.locator(".request-text").inner_text() == text
    request.get_by_role("button", name="Show formatted").click()
    expect(request.locator("strong")).to_be_visible()


@pytest.mark.exhaustive
def test_colours_come_though_what_paints_them_could_not_be_fetched_at_first(screen: Screen) -> None:
    refused: list[str] = []

    def refuse_once(route: Route) -> None:
        if refused:
            route.continue_()
        else:
            refused.append(route.request.url)
            route.abort()

    screen.page.route("**/assets/highlight-*.js", refuse_once)
    screen.start("/echo ```js\nlet a\n```").wait_for_reply()

    expect(screen.page.locator("pre .hljs-keyword")).to_be_visible()
    assert refused


@pytest.mark.exhaustive
def test_highlighter_and_typesetter_are_fetched_only_when_needed(screen: Screen) -> None:
    fetched: list[str] = []
    screen.page.on("request", lambda request: fetched.append(request.url))

    screen.start("/echo Just words.").wait_for_reply()
    assert not [url for url in fetched if "highlight" in url or "typeset" in url]
    screen.send("/echo ```js\nlet a\n```")
    expect(screen.page.locator("pre .hljs-keyword")).to_be_visible()

    assert [url for url in fetched if "highlight" in url]
    assert not [url for url in fetched if "others" in url or "typeset" in url]


@pytest.mark.exhaustive
def test_grammar_of_a_rare_language_is_fetched_with_the_first_block_in_it(screen: Screen) -> None:
    fetched: list[str] = []
    screen.page.on("request", lambda request: fetched.append(request.url))

    screen.start("/echo ```rust\nlet mut a = 1;\n```\n\n```py\nreturn\n```").wait_for_reply()

    expect(screen.page.locator("pre .hljs-keyword")).to_have_text(["let", "mut", "return"])
    assert [url for url in fetched if "highlight_others" in url]


@pytest.mark.parametrize("money", ["It costs $5 and then $10.", "Between $3 and $4 a piece"])
@pytest.mark.exhaustive
def test_money_is_no_formula(screen: Screen, money: str) -> None:
    screen.start(f"/echo {money}").wait_for_reply()

    expect(screen.last_reply).to_have_text(money)
    expect(screen.last_reply.locator(".math")).to_have_count(0)


@pytest.mark.exhaustive
def test_formula_that_cannot_be_read_stays_as_written(screen: Screen) -> None:
    screen.start("/echo Broken $\\frac{1$ here").wait_for_reply()

    expect(screen.last_reply).to_contain_text("$\\frac{1$")
