"""Redaction: the secrets that it finds, the texts that it leaves alone, and linear time for hostile texts."""

from __future__ import annotations

import json
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.context.context import View, build_request, continue_request
from app.domain.context.middleware import MIDDLEWARE, UserOptions, compose_system_prelude
from app.domain.conversation.conversation import Parameters, Replaced
from app.domain.conversation.parts import Text, Thinking, ToolCall, ToolResult
from app.domain.models.model_profile import ModelProfile
from app.domain.privacy.redaction import list_replaced, redact_text
from app.domain.privacy.secrets import find_secrets
from app.domain.privacy.user_context import UserContext
from app.domain.request.request import Request, RequestMessage
from tests.builders import a_pair

KEY = "AKIAIOSFODNN7EXAMPLE"
MARK = "[redacted: AWS access key]"
PROFILE = ModelProfile("offline:demo", "Demo")
BLOCK = (
    "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n" + "MIIEpAIB" * 8 + "\n-----END RSA PRIVATE KEY-----"
)


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("Use sk-ant-api03-" + "aB3_" * 12 + ", please.", "Use [redacted: Anthropic key], please."),
        ("OPENAI_API_KEY=sk-proj-" + "Ab1" * 12, "OPENAI_API_KEY=[redacted: API key]"),
        (f"id {KEY}.", f"id {MARK}."),
        ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPx" + "RfiCYEXAMPLEKEY1", None),
        ("ghp_" + "a1B2" * 9, "[redacted: GitHub token]"),
        ("xoxb-" + "1234567890-abcdef", "[redacted: Slack token]"),
        ("sk_live_" + "a1B2" * 6, "[redacted: Stripe key]"),
        ("AIza" + "a1B2_" * 7, "[redacted: Google API key]"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N", "[redacted: JSON web token]"),
        ("Authorization: Bearer abcdef0123456789abcdef", "Authorization: [redacted: bearer token]"),
        (f"before\n{BLOCK}\nafter", "before\n[redacted: private key]\nafter"),
        (BLOCK.replace("\n", "\\n"), "[redacted: private key]"),
        (BLOCK.partition("-----END")[0].replace("Proc-Type: 4,ENCRYPTED\n\n", "") + "\nthat was all", None),
        ("postgres://app:hunter2@db:5432/x", "postgres://app:[redacted: password]@db:5432/x"),
        ('{"password": "hunter2!", "user": "ada"}', '{"password": "[redacted: password]", "user": "ada"}'),
        ('{\\"password\\": \\"hunter2!\\"}', '{\\"password\\": \\"[redacted: password]\\"}'),
        ("DB_PASSWORD=hunter2-9", "DB_PASSWORD=[redacted: password]"),
    ],
)
def test_a_secret_of_a_known_form_leaves_as_a_mark(text: str, sent: str | None) -> None:
    redacted = redact_text(text)

    assert redacted.text == sent or (sent is None and redacted.text != text)
    assert len(redacted.kinds) == 1
    assert redact_text(redacted.text).kinds == ()


@pytest.mark.parametrize(
    "text",
    [
        "The password is required. A token costs nothing; secrets are kept.",
        "def login(password: str, token: bytes) -> None: ...",
        "password = os.environ['PASSWORD']; token = getpass.getpass()",
        'password="${DB_PASSWORD}" token=<your token> secret=%(secret)s',
        "task-force-one-two-three-four-five-six, sk-estimator-doc-link-and-more-of-that",
        "http://localhost:8080/a@b and https://example.org:443/x",
        "-----BEGIN PRIVATE KEY----- is how such a file begins",
        "max_tokens=1024, AKIA is how they begin, BAKIAIOSFODNN7EXAMPLE is a word",
        "汉字 🙂 eyJ ghp_ Bearer of bad news",
    ],
)
def test_other_words_are_let_be(text: str) -> None:
    assert redact_text(text).text is text


WRITTEN_AGAINST_IT = (
    *("a", " ", "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\n" + "A" * 64 + "\n", "-----END ", "sk-"),
    *("sk-a", "eyJ", "eyJ-", "eyJaaaaaaaa.", "://", "://a:", "://a:b", "password", "password=", "token:", "token=a1"),
    *("Bearer ", "Bearer a", "AKIA", "secret \t", "xoxb-", "SG." + "a" * 20, "api key", "key:", "=" * 9),
)


@pytest.mark.parametrize("piece", WRITTEN_AGAINST_IT)
def test_a_million_characters_written_against_it_are_searched(piece: str) -> None:
    """A search that is not linear takes longer than a test may."""
    find_secrets((piece * (1_000_000 // len(piece) + 1))[:1_000_000])


@given(
    st.lists(st.sampled_from((KEY, "password=", "hunter2!", " ", "ghp_" + "a1B2" * 9, "://u:", "@", '"', "x", BLOCK)))
)
def test_twice_comes_to_the_same_as_once(pieces: list[str]) -> None:
    once = redact_text("".join(pieces)).text

    assert redact_text(once).text == once


def test_all_that_is_sent_is_redacted_and_the_account_says_what_and_where() -> None:
    pair = a_pair(request=f"My id is {KEY}", reply=f"{KEY}? Noted.")
    view = View(pairs=(pair,), draft=(Text(f"Again: {KEY}"),), system_prompt=f"Deploy as {KEY}.", redact=True)

    built = build_request(view, PROFILE)

    assert KEY not in repr(built.request)
    assert built.request.system == f"Deploy as {MARK}."
    assert built.replaced == tuple(
        Replaced("AWS access key", place, of)
        for place, of in (("system", None), ("request", pair.id), ("reply", pair.id), ("request", None))
    )
    assert list_replaced(pair) == (built.replaced or ())[1:3]


def test_without_that_wish_nothing_is_looked_at() -> None:
    built = build_request(View(draft=(Text(KEY),)), PROFILE)

    assert (built.request.messages[0].parts, built.replaced) == ((Text(KEY),), None)


def test_the_next_round_of_a_reply_is_redacted_as_the_first() -> None:
    first = Request("offline:demo", "", (RequestMessage("user", (Text("Read it."),)),), Parameters())
    result = ToolResult("c1", (Text(f"id={KEY}"),))
    parts = (Thinking(KEY, "signed", "offline"), ToolCall("c1", "read", f'{{"at": "{KEY}"}}', complete=True), result)

    built = continue_request(first, parts, PROFILE, redact=True)

    assert KEY not in repr(built.request)
    assert [one.place for one in built.replaced or ()] == ["tool_call", "tool_result"]
    assert [(one.pair_id, one.kind) for one in built.unsupported] == [(None, "thinking")]


@pytest.mark.parametrize("redacted", [False, True])
@pytest.mark.parametrize("field", ["text", "summary"])
def test_a_secret_in_what_goes_back_without_readable_thinking_is_left_out(field: str, *, redacted: bool) -> None:
    first = Request("offline:demo", "", (RequestMessage("user", (Text("Read it."),)),), Parameters())
    signature = json.dumps({"reasoning_details": [{"type": "reasoning.text", field: f"It is {KEY}."}]})
    opaque = Thinking("", "b3BhcXVl", "offline")

    built = continue_request(first, (Thinking("", signature, "offline", redacted), opaque), PROFILE, redact=True)

    sent = [part for message in built.request.messages for part in message.parts]
    assert [part for part in sent if isinstance(part, Thinking)] == [opaque]


def test_what_is_the_same_stays_the_very_same_so_that_its_hash_is_known() -> None:
    pairs = (a_pair(request="Hello", reply="Hi"), a_pair(request=KEY, reply="No."))

    plain = build_request(View(pairs=pairs), PROFILE).request
    redacted = build_request(View(pairs=pairs, redact=True), PROFILE).request

    same = [one is other or one == other for one, other in zip(plain.messages, redacted.messages, strict=True)]
    assert same == [True, True, False, True]


def test_text_about_the_user_is_one_card_and_absent_if_empty() -> None:
    ada = UserContext("I am Ada.", today=date(2026, 11, 22))
    view = View(system_prompt="Be brief.", prelude=compose_system_prelude(UserOptions(ada)))

    assert compose_system_prelude(UserOptions(UserContext("  \n"))) is None
    assert build_request(view, PROFILE).request.system == (
        "Be brief.\n\nAbout the person you talk to:\nI am Ada.\n\nToday is Sunday, 22 November 2026."
    )
    assert [piece.name for piece in MIDDLEWARE] == ["user context", "redaction", "reasoning tags"]
