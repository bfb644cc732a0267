"""Conversations, messages, models, previews and problems as shown."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from hashlib import sha256
from typing import get_args

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.context.composition import BoundaryInputs, Candidate, Composition, compose, draw_boundary, measure
from app.domain.context.context import OutReason, View, build_request
from app.domain.conversation.conversation import Conversation, Parameters
from app.domain.conversation.message_kinds import select_messages
from app.domain.conversation.parts import Image, Text, Thinking
from app.domain.models.model_profile import ModelProfile, Prices
from app.domain.request.hashing import content_hash, content_hashes
from app.domain.tokens.estimates import Estimator, PairSizes
from app.views.conversation.conversation import SNIPPET_LENGTH, cut_opening, cut_snippet, describe_conversation
from app.views.conversation.message import describe_message
from app.views.encode import to_json
from app.views.problem import PROBLEMS, ProblemName, describe_problem
from app.views.request.preview import Previewed, describe_preview
from app.views.settings.model import describe_model
from tests.builders import EPOCH, a_pair

NAMES_CLIENTS_RELY_ON = {
    "id", "title", "kind", "status", "agent_id", "model", "filter", "tool_mode", "parent_id", "trigger_message_id",
    "temporary", "pair_count", "created_at", "updated_at",
}  # fmt: skip


def test_conversation_has_the_names_that_programs_rely_on():
    conversation = Conversation("c1", "local", EPOCH, EPOCH, title="Plans")

    shown = orjson.loads(to_json(describe_conversation(conversation, pair_count=3, snippet="Hello")))

    assert shown.keys() >= NAMES_CLIENTS_RELY_ON
    assert (shown["title"], shown["pair_count"], shown["kind"], shown["tool_mode"]) == ("Plans", 3, "agent", "cached")
    assert "owner" not in shown


@given(st.text())
def test_snippet_is_one_short_line_that_begins_like_the_text(text: str):
    snippet = cut_snippet(text)

    assert len(snippet) <= SNIPPET_LENGTH
    assert len(snippet.splitlines()) <= 1
    assert " ".join(text.split()).startswith(snippet.removesuffix("…"))


def test_long_text_is_cut_with_an_ellipsis_and_short_text_is_whole():
    assert cut_snippet("word " * 1000).endswith("word…")
    assert cut_snippet("a" * SNIPPET_LENGTH) == "a" * SNIPPET_LENGTH
    assert cut_snippet("a" * (SNIPPET_LENGTH + 1)) == "a" * (SNIPPET_LENGTH - 1) + "…"


def test_raw_history_keeps_what_the_screen_hides():
    pair = a_pair(reply=(Thinking("hm", signature="sig", vendor="anthropic"), Text("4")))

    request, reply = (describe_message(message, pair) for message in select_messages(pair))

    assert (request.role, request.pair_id, request.position) == ("user", "p1", 1)
    assert orjson.loads(to_json(reply))["parts"][0] == {
        "type": "thinking",
        "text": "hm",
        "redacted": False,
        "signature": "sig",
        "vendor": "anthropic",
    }


def test_pair_without_reply_has_one_message():
    assert len(list(select_messages(a_pair(reply=None)))) == 1


def test_prices_are_exact_decimals_and_unknown_ones_are_unknown():
    priced = ModelProfile("openai:x", "X", known=True, prices=Prices(Decimal("0.15"), Decimal("1E+1")))

    assert orjson.loads(to_json(describe_model(priced)))["prices"] == {
        "input": "0.15",
        "output": "10",
        "cache_read": None,
        "cache_write": None,
        "cache_write_1h": None,
    }
    assert describe_model(ModelProfile("openai:y", "Y")).prices == "unknown"
    assert describe_model(priced).provider == "openai"


def test_preview_holds_the_body_byte_for_byte():
    body = '{"b" : 1,\n "a":"é ☃ \\u00e9"}'.encode()
    view = View(pairs=(a_pair(),), draft=(Text("And 3 + 3?"), Image("ab" * 32, "image/png")))
    request = build_request(view, ModelProfile("offline:demo", "Demo")).request

    shown = describe_preview(previewed(view, composition_of((a_candidate("p1", 1),)), body))

    assert b'"body":' + body + b"," in to_json(shown)
    assert shown.body_sha256 == sha256(body).hexdigest()
    assert shown.content_hash == shown.hashes[-1] == content_hash(request)
    assert len(shown.hashes) == 1 + len(request.messages)
    assert [(part.pair_id, part.kind) for part in shown.unsupported] == [(None, "image")]


def test_preview_says_what_is_left_out_and_why():
    pairs = (a_candidate("p1", 1, out=OutReason.FAILED), a_candidate("p2", 2, text=9_000), a_candidate("p3", 3))
    view = View(pairs=(a_pair(position=3),), draft=(Text("Hi"),))

    shown = describe_preview(previewed(view, composition_of(pairs), b"{}"))

    assert [(out.pair_id, out.reason.value) for out in shown.out] == [("p1", "failed"), ("p2", "over_budget")]
    assert (shown.x, shown.y, shown.boundary, shown.boundary_reason) == (1, 3, 3, "over_budget")


def test_preview_says_the_request_once_more_in_a_form_common_to_all_providers():
    view = View(pairs=(a_pair(position=3),), draft=(Text("Hi"),), system_prompt="Be brief.")
    view = replace(view, parameters=Parameters(seed=7))

    shown = describe_preview(previewed(view, composition_of((a_candidate("p3", 3),)), b"{}"))

    assert (shown.system, shown.parameters, shown.tools) == ("Be brief.", {"seed": 7}, ())
    assert [(message.role, message.pair_id, message.position) for message in shown.messages] == [
        ("user", "p3", 3),
        ("assistant", "p3", 3),
        ("user", None, None),
    ]


def previewed(view: View, composition: Composition, body: bytes) -> Previewed:
    built = build_request(view, ModelProfile("offline:demo", "Demo"))
    return Previewed(
        built=built,
        hashes=content_hashes(built.request),
        url="http://127.0.0.1/v1/x",
        headers=[("a", "b")],
        body=body,
        composition=composition,
        selection="",
        sentence="all pairs",
        notices=(),
        as_of=EPOCH,
    )


def composition_of(pairs: tuple[Candidate, ...]) -> Composition:
    terms = BoundaryInputs(Estimator("offline"), 8_192)
    base = measure(pairs, terms.estimator)
    return compose(base, draw_boundary(base, terms))


def a_candidate(pair_id: str, position: int, *, text: int = 10, out: OutReason | None = None) -> Candidate:
    return Candidate(pair_id, position, PairSizes(text, 2), out)


@pytest.mark.parametrize("name", get_args(ProblemName))
def test_every_problem_has_a_stable_type_a_title_and_an_error_status(name: ProblemName):
    shown = describe_problem(name, "what happened")

    assert shown["type"] == f"urn:inview:problem:{name}"
    assert shown["title"]
    assert 400 <= shown["status"] <= 599
    assert shown["detail"] == "what happened"


def test_table_of_problems_has_no_other_names():
    assert set(PROBLEMS) == set(get_args(ProblemName))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("**Plan** a *small* `garden`", "Plan a small garden"),
        ("# Plans\n\n> [Gardens](https://example.org) of *all*", "Plans Gardens of all"),
        ("Is 2**3 * 4 in __init__ of src/**/*.py?", "Is 2**3 * 4 in __init__ of src/**/*.py?"),
        ("Is SELECT *, count(*) slow?", "Is SELECT *, count(*) slow?"),
        ("Why does handlers[name](event) fail?", "Why does handlers[name](event) fail?"),
        ("Delete *.log and *.tmp", "Delete *.log and *.tmp"),
        ("![Plan](a.png) and ([this](b.c))", "Plan and (this)"),
        ("> ", ">"),
        ("**word** " * 1000, "word " * 31 + "word…"),
    ],
)
def test_name_from_a_request_has_no_markdown_marks(text: str, name: str):
    assert cut_opening(text) == name


@given(st.text())
def test_name_from_a_request_is_one_short_line(text: str):
    assert len(cut_opening(text)) <= SNIPPET_LENGTH
    assert bool(cut_opening(text)) is bool(cut_snippet(text))
