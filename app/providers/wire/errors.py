"""Describes every fault of a provider as a `Failure`: the class, a sentence with provider and model, and the next step.

The functions are pure: they classify received data (status, headers, error object) and do no I/O; `sdk.py` describes
network faults. Messages quote the vendor's text, shortened, without anything that looks like a key.

    >>> describe_truncation("Groq (groq:llama)").message
    'Groq (groq:llama) ended the stream before the reply was complete.'

The vendor's error type or code decides the class (`CLASS_OF_TYPE`). If it is missing or unspecific, words that occur in
errors of only one class decide (`CLASS_OF_WORDS`), then the HTTP status (`CLASS_OF_STATUS`).
"""

from __future__ import annotations

import json
import math
import re
import reprlib
from collections.abc import Mapping
from dataclasses import replace
from email.utils import parsedate_to_datetime
from types import MappingProxyType
from typing import Any, cast

from app.domain.errors import ErrorClass, Failure, failure
from app.providers.base import MASK, CallTarget, Provider
from app.providers.wire.json_values import FieldError, load_json, name_kind
from app.providers.wire.sse import EventTooLargeError

MAX_QUOTE = 300

CLASS_OF_TYPE: Mapping[str, ErrorClass] = MappingProxyType(
    {
        kind: error_class
        for error_class, kinds in {
            ErrorClass.AUTH: (
                "authentication_error invalid_api_key permission_error permission_denied unauthorized "
                "account_deactivated insufficient_quota billing_error billing_not_active billing_hard_limit_reached "
                "insufficient_user_quota invalidapikey accessdenied access_denied model.accessdenied "
                "accessdenied.unpurchased arrearage allocationquota.freetieronly prepaidbilloverdue postpaidbilloverdue"
            ),
            ErrorClass.RATE: (
                "rate_limit_error rate_limit_exceeded too_many_requests too_many_requests_error resource_exhausted "
                "throttling throttling.ratequota throttling.burstrate throttling.allocationquota limit_requests "
                "limit_burst_rate"
            ),
            ErrorClass.OVERLOADED: (
                "overloaded_error engine_overloaded_error server_is_overloaded slow_down unavailable_error unavailable "
                "service_unavailable insufficient_system_resource"
            ),
            ErrorClass.CONTEXT_LENGTH: (
                "context_length_exceeded exceed_context_size_error request_too_large string_above_max_length"
            ),
            ErrorClass.MODEL: (
                "model_not_found model_not_available unsupported_model invalid_model model_not_supported modelnotfound"
            ),
            ErrorClass.CONTENT_FILTER: (
                "content_filter content_policy_violation invalid_prompt bio_policy misalignment_policy_violation "
                "image_content_policy_violation moderation_blocked data_inspection_failed datainspectionfailed"
            ),
            ErrorClass.SERVER: (
                "server_error api_error internal_server_error internal_error internal timeout_error gateway_timeout "
                "vector_store_timeout internalerror internalerror.algo internalerror.timeout "
                "requesttimeout"
            ),
        }.items()
        for kind in kinds.split()
    }
)
"""Error types and codes that vendors document, in lower case.

Those without underscores are Alibaba's: Alibaba Cloud Model Studio, "Error codes" (28 September 2026) and "Status
codes", read 2026-11-30.
"""

CLASS_AT_VENDOR: Mapping[str, Mapping[str, ErrorClass]] = MappingProxyType(
    {"alibaba": MappingProxyType({"insufficient_quota": ErrorClass.RATE})}
)
"""Error types and codes that have another error class at one vendor, by the vendor's name in the registry.

At Alibaba, `insufficient_quota` is another name of `Throttling.AllocationQuota`: too many tokens in a minute.
"""

CLASS_OF_WORDS: tuple[tuple[ErrorClass, re.Pattern[str]], ...] = (
    (
        ErrorClass.CONTEXT_LENGTH,
        re.compile(
            r"context (length|window|size)|maximum context|prompt is too long|too many (input )?tokens|"
            r"(input|prompt|request)( \w+)? (is )?too (long|large)|maximum prompt length|exceeds? .{0,40}context|"
            r"reduce the length|range of input length",
            re.IGNORECASE,
        ),
    ),
    (
        ErrorClass.CONTENT_FILTER,
        re.compile(r"content (management )?policy|moderation|flagged|safety system", re.IGNORECASE),
    ),
    (
        ErrorClass.MODEL,
        re.compile(
            r"\bmodel\b.{0,80}\b(not (exist|found|supported|available)|does not exist|no such)|"
            r"\b(unknown|invalid|no such) model\b|^model: ",
            re.IGNORECASE,
        ),
    ),
    (ErrorClass.OVERLOADED, re.compile(r"overloaded|loading model|at capacity", re.IGNORECASE)),
)
"""Patterns for the text of an error, each with its class: only errors of this class have such words.

The patterns are used if the type of the error is missing or unspecific, and its status is unspecific too (such as 400
or 500).
"""

CLASS_OF_STATUS: Mapping[int, ErrorClass] = MappingProxyType(
    {
        400: ErrorClass.MODEL,
        401: ErrorClass.AUTH,
        402: ErrorClass.AUTH,
        403: ErrorClass.AUTH,
        408: ErrorClass.SERVER,
        409: ErrorClass.SERVER,
        413: ErrorClass.CONTEXT_LENGTH,
        415: ErrorClass.MODEL,
        422: ErrorClass.MODEL,
        424: ErrorClass.SERVER,
        425: ErrorClass.SERVER,
        429: ErrorClass.RATE,
        503: ErrorClass.OVERLOADED,
        529: ErrorClass.OVERLOADED,
    }
)
"""The error class by HTTP status. Other statuses from 500 on are `server`, the rest `unknown`."""

SAYING: Mapping[ErrorClass, str] = MappingProxyType(
    {
        ErrorClass.AUTH: "refused the key",
        ErrorClass.RATE: "refused the request because of its rate limit",
        ErrorClass.NETWORK: "could not be reached",
        ErrorClass.SERVER: "failed",
        ErrorClass.OVERLOADED: "is overloaded",
        ErrorClass.CONTENT_FILTER: "declined the content",
        ErrorClass.CONTEXT_LENGTH: "refused the request because it has too many tokens",
        ErrorClass.MODEL: "refused the request",
        ErrorClass.STREAM: "broke the stream",
        ErrorClass.UNKNOWN: "answered with an error",
    }
)
"""The action of the provider for each error class, as the middle of a sentence."""

NO_CREDIT = frozenset(
    {
        "insufficient_quota",
        "billing_error",
        "billing_not_active",
        "billing_hard_limit_reached",
        "insufficient_user_quota",
        "arrearage",
        "allocationquota.freetieronly",
        "prepaidbilloverdue",
        "postpaidbilloverdue",
    }
)
"""Error types that mean that the user's account at the vendor has no credit."""
CHECK_BASE_URL = "Check the provider's base URL in Settings → Providers."
"""The advice if a server other than the API sent the answer."""
SPEAK_CHAT_TO_GOOGLE = (
    "Use the provider Google Gemini, or a compatible server with the base URL "
    "https://generativelanguage.googleapis.com/v1beta/openai: there, Google speaks Chat Completions."
)

WHAT_HELPS: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile("reasoning_content", re.IGNORECASE),
        "Switch thinking off in the parameters, or hide the pairs of other models with a filter.",
    ),
    (
        re.compile(r"thought[_ ]?signature|signature is missing", re.IGNORECASE),
        "Hide the pairs with tool calls of other models with a filter, or choose another model.",
    ),
)
"""The next step for a user if a provider refuses earlier replies because they lack data that it requires.

The keys are patterns that are searched for in the provider's message.
"""

_LOOKS_LIKE_A_KEY = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|csk|hf|r8|fw|tgp|nvapi)[-_][\w\-*.…]{4,}|\bAIza[\w-]{8,}|(?<=Bearer )\S+"
)
_BARE_PATTERN = re.compile(r"<[^<>]+>|\s+")


def describe_status(
    target: CallTarget | str, status: int, headers: Mapping[str, str], body: bytes, now: float
) -> Failure:
    """Return the failure for a response with a status of 300 or more.

    The names of `headers` are in lower case. `now` is in seconds since 1970.
    """
    wait = parse_retry_after(headers, now)
    if status < 400:
        location = headers.get("location", "nowhere")
        message = f"{target} responded with a redirect to {_quote(location)}, which Inview does not follow."
        return replace(failure(ErrorClass.UNKNOWN, message), next_step=CHECK_BASE_URL)
    error = _error_in(body)
    if error is None:
        words = _quote(body.decode(errors="replace"))
        return _without_error_object(target, status, words, wait)
    return replace(describe_error(target, error, status), retry_after=wait)


def describe_error(target: CallTarget | str, error: object, status: int | None = None) -> Failure:
    """Return the failure for an error object.

    `status` is the status of its response; None if the error came in a stream, or in a response with status 200.
    """
    fields: dict[str, Any] = cast("dict[str, Any]", error) if isinstance(error, dict) else {"message": error}
    kinds = [
        str(fields[key]).strip().lower() for key in ("code", "type", "status") if isinstance(fields.get(key), str | int)
    ]
    words = _words_of(fields)
    numbers = [int(kind) for kind in kinds if len(kind) == 3 and kind.isdecimal() and 300 <= int(kind) < 600]
    known = next((number for number in [*numbers, status] if number is not None), None)
    own_class = _class_at_vendor(target, kinds)
    error_class = own_class or _class_of(kinds, words, known)
    quoted = f": {words}" if words else f" (HTTP {known})." if known else "."
    if (NO_CREDIT.intersection(kinds) or known == 402) and own_class is None:
        reason = failure(error_class, f"{target} has no credit left for this key{quoted}")
        return replace(reason, next_step="Add credit at the provider, or choose another model.")
    reason = failure(error_class, f"{target} {SAYING[error_class]}{quoted}")
    if error_class is ErrorClass.UNKNOWN and known == 404:
        return replace(reason, next_step=CHECK_BASE_URL)
    step = next((step for pattern, step in WHAT_HELPS if pattern.search(words)), None)
    return reason if step is None else replace(reason, next_step=step)


def describe_truncation(target: CallTarget | str) -> Failure:
    """Return the failure for a stream that ended cleanly, but without a stop reason."""
    return failure(ErrorClass.STREAM, f"{target} ended the stream before the reply was complete.")


def describe_unreadable(target: CallTarget | str, error: Exception) -> Failure:
    """Return the failure for an event that could not be decoded because of `error`.

    Only a FieldError is quoted: other errors may quote content.
    """
    match error:
        case FieldError():
            reason = str(error)
        case json.JSONDecodeError():
            reason = "it is not JSON"
        case EventTooLargeError():
            reason = "it is too large"
        case _:
            reason = "it does not have the expected format"
    return failure(ErrorClass.STREAM, f"{target} sent an event that cannot be read ({reason}).")


def describe_no_stream(target: CallTarget | str, content_type: str, beginning: bytes) -> Failure:
    """Return the failure for an answer with status 200 that is no event stream, such as an error or a web page.

    `beginning` is the beginning of its body, `content_type` its media type.
    """
    error = _error_in(beginning)
    if error is not None:
        return describe_error(target, error)
    words = _quote(beginning.decode(errors="replace"), 80)
    reason = failure(ErrorClass.STREAM, f"{target} responded with {content_type} instead of a stream: {words!r}.")
    return replace(reason, next_step=CHECK_BASE_URL)


def describe_foreign(target: CallTarget | str, detail: str = "") -> Failure:
    """Return the failure for an answer in Google's own protocol, which Inview does not support (`foreign.py`).

    `detail` is a sentence that may quote the server.
    """
    quoted = f" {_quote(detail)}" if detail else ""
    reason = failure(
        ErrorClass.STREAM, f"{target} responded in Google's own protocol, which Inview does not support.{quoted}"
    )
    return replace(reason, next_step=SPEAK_CHAT_TO_GOOGLE)


def words_of_error(error: object) -> str:
    """Return the vendor's text in an error object, shortened, so that it can be part of a sentence."""
    return _words_of(cast("dict[str, Any]", error) if isinstance(error, dict) else {"message": error})


def describe_no_list(provider: Provider, body: bytes) -> Failure:
    """Return the failure for an answer with status 200 that is no list of models, such as an error or a web page."""
    if (error := _error_in(body)) is not None:
        return describe_error(provider.row.label, error)
    target = f"{provider.row.label} at {provider.base_url}"
    message = f"{target} did not return a list of models: it sent {_name_answer(body)}."
    end = "" if provider.base_url.endswith("/v1") else "; it often ends with /v1"
    return replace(failure(ErrorClass.STREAM, message), next_step=f"Check the address{end}.")


def describe_missing_key(target: CallTarget | str, provider: str) -> Failure:
    """Return the failure for a call that was not sent because the provider has no key."""
    return failure(ErrorClass.AUTH, f'There is no key for provider "{provider}", so no request was sent to {target}.')


def parse_retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Return the seconds to wait (RFC 9110, section 10.2.3: seconds or a date), or None if the provider sent neither.

    A date is compared with the provider's clock if the answer has its time, because the local clock may be wrong.
    """
    # OpenAI also sends milliseconds; the standard header has only seconds
    milliseconds = _seconds(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "").strip()
    seconds = _seconds(value)
    if seconds is not None or not value:
        return seconds
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - (_time_of_response(headers) or now))
    except (ValueError, OverflowError):
        return None  # neither seconds nor a date


def _time_of_response(headers: Mapping[str, str]) -> float | None:
    """Return the time of the provider's clock, in seconds since 1970, or None if the answer does not have it."""
    try:
        return parsedate_to_datetime(headers.get("date", "")).timestamp()
    except (ValueError, OverflowError):
        return None


def _seconds(text: str) -> float | None:
    try:
        seconds = float(text)
    except ValueError:
        return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _class_at_vendor(target: CallTarget | str, kinds: list[str]) -> ErrorClass | None:
    """Return the error class that one of these error types has only at this vendor, or None."""
    classes = CLASS_AT_VENDOR.get(target.row.name) if isinstance(target, CallTarget) else None
    return next((classes[kind] for kind in kinds if kind in classes), None) if classes else None


def _class_of(kinds: list[str], words: str, status: int | None) -> ErrorClass:
    named = next((CLASS_OF_TYPE[kind] for kind in kinds if kind in CLASS_OF_TYPE), None)
    # With a type of class "server", the text or the status may be more specific: "api_error: prompt is too long".
    if named is not None and named is not ErrorClass.SERVER:
        return named
    if status is None or status in {400, 403, 404, 413, 422} or status >= 500:
        for error_class, pattern in CLASS_OF_WORDS:
            if pattern.search(words):
                return error_class
    if status is not None and (by_status := CLASS_OF_STATUS.get(status)):
        return by_status
    if named is not None or (status is not None and status >= 500):
        return ErrorClass.SERVER
    if {"invalid_request_error", "badrequesterror", "invalid_argument"}.intersection(kinds):
        return ErrorClass.MODEL
    return ErrorClass.UNKNOWN


def _without_error_object(target: CallTarget | str, status: int, words: str, wait: float | None) -> Failure:
    error_class = _class_of([], words, status)
    quoted = f": {words}" if words else ""
    reason = failure(error_class, f"{target} {SAYING[error_class]} (HTTP {status}){quoted}", wait)
    return replace(reason, next_step=CHECK_BASE_URL) if error_class is ErrorClass.UNKNOWN else reason


def _error_in(body: bytes) -> object | None:
    """Return the error object of a JSON body, in any known form, or None if there is none."""
    try:
        answer = load_json(body)
    except ValueError:
        return None
    if isinstance(answer, list) and answer:  # the list of Google's OpenAI-compatible endpoint has one item
        answer = cast("list[Any]", answer)[0]
    if not isinstance(answer, dict):
        return None
    fields = cast("dict[str, Any]", answer)
    if fields.get("error"):
        return fields["error"]
    return fields if fields.keys() & {"message", "detail"} else None


def _name_answer(body: bytes) -> str:
    """Name the kind of an answer that is not a list of models."""
    if not body.strip():
        return "nothing"
    if body.lstrip()[:1] == b"<":
        return "a web page"
    try:
        answer: object = load_json(body)
    except FieldError as error:
        return str(error)
    except ValueError:
        return "data that is not JSON"
    if not isinstance(answer, dict):
        return "a list of another format" if isinstance(answer, list) else name_kind(answer)
    fields = cast("dict[str, object]", answer)
    if "data" not in fields:
        return 'an object without the list "data"'
    return f'an object whose "data" is {name_kind(fields["data"])} instead of a list'


def _words_of(fields: dict[str, Any]) -> str:
    words = fields.get("message") or fields.get("detail") or fields.get("error") or ""
    metadata = fields.get("metadata")
    if isinstance(metadata, dict) and (upstream := cast("dict[str, Any]", metadata).get("raw")):
        words = f"{words}: {upstream}"  # OpenRouter's message says only that the upstream provider failed
    return _quote(words if isinstance(words, str) else _as_text(words))


def _as_text(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except RecursionError:  # Python's `json` reads fewer levels than orjson
        return reprlib.repr(value)


def _quote(text: str, longest: int = MAX_QUOTE) -> str:
    """Return a vendor's text as part of a sentence: one short line without markup, keys and lone surrogates."""
    text = _BARE_PATTERN.sub(" ", _LOOKS_LIKE_A_KEY.sub(MASK, text[:20_000].encode(errors="replace").decode())).strip()
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
