"""Links: one list says what becomes one, in every output that draws what a model wrote."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from app.domain.conversation.parts import Text, Thinking
from app.domain.costs.costs import UNKNOWN
from app.domain.links import LINK, may_be_link
from app.domain.sharing.shares import ShareChoice
from app.views.shared_page import SharedHead, shared_foot, shared_head, shared_pair
from app.views.transcript_html import html_foot, html_head, html_pair
from tests.addresses import LINKS, NO_LINKS
from tests.builders import EPOCH, a_pair
from tests.views.test_transcripts import CONVERSATION, Page

ISLAND = Path(__file__).parents[2] / "app/ui/reply/markdown.tsx"
SHARED = ShareChoice(system_prompt=True, thinking=True, tools=True, author="Ada")


def exported(text: str) -> str:
    return html_head(CONVERSATION) + html_pair(a_pair(text, (Thinking(text), Text(text))), None) + html_foot()


def printed(text: str) -> str:
    return html_head(CONVERSATION, printed=True) + html_pair(a_pair(text, text), None) + html_foot()


def shared(text: str) -> str:
    head = SharedHead(text, text, SHARED, EPOCH)
    return (
        shared_head(head)
        + shared_pair(a_pair(text, (Thinking(text), Text(text))), SHARED, {}, UNKNOWN)
        + shared_foot(SHARED, UNKNOWN)
    )


def written(url: str) -> str:
    """An address in every way that Markdown has for a link."""
    return f"[a]({url})\n\n[b](<{url}>)\n\n<{url}>\n\n![c]({url})\n\n[d][ref]\n\n{url}\n\n[ref]: {url}\n"


@pytest.mark.parametrize("url", LINKS)
def test_pages_and_mail_may_be_links(url: str) -> None:
    assert may_be_link(url)


@pytest.mark.parametrize("url", NO_LINKS)
def test_nothing_else_may_be_one(url: str) -> None:
    assert not may_be_link(url)


def test_the_page_has_the_same_list() -> None:
    (pattern,) = re.findall(r"^const LINK = /\^(.*)/i;", ISLAND.read_text(), re.MULTILINE)

    assert pattern.replace(r"\/", "/") == LINK.pattern


@pytest.mark.parametrize("draw", [exported, printed, shared])
def test_a_written_page_has_links_to_what_is_allowed_and_to_nothing_else(draw: Callable[[str], str]) -> None:
    kept = Page(draw("\n\n".join(written(url) for url in LINKS)))
    refused = {url: Page(draw(written(url))).links for url in NO_LINKS}

    assert {link.partition(":")[0].lower() for link in kept.links} == {"http", "https", "mailto"}
    assert len(kept.links) >= 4 * len(LINKS)
    assert {url: links for url, links in refused.items() if links} == {}
