"""The page that a share opens: one HTML file without scripts, which loads nothing and names nothing that is not on it.

It is drawn by the exporter's renderer (`transcript_html.py`), with less about each pair: no times, topics, stars,
agents or names of providers, and of a fault only its class.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from html import escape
from typing import Final

from app.domain.conversation.conversation import Pair
from app.domain.costs.costs import Cost
from app.domain.privacy.redaction import redact_text
from app.domain.sharing.shares import ShareChoice, shared_parts, shared_title
from app.views.transcript_html import Pictures, html_foot, html_parts, page_style, render_markdown

SHARE_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; sandbox"
)
"""The header of the page. Sandboxed: no script, no form, no plugin, and an origin of its own."""
_META_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
)
"""The same in the page itself, as far as a page can say it: a preview has no headers."""
_HEAD: Final = (
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
    f'<meta http-equiv="Content-Security-Policy" content="{escape(_META_POLICY)}">'
    '<meta name="referrer" content="no-referrer"><meta name="robots" content="noindex, nofollow, noarchive">'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
)


@dataclass(frozen=True, slots=True)
class SharedHead:
    """What stands above the pairs. `system_prompt` is "" unless it was chosen."""

    title: str
    system_prompt: str
    choice: ShareChoice
    made_at: datetime


def shared_head(head: SharedHead) -> str:
    """The beginning of the page."""
    title = escape(shared_title(head.title) or "Conversation")
    system = ""
    if head.choice.system_prompt and head.system_prompt.strip():
        words = render_markdown(redact_text(head.system_prompt).text)
        system = f'<section class="system"><h2>System</h2>{words}</section>'
    by = f" by {escape(head.choice.author)}" if head.choice.author else ""
    return (
        f"{_HEAD}<title>{title}</title><style>{page_style()}</style></head>\n<body><main><h1>{title}</h1>"
        f"<p>Shared{by} from Inview on <time>{head.made_at:%Y-%m-%d}</time></p>{system}\n"
    )


def shared_pair(pair: Pair, choice: ShareChoice, pictures: Pictures, cost: Cost) -> str:
    """One pair of it. `cost` is what its reply came to, which is on the page if that was chosen."""
    request = html_parts(shared_parts(pair.request.parts, choice), pictures)
    reply = "" if pair.reply is None else html_parts(shared_parts(pair.reply.parts, choice), pictures)
    failed = "" if pair.failure is None else f'<p class="failure">Failed: {escape(pair.failure.error_class.value)}</p>'
    facts = [pair.model.partition(":")[2] or pair.model]
    if choice.cost:
        facts += _write_cost(pair, cost)
    return (
        f'<article><p class="facts">{escape(" · ".join(facts))}</p><section class="request">{request}</section>'
        f'<section class="reply">{reply or "<p><em>no reply</em></p>"}{failed}</section></article>\n'
    )


def shared_foot(choice: ShareChoice, cost: Cost) -> str:
    """The end of the page, with the sum of the costs on it if that was chosen."""
    total = f'<p class="facts">Total: {escape(_write_amount(cost))}</p>\n' if choice.cost else ""
    return f"{total}{html_foot()}"


def _write_cost(pair: Pair, cost: Cost) -> list[str]:
    used = pair.usage
    if used is None:
        return [_write_amount(cost)]
    read = used.input_tokens + used.cache_read_tokens + used.cache_write_tokens + used.cache_write_1h_tokens
    return [f"{read:,} input tokens", f"{used.output_tokens:,} output tokens", _write_amount(cost)]


def _write_amount(cost: Cost) -> str:
    """In English, as the rest of the page."""
    if cost.at_least and not cost.amount:
        return "price unknown"
    return f"{'at least ' if cost.at_least else ''}${cost.amount.normalize():f}"


def missing_page() -> str:
    """The page of a link that opens nothing: revoked, expired and never made look alike."""
    return (
        f"{_HEAD}<title>Nothing here</title><style>{page_style()}</style></head>\n<body><main><h1>Nothing here</h1>"
        "<p>This link opens nothing, or not any more. Ask the person who gave it to you for another.</p>"
        f"{html_foot()}"
    )
