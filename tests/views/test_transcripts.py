"""Transcripts: whatever a model wrote, the file stays readable, and a page loads and runs nothing."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from app.domain.conversation.conversation import Conversation, Mark
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import File, Image, Text, Thinking, ToolCall, ToolResult
from app.domain.errors import ErrorClass, failure
from app.views.export.transcript_html import html_foot, html_head, html_pair, render_markdown
from app.views.export.transcript_markdown import close_fences, escape, fence, markdown_head, markdown_pair
from tests.attacks import ATTACKS as MARKDOWN
from tests.builders import EPOCH, a_pair

CONVERSATION = Conversation(id="c1", owner="ann", created_at=EPOCH, updated_at=EPOCH, title="Plans <b> & *more*")
CALLS = (
    Thinking("Let me look."),
    ToolCall("t1", "git_log", '{"n": 1}', complete=True),
    ToolResult("t1", (Text("```\ncommit"),)),
    Text("| a | b |\n|---|---|\n| 1 | 2 |\n\n```py\nprint('<b>')\n```"),
)


VOID = {"meta", "br", "hr"}


class Page(HTMLParser):
    """A parser of a page, with everything that a browser would act on."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.open: list[str] = []
        self.links: list[str] = []
        self.handlers: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name == "href"]
        self.loaded += [value or "" for name, value in attrs if name in {"src", "srcset", "data", "poster"}]
        self.handlers += [name for name, _ in attrs if name.startswith("on") or name == "style"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert tag in VOID or self.open.pop() == tag  # `<br />` starts and ends


def page_of(*replies: str) -> str:
    pairs = (html_pair(a_pair(reply, reply, position=place), reply) for place, reply in enumerate(replies, start=1))
    return html_head(replace(CONVERSATION, title=replies[0], system_prompt=replies[0])) + "".join(pairs) + html_foot()


ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[click](javascript:alert(1))",
    "![x](https://example.org/x.png)",
    '![x](x"onerror="alert(1))',
    "<!--",
    "</style></title></main>",
    "```\nnever closed",
    "<style>*{display:none}",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    '"><svg onload=alert(1)>',
    "[x](vbscript:msgbox(1))",
    "[x](file:///etc/passwd)",
    "[x](ssh://host/)",
    "[x](tel:1) [y](intent://scan/#Intent;end)",
    "<ms-word:ofe|u|http://evil.example/a.doc>",
    "[x][ref]\n\n[ref]: ftp://evil.example/",
    "![x](data:image/png;base64,AAAA)",
    "[x](//evil.example/) [y](/settings) [z]()",
    "[x](JavaScript&#58;alert(1)) [y](java&#10;script:alert(1))",
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_page_runs_and_loads_nothing_whatever_is_in_it(attack: str) -> None:
    page = Page(page_of(attack, "after"))

    assert page.open == []
    assert set(page.tags) <= {
        "html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "p", "time", "section", "article", "pre",
        "code", "a", "em",
    }  # fmt: skip
    assert page.tags.count("style") == page.tags.count("title") == 1
    assert page.tags.count("article") == 2
    assert (page.handlers, page.loaded) == ([], [])
    assert not [link for link in page.links if not link.startswith(("http://", "https://", "mailto:"))]


def test_addresses_of_pages_and_of_mail_are_links() -> None:
    text = "[a](http://example.org/) [b](HTTPS://example.org/) [c](mailto:ada@example.org) <https://example.org/d>"

    assert len(Page(page_of("x", text)).links) == 8  # once in the request, once in the reply


PIECES = [*ATTACKS, "[^1]", "[^1]: ", "[^<b>]: ", "[^<b>]", "[!NOTE]", "> [!TIP]\n", "\n", "    ", "> ", "* ", "|---|"]


@given(st.text(max_size=200) | st.lists(st.sampled_from(PIECES)).map("".join))
def test_a_page_is_well_formed_whatever_is_in_it(text: str) -> None:
    page = Page(page_of(f"x{text}", "after"))

    assert page.open == []
    assert page.tags.count("article") == 2
    assert not {"script", "img", "iframe", "object", "svg", "link"} & set(page.tags)
    assert (page.handlers, page.loaded) == ([], [])


def test_code_and_tables_are_drawn_as_such() -> None:
    drawn = render_markdown("| a | b |\n|---|---|\n| 1 | 2 |\n\n```py\nprint('<b>')\n```\n\n~~old~~")

    assert "<table>" in drawn
    assert "<td>1</td>" in drawn
    assert "<code class=\"language-py\">print('&lt;b&gt;')\n</code>" in drawn
    assert "<s>old</s>" in drawn


NOTES = """One[^1], two[^1] and [^none].

[^1]: The first
goes on.

    And has a paragraph with `code`.
[^b]: [^1]: kept

After."""


def test_footnotes_and_their_marks_lead_to_each_other() -> None:
    drawn = render_markdown(NOTES, "p")

    assert '<sup id="p-mark-1"><a href="#p-note-1" aria-label="Footnote 1">1</a></sup>, two<sup><a href=' in drawn
    assert '<div class="footnote" role="note" id="p-note-1"><a href="#p-mark-1"' in drawn
    assert "<p>The first\ngoes on.</p>\n<p>And has a paragraph with <code>code</code>.</p>\n</div></div>" in drawn
    assert "[^none]" in drawn
    assert drawn.count("footnote") == 2
    assert "1</a></sup>: kept</p>" in drawn
    assert "<p>After.</p>" in drawn


def test_notes_of_texts_in_one_page_have_different_ids() -> None:
    pairs = [a_pair(NOTES, (Thinking(NOTES), Text(NOTES)), position=place) for place in (1, 2)]
    page = "".join(html_pair(pair, None) for pair in pairs)

    ids = re.findall(r' id="([^"]*)"', page)
    assert len(ids) == len(set(ids)) == 2 + 6 * 3
    assert {link[1:] for link in Page(page).links} <= {*ids, *(f"{one}".replace("note", "mark") for one in ids)}


@pytest.mark.parametrize(
    ("text", "kind", "rest"),
    [
        ("> [!NOTE]\n> Ask *her*.", "note", "<p>Ask <em>her</em>.</p>"),
        ("> [!caution]  \n>\n> - a", "caution", "<ul>\n<li>a</li>\n</ul>"),
        ("- > [!TIP]\n  > > quoted", "tip", "<blockquote>\n<p>quoted</p>\n</blockquote>"),
        ("> [!Important]\n> Ask\nher.", "important", "<p>Ask\nher.</p>"),
    ],
)
def test_callouts_have_their_kind_as_title(text: str, kind: str, rest: str) -> None:
    drawn = render_markdown(text)

    title = f'<p class="callout-title">{kind.capitalize()}</p>'
    assert f'<div class="callout" role="note" data-kind="{kind}">\n{title}\n{rest}\n</div>' in drawn
    assert "[!" not in drawn


@pytest.mark.parametrize("text", ["> [!NOTE] in a line", "> [!OTHER]\n> x", "[!NOTE]\nx", "> `[!NOTE]`\n> x", ">"])
def test_other_quotes_are_plain(text: str) -> None:
    assert "callout" not in render_markdown(text)


NESTED = [name for name in MARKDOWN if name.endswith(("each other", "with blanks", "quotes"))]
DEAR = ["opening brackets", "pictures that do not end", "stars", "underscores"]


@pytest.mark.parametrize("name", NESTED)
def test_what_is_nested_too_deeply_is_kept_as_text(name: str) -> None:
    words = re.sub(r"<[^>]*>|&\w+;", "", render_markdown(f"{MARKDOWN[name]}\n\nend"))

    assert words.count("x") == MARKDOWN[name].count("x")
    assert "end" in words


@pytest.mark.parametrize("name", DEAR)
def test_lines_that_would_take_long_to_read_are_text(name: str) -> None:
    drawn = render_markdown(f"{MARKDOWN[name]}\n\n**last**")

    assert f'<span class="plain">{MARKDOWN[name].strip()}</span>' in drawn
    assert "<strong>last</strong>" in drawn


def test_a_page_shows_all_data_of_a_pair() -> None:
    failed = failure(ErrorClass.RATE, "Too <many>.")
    pair = replace(
        a_pair("Why?", CALLS, lifecycle=Lifecycle.ERROR, failure=failed), stars=2, flagged=True, mark=Mark.IN
    )

    drawn = html_pair(pair, "AI > Planning")

    for words in (
        "2026-01-01 00:01 UTC", "offline:demo", "AI &gt; Planning", "★★", "⚑", "<details><summary>Thinking",
        "git_log", "{&quot;n&quot;: 1}", "[error: rate] Too &lt;many&gt;.",
    ):  # fmt: skip
        assert words in drawn
    assert "no reply" in html_pair(a_pair("Why?", None), None)


def test_a_markdown_file_shows_the_same() -> None:
    failed = failure(ErrorClass.RATE, "Too many.")
    pair = replace(a_pair("Why?", CALLS, lifecycle=Lifecycle.ERROR, failure=failed), stars=1, flagged=True)

    text = markdown_head(CONVERSATION) + markdown_pair(pair, "AI > Planning")

    assert text.startswith("# Plans \\<b\\> \\& \\*more\\*\n")
    for words in (
        "> Why?",
        "offline:demo",
        "AI \\> Planning",
        "★",
        "⚑",
        "*Calls git\\_log*",
        "| a | b |",
        "> *Thinking*",
    ):
        assert words in text
    assert "````\n```\ncommit\n````" in text
    assert "\\[error: rate\\] Too many." in text


def test_reasoning_in_a_markdown_file_is_text() -> None:
    text = markdown_pair(a_pair("Why?", (Thinking("Let me look.\n{a: 1}", "c2ln", "anthropic"), Text("So."))), None)

    assert "> *Thinking*\n>\n> Let me look.\n> {a: 1}\n" in text
    assert "c2ln" not in text
    assert "signature" not in text


TAGS = "See <channel> and <exact line(s) of it. <|endoftext|> ends nothing."


def test_words_in_angles_stay_visible_in_both_transcripts() -> None:
    pair = a_pair(TAGS, TAGS)

    assert html.unescape(html_pair(pair, None)).count(TAGS) == 2
    assert markdown_pair(pair, None).replace("\\", "").count(TAGS) == 2


@given(
    st.lists(st.sampled_from(["```", "~~~~", "````py", "text", "  ```", "> ```", "", "    ```", "``` a`b"]), max_size=8)
)
def test_a_code_block_that_was_never_closed_takes_nothing_with_it(lines: list[str]) -> None:
    text = close_fences("\n".join(lines))

    tokens = MarkdownIt("commonmark").parse(f"{text}\n\nAFTER-THE-REPLY\n")

    assert any(token.type == "inline" and "AFTER-THE-REPLY" in token.content for token in tokens)


@given(st.text(max_size=80))
def test_words_on_a_line_mean_nothing_but_themselves(text: str) -> None:
    (opened, inline, _) = MarkdownIt("commonmark").parse(f"x{escape(text)}x")

    assert opened.type == "paragraph_open"
    assert {child.type for child in inline.children or []} <= {"text", "text_special"}


@given(st.text("`~\n a", max_size=40))
def test_a_fenced_text_is_read_back_unchanged(text: str) -> None:
    (token,) = MarkdownIt("commonmark").parse(fence(text))

    assert token.content == f"{text}\n"


def test_pictures_and_files_that_a_tool_gave_are_named_in_both_transcripts() -> None:
    given = ToolResult("t1", (Image("ab" * 32, "image/png"), File("cd" * 32, "text/csv", "a_b.csv")))
    pair = a_pair(reply=(ToolCall("t1", "plot", "{}", complete=True), given))

    written, drawn = markdown_pair(pair, None), html_pair(pair, None)

    assert "*Result*\n\n*Image, image/png*\n\n*File a\\_b.csv*" in written
    assert "<p>Result</p>" in drawn
    assert "Image, image/png" in drawn
    assert "File a_b.csv" in drawn


def test_denied_call_is_shown_without_the_text_for_the_model() -> None:
    denied = ToolResult("t1", (Text("Do not try it again."),), is_error=True, denied=True)
    pair = a_pair(reply=(ToolCall("t1", "plot", "{}", complete=True), denied))

    written, drawn = markdown_pair(pair, None), html_pair(pair, None)

    assert "*Denied by the user*" in written
    assert "<p>Denied by the user</p>" in drawn
    assert "Do not try" not in written + drawn


def test_a_pair_names_the_agent_it_was_answered_under():
    pair = replace(a_pair("Hello", "Yes."), agent="Reader <b> *two*")

    assert "Reader &lt;b&gt; *two*" in html_pair(pair, None)
    assert escape("Reader <b> *two*") in markdown_pair(pair, None)
    assert "Reader" not in markdown_pair(replace(pair, agent=None), None)


# The screen has the same rules: tests/islands/text_rules.test.ts.
RULES: dict[str, list[Any]] = json.loads((Path(__file__).parents[1] / "markdown_rules.json").read_text("utf-8"))
DELIMITERS = ("$$", "$", "\\(", "\\)", "\\[", "\\]")


@pytest.mark.parametrize(("text", "shown"), RULES["emphasis"])
def test_emphasis_begins_and_ends_next_to_cjk_signs(text: str, shown: str) -> None:
    html = shown.replace("b>", "strong>").replace("i>", "em>")

    assert render_markdown(text) == f"<p>{html}</p>\n"


@pytest.mark.parametrize(("text", "formulas"), RULES["formulas"])
def test_formulas_stay_as_they_were_written_and_other_dollars_are_text(text: str, formulas: list[str]) -> None:
    shown = render_markdown(text)

    found = re.findall(r'class="math">([^<]*)<', shown)
    assert [bare(one) for one in found] == formulas
    assert all(one in text for one in found)
    assert shown.count("$") == text.count("$")


@pytest.mark.parametrize(("text", "blocks"), RULES["fences"])
def test_block_of_code_ends_at_the_first_fence_that_is_as_long_as_its_own(text: str, blocks: list[str]) -> None:
    shown = render_markdown(text)

    found = re.findall(r"<code[^>]*>(.*?)</code>", shown, re.DOTALL)
    assert [html.unescape(one).removesuffix("\n") for one in found] == blocks


def bare(formula: str) -> str:
    for delimiter in DELIMITERS:
        formula = formula.removeprefix(delimiter).removesuffix(delimiter)
    return formula.strip()
