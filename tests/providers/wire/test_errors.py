from __future__ import annotations

from email.utils import formatdate

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import RETRYABLE, ErrorClass
from app.providers.base import CallTarget
from app.providers.registry import PROVIDERS
from app.providers.wire.errors import describe_error, describe_no_stream, describe_status, parse_retry_after

ASKED = CallTarget(PROVIDERS["groq"], "groq:llama")
NOW = 1_800_000_000.0


def an_error(**error: object) -> bytes:
    return orjson.dumps({"error": error})


# Each body has the shape that its vendor documents or is known to send.
@pytest.mark.parametrize(
    ("status", "body", "error_class"),
    [
        (401, an_error(type="authentication_error", message="invalid x-api-key"), ErrorClass.AUTH),
        (401, an_error(type="invalid_request_error", code="invalid_api_key", message="Incorrect key"), ErrorClass.AUTH),
        (403, an_error(type="permission_error", message="no access"), ErrorClass.AUTH),
        (403, an_error(code=403, message="Your input was flagged"), ErrorClass.CONTENT_FILTER),
        (402, an_error(code=402, message="Insufficient credits"), ErrorClass.AUTH),
        (429, an_error(type="rate_limit_error", message="slow"), ErrorClass.RATE),
        (429, an_error(type="requests", code="rate_limit_exceeded", message="Rate limit reached"), ErrorClass.RATE),
        (429, an_error(type="insufficient_quota", code="insufficient_quota", message="quota"), ErrorClass.AUTH),
        (429, orjson.dumps({"message": "Requests rate limit exceeded"}), ErrorClass.RATE),
        (429, orjson.dumps([{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED"}}]), ErrorClass.RATE),
        (529, an_error(type="overloaded_error", message="Overloaded"), ErrorClass.OVERLOADED),
        (529, b"", ErrorClass.OVERLOADED),
        (503, an_error(code=503, type="unavailable_error", message="Loading model"), ErrorClass.OVERLOADED),
        (503, b"<html>Service Unavailable</html>", ErrorClass.OVERLOADED),
        (500, an_error(type="api_error", message="Internal server error"), ErrorClass.SERVER),
        (500, b"", ErrorClass.SERVER),
        (502, b"<html><body>Bad Gateway</body></html>", ErrorClass.SERVER),
        (520, b"cloudflare", ErrorClass.SERVER),
        (408, b"", ErrorClass.SERVER),
        (400, an_error(type="invalid_request_error", message="prompt is too long: 208310 tokens > 200000 maximum"),
         ErrorClass.CONTEXT_LENGTH),
        (400, an_error(code="context_length_exceeded", message="This model's maximum context length is 8192 tokens"),
         ErrorClass.CONTEXT_LENGTH),
        (400, an_error(code=400, type="exceed_context_size_error", message="the request exceeds the context size"),
         ErrorClass.CONTEXT_LENGTH),
        (400, an_error(type="invalid_request_error", message="input length and `max_tokens` exceed context limit"),
         ErrorClass.CONTEXT_LENGTH),
        (413, an_error(type="request_too_large", message="Request exceeds the limit"), ErrorClass.CONTEXT_LENGTH),
        (400, an_error(type="invalid_request_error", message="temperature: range 0..1"), ErrorClass.MODEL),
        (422, orjson.dumps({"detail": [{"loc": ["body", "seed"], "msg": "Extra inputs"}]}), ErrorClass.MODEL),
        (404, an_error(type="not_found_error", message="model: claude-9"), ErrorClass.MODEL),
        (404, an_error(code="model_not_found", message="The model `x` does not exist"), ErrorClass.MODEL),
        (404, an_error(type="api_error", message='model "x" not found, try pulling it first'), ErrorClass.MODEL),
        (404, orjson.dumps({"object": "error", "message": "The model `x` does not exist.", "type": "NotFoundError"}),
         ErrorClass.MODEL),
        (404, an_error(code=404, type="not_found_error", message="File Not Found"), ErrorClass.UNKNOWN),
        (404, b"<html>404 page not found</html>", ErrorClass.UNKNOWN),
        (400, an_error(code="content_policy_violation", message="safety system"), ErrorClass.CONTENT_FILTER),
        (400, an_error(code="invalid_prompt", message="flagged as potentially violating"), ErrorClass.CONTENT_FILTER),
        (400, an_error(code="unsupported_country", message="model is not supported in your region"), ErrorClass.MODEL),
        (418, b"", ErrorClass.UNKNOWN),
    ],
)  # fmt: skip
def test_every_status_and_error_type_has_its_class(status: int, body: bytes, error_class: ErrorClass) -> None:
    reason = describe_status(ASKED, status, {}, body, NOW)

    assert reason.error_class is error_class
    assert reason.message.startswith("Groq (groq:llama)")
    assert reason.next_step


def test_an_empty_account_is_not_retried_and_says_what_to_do() -> None:
    body = an_error(type="insufficient_quota", message="You exceeded your current quota")

    reason = describe_status(ASKED, 429, {"retry-after": "1"}, body, NOW)

    assert reason.error_class not in RETRYABLE
    assert "no credit" in reason.message
    assert "Add credit" in reason.next_step


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": formatdate(NOW + 30, usegmt=True)}, 30.0),
        ({"retry-after": formatdate(NOW - 30, usegmt=True)}, 0.0),
        ({"retry-after": formatdate(NOW + 3610, usegmt=True), "date": formatdate(NOW + 3600, usegmt=True)}, 10.0),
        ({"retry-after": formatdate(NOW - 3590, usegmt=True), "date": formatdate(NOW - 3600, usegmt=True)}, 10.0),
        ({"retry-after": formatdate(NOW + 30, usegmt=True), "date": "today"}, 30.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
    ],
)
def test_retry_after_is_read_in_seconds_and_as_a_date(headers: dict[str, str], seconds: float | None) -> None:
    assert parse_retry_after(headers, NOW) == seconds


@given(text=st.text())
def test_no_retry_after_raises(text: str) -> None:
    seconds = parse_retry_after({"retry-after": text}, NOW)

    assert seconds is None or seconds >= 0


def test_retry_after_is_part_of_the_failure() -> None:
    reason = describe_status(ASKED, 429, {"retry-after": "12"}, an_error(type="rate_limit_error"), NOW)

    assert reason.retry_after == 12.0


@pytest.mark.parametrize(
    "key",
    [
        "sk-ant-api03-AbCdEf123456",
        "sk-proj-AbCdEf123456",
        "gsk_AbCdEf123456",
        "AIzaSyAbCdEf123456",
        "sk-ab***************wxyz",
    ],
)
def test_keys_that_vendors_quote_are_taken_out(key: str) -> None:
    reason = describe_status(ASKED, 401, {}, an_error(message=f"Incorrect API key provided: {key}."), NOW)

    assert key not in reason.message
    assert "AbCdEf" not in reason.message


def test_long_answers_are_shortened_and_markup_is_dropped() -> None:
    reason = describe_status(ASKED, 500, {}, b"<html><h1>Oh</h1>\n" + b"no " * 5_000, NOW)

    assert len(reason.message) < 400
    assert "<" not in reason.message
    assert "\n" not in reason.message


def test_a_redirect_is_reported_and_not_followed() -> None:
    reason = describe_status(ASKED, 308, {"location": "https://elsewhere.example/v1"}, b"", NOW)

    assert "https://elsewhere.example/v1" in reason.message
    assert "base URL" in reason.next_step


def test_an_error_in_a_200_is_still_that_error() -> None:
    body = an_error(type="overloaded_error", message="busy")

    assert describe_no_stream(ASKED, "application/json", body).error_class is ErrorClass.OVERLOADED


def test_a_page_instead_of_a_stream_points_to_the_base_url() -> None:
    reason = describe_no_stream(ASKED, "text/html", b"<!doctype html><title>Welcome</title>")

    assert reason.error_class is ErrorClass.STREAM
    assert "text/html" in reason.message
    assert "base URL" in reason.next_step


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["error", "message", "type", "metadata"]), inner),
    max_leaves=8,
)


@given(error=JSON, status=st.none() | st.integers(300, 599))
def test_any_error_object_becomes_a_failure(error: object, status: int | None) -> None:
    reason = describe_error(ASKED, error, status)

    assert reason.message
    assert len(reason.message) < 500


@given(body=st.binary() | JSON.map(lambda value: repr(value).encode()), status=st.integers(300, 599))
def test_any_body_becomes_a_failure(body: bytes, status: int) -> None:
    assert describe_status(ASKED, status, {}, body, NOW).message


def test_openrouter_reports_the_error_of_the_provider_behind_it() -> None:
    error = {"code": 502, "message": "Provider returned error", "metadata": {"raw": "upstream says: no", "x": 1}}

    assert "upstream says: no" in describe_error(ASKED, error).message


@pytest.mark.parametrize(
    ("said", "helps"),
    [
        ("reasoning_content has to be passed back", "Switch thinking off"),
        ("Function call is missing a thought_signature in functionCall parts.", "Hide the pairs with tool calls"),
        ("signature is missing in call 1", "Hide the pairs with tool calls"),
    ],
)
def test_a_refusal_of_what_earlier_replies_lack_keeps_its_words_and_says_what_helps(said: str, helps: str) -> None:
    refused = {"error": {"code": 400, "message": said, "status": "INVALID_ARGUMENT"}}

    for body in (refused, [refused]):
        failure = describe_status(ASKED, 400, {}, orjson.dumps(body), NOW)

        assert failure.error_class is ErrorClass.MODEL
        assert said in failure.message
        assert failure.next_step.startswith(helps)


def test_markup_that_never_closes_is_quoted_as_it_is() -> None:
    reason = describe_status(ASKED, 500, {}, b"<b>Oh</b> <<<i>no", NOW)

    assert reason.message.endswith("Oh  << no")
