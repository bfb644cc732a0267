"""The page of a share: whatever is in it, it runs nothing, loads nothing, and names nothing that was not chosen."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from app.domain.conversation.conversation import Mark
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import Image, Part, Text, TextFile, Thinking, ToolCall, ToolResult
from app.domain.costs.costs import UNKNOWN, Cost
from app.domain.errors import ErrorClass, failure
from app.domain.sharing.shares import ShareChoice
from app.domain.usage import Usage
from app.views.shared_page import SharedHead, missing_page, shared_foot, shared_head, shared_pair
from tests.attacks import ATTACKS as SLOW
from tests.builders import EPOCH, a_pair
from tests.views.test_transcripts import ATTACKS, Page

ALL = ShareChoice(system_prompt=True, thinking=True, tools=True, author="Ada")
PICTURE = "f" * 64
GIF = b"GIF89a"
COST = Cost(Decimal("0.0123"))


def everywhere(text: str, choice: ShareChoice = ALL) -> str:
    """A page with this text in every place that it can have."""
    parts: tuple[Part, ...] = (
        Text(text),
        Thinking(text),
        ToolCall("t1", text, text, complete=True),
        ToolResult("t1", (Text(text), Image(PICTURE, text))),
        TextFile(text, text),
        Image(PICTURE, text),
    )
    pair = replace(a_pair(parts, parts), model=f"{text}:{text}")
    head = SharedHead(text, text, replace(choice, author=text[:100].replace("\n", " ")), EPOCH)
    return shared_head(head) + shared_pair(pair, choice, {PICTURE: GIF}, COST) + shared_foot(choice, COST)


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_shared_page_runs_and_loads_nothing_whatever_is_in_it(attack: str) -> None:
    page = Page(everywhere(attack))

    assert page.open == []
    assert set(page.tags) <= {
        "html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "p", "time", "section", "article", "pre",
        "code", "a", "em", "details", "summary", "img",
    }  # fmt: skip
    assert page.tags.count("style") == page.tags.count("title") == 1
    assert page.handlers == []
    assert all(source.startswith("data:") for source in page.loaded)
    assert not [link for link in page.links if not link.startswith(("http://", "https://", "mailto:"))]


@pytest.mark.parametrize("attack", SLOW.values(), ids=SLOW.keys())
@pytest.mark.timeout(20)
def test_a_text_that_takes_long_to_read_is_shared_all_the_same(attack: str) -> None:
    assert Page(shared_pair(a_pair("x", attack), ShareChoice(), {}, COST)).open == []


def test_a_shared_page_has_nothing_that_only_its_owner_knows() -> None:
    pair = replace(
        a_pair("Ask", None, lifecycle=Lifecycle.ERROR, failure=failure(ErrorClass.AUTH, "http://10.0.0.7/v1 said no")),
        topic="topic-1",
        agent="Secret agent",
        stars=3,
        flagged=True,
        mark=Mark.OUT,
        model="my-gateway:gpt-9",
    )
    head = SharedHead("Plans", "You are a spy.", ShareChoice(), EPOCH)

    page = shared_head(head) + shared_pair(pair, ShareChoice(), {}, COST)

    for kept in (
        "topic-1",
        "Secret agent",
        "★",
        "⚑",
        "my-gateway",
        "10.0.0.7",
        "a spy",
        " by ",
        "p1",
        "u1",
        "c1",
        "UTC",
    ):
        assert kept not in page.partition("</style>")[2], kept
    assert "gpt-9" in page
    assert "Failed: auth" in page


def test_what_was_chosen_is_on_the_page() -> None:
    page = everywhere("the text")

    assert "Shared by the text from Inview on <time>2026-01-01</time>" in page
    assert "<h2>System</h2>" in page
    assert page.count("<summary>Thinking</summary>") == 2
    assert page.count("Calls <code>the text</code>") == 2
    assert "data:the text;base64,R0lGODlh" in page


def test_costs_are_on_the_page_only_if_they_were_chosen() -> None:
    pair = replace(a_pair("Ask", "Answer"), usage=Usage(input_tokens=1_200, output_tokens=34, cache_read_tokens=300))

    silent = shared_pair(pair, ShareChoice(), {}, COST) + shared_foot(ShareChoice(), COST)
    chosen = ShareChoice(cost=True)
    told = shared_pair(pair, chosen, {}, COST) + shared_foot(chosen, COST)

    assert "$" not in silent
    assert "tokens" not in silent
    assert "1,500 input tokens · 34 output tokens · $0.0123</p>" in told
    assert "Total: $0.0123" in told
    assert "price unknown" in shared_pair(pair, chosen, {}, UNKNOWN)


def test_pages_ask_not_to_be_indexed_and_send_no_referrer() -> None:
    for page in (everywhere("x"), missing_page()):
        assert '<meta name="robots" content="noindex, nofollow, noarchive">' in page
        assert '<meta name="referrer" content="no-referrer">' in page
        assert "default-src &#x27;none&#x27;" in page
