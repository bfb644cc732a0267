"""Counting on demand: asking a provider what it would read, without a reply, where it has a way to say so.

    tokens = await count_tokens(transport, provider, wire)     # `wire` is a send's own request

What is asked about is the body that would be sent, less what concerns the reply alone; nothing is added to it.
Providers do not charge for it. Not here: estimates (`domain/tokens/estimates.py`), which need no provider.
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
    """Whether the provider can be asked now: it has a way to count, and its key is there if it needs one."""
    return provider.ready and _counting_of(provider) is not None


def encode_count(provider: Provider, wire: WireRequest) -> WireRequest:
    """The request that asks what this one would come to. Pure.

    Raises:
        InputError: the provider has no way to count.
    """
    counting = _counting_of(provider)
    if counting is None:
        reason = f"cannot be counted exactly: {provider.row.label} has no way to ask. The estimate is all there is."
        raise InputError("model", reason)
    own = tuple(header for header in wire.headers if header not in JSON_STREAM)
    url = f"{provider.base_url}/{counting.path}"
    return replace(wire, url=url, headers=(*JSON_ANSWER, *own), body=_cut_body(wire.body, counting))


async def count_tokens(
    transport: Transport, provider: Provider, wire: WireRequest, timeouts: Timeouts = STANDARD_TIMEOUTS
) -> int:
    """The number of tokens that the provider would read, counted by the provider.

    Raises:
        InputError: the provider has no way to count.
        ProviderError: for every fault.
    """
    answer = await transport.ask(provider, encode_count(provider, wire), timeouts)
    try:
        tokens = load_json(answer)["input_tokens"]
    except (ValueError, TypeError, LookupError):
        tokens = None
    tokens = read_count(tokens)
    if tokens is None:
        message = f"{CallTarget(provider.row, wire.model)} answered the question for a count with something else."
        raise ProviderError(failure(ErrorClass.SERVER, message))
    return tokens


def _counting_of(provider: Provider) -> Counting | None:
    return load_adapter(provider.row.protocol).counting if provider.row.counts else None


def _cut_body(body: bytes, counting: Counting) -> bytes:
    fields = orjson.loads(body)
    return orjson.dumps({name: value for name, value in fields.items() if name in counting.fields})
