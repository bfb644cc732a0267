"""Exact counts: a provider that has an endpoint for this counts the input tokens of a request, without a reply.

    tokens = await count_tokens(transport, provider, wire)     # `wire` is the request of a send

The body of the count request is the body of the send, without the fields that concern only the reply. Providers do not
charge for a count. Estimates, which need no provider, are in `domain/tokens/estimates.py`.
"""

from __future__ import annotations

from dataclasses import replace

import orjson

from app.domain.errors import ErrorClass, InputError, ProviderError, failure
from app.domain.usage import read_count
from app.providers.base import JSON_STREAM, CallTarget, Counting, Headers, Provider, Timeouts, WireRequest, load_adapter
from app.providers.wire.json_values import load_json
from app.providers.wire.transport import STANDARD_TIMEOUTS, Transport

JSON_ANSWER: Headers = tuple((name, "application/json" if name == "Accept" else value) for name, value in JSON_STREAM)


def can_count(provider: Provider) -> bool:
    """Return True if the provider can count now: it has an endpoint for this, and a key if it needs one."""
    return provider.ready and _counting_of(provider) is not None


def encode_count(provider: Provider, wire: WireRequest) -> WireRequest:
    """Return the request that makes the provider count the tokens of `wire`. This is a pure function.

    Raises:
        InputError: the provider cannot count.
    """
    counting = _counting_of(provider)
    if counting is None:
        reason = (
            f"cannot be counted exactly: {provider.row.label} has no endpoint for this. Only the estimate is available."
        )
        raise InputError("model", reason)
    own = tuple(header for header in wire.headers if header not in JSON_STREAM)
    url = f"{provider.base_url}/{counting.path}"
    return replace(wire, url=url, headers=(*JSON_ANSWER, *own), body=_cut_body(wire.body, counting))


async def count_tokens(
    transport: Transport, provider: Provider, wire: WireRequest, timeouts: Timeouts = STANDARD_TIMEOUTS
) -> int:
    """Let the provider count the tokens that it would read for the request `wire`, and return their number.

    Raises:
        InputError: the provider cannot count.
        ProviderError: for every fault.
    """
    answer = await transport.ask(provider, encode_count(provider, wire), timeouts)
    try:
        tokens = load_json(answer)["input_tokens"]
    except (ValueError, TypeError, LookupError):
        tokens = None
    tokens = read_count(tokens)
    if tokens is None:
        message = f"{CallTarget(provider.row, wire.model)} returned an invalid response to the token count request."
        raise ProviderError(failure(ErrorClass.SERVER, message))
    return tokens


def _counting_of(provider: Provider) -> Counting | None:
    return load_adapter(provider.row.protocol).counting if provider.row.counts else None


def _cut_body(body: bytes, counting: Counting) -> bytes:
    fields = orjson.loads(body)
    return orjson.dumps({name: value for name, value in fields.items() if name in counting.fields})
