"""Cache misses: the part of a request that is not read from the cache although it could be, and the reason.

Before the send: a filter, an edit or another system text may change a cached prefix. `find_break` returns how many
tokens of that prefix would be processed again, and where the first difference is. After the send: `judge` compares the
provider's report with the prediction, and explains a difference in plain words.

    >>> judge(Prediction(4, 5_000), Usage(cache_read_tokens=5_000)).outcome
    <Outcome.AS_PREDICTED: 'as_predicted'>
    >>> judge(Prediction(4, 5_000), Usage(input_tokens=5_000)).why
    'The provider evicted it early.'
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from app.domain.cache.plan import CacheRequest, Prediction
from app.domain.cache.prefix import SYSTEM, TOOLS, Prefix
from app.domain.cache.warmth import CachedCall, Warmth
from app.domain.usage import Usage

NEARLY = 0.02
"""Maximum relative difference at which a provider's report still agrees with a prediction of estimated size."""


@dataclass(frozen=True, slots=True)
class Break:
    """A cached prefix that the next request would not read.

    - `tokens`: the number of its tokens that would be processed again.
    - `place`: the first place where the next request differs from the prefix (see `prefix.py`).
    - `last_run_id`: the run whose call cached the prefix.
    - `expires_at`: the time when the provider evicts it.
    """

    tokens: int
    place: int
    last_run_id: str
    expires_at: datetime


class Outcome(StrEnum):
    """The result of comparing the cache read that a provider reported with the predicted one."""

    AS_PREDICTED = "as_predicted"
    AS_ESTIMATED = "as_estimated"
    LESS = "less"
    MORE = "more"
    NOT_TOLD = "not_told"


@dataclass(frozen=True, slots=True)
class Judgement:
    """The outcome of a prediction. `why` explains it in plain words; None if the prediction was right."""

    outcome: Outcome
    why: str | None = None


def find_break(request: CacheRequest, read: Prediction, warmth: Warmth, now: datetime) -> Break | None:
    """Find a prefix that the conversation's last call cached and that this request would not read.

    Return None if there is no such prefix.

    `read` is the predicted cache read of this request.
    """
    prefix, conversation_id = request.prefix, request.conversation_id
    call = next((call for call in reversed(warmth.calls) if call.conversation_id == conversation_id), None)
    if call is None:
        return None
    kept = [entry for entry in warmth.alive(now) if entry.begins(call.prefix) and entry.tokens is not None]
    deepest = max(kept, key=lambda entry: entry.place, default=None)
    if deepest is None or deepest.begins(prefix):
        return None
    lost = min(deepest.tokens or 0, request.tokens) - read.tokens
    if lost <= 0:
        return None
    return Break(lost, first_difference(prefix, call.prefix), call.run_id, deepest.expires_at)


def first_difference(prefix: Prefix, other: Prefix) -> int:
    """Return the first place (see `prefix`) where two requests differ."""
    shared = prefix.shared_with(other)
    if shared is not None:
        return shared + 1 if shared > TOOLS else SYSTEM
    return TOOLS if prefix.tools != other.tools else SYSTEM if prefix.system != other.system else 0


def judge(predicted: Prediction, usage: Usage | None) -> Judgement:
    """Compare the tokens that a provider read from its cache with the prediction. Return outcome and reason."""
    if usage is None or not usage.prompt_tokens:
        return Judgement(Outcome.NOT_TOLD, "The provider did not report what it read from the cache.")
    read = usage.cache_read_tokens
    if read == predicted.tokens:
        return Judgement(Outcome.AS_PREDICTED)
    if not predicted.exact and abs(read - predicted.tokens) <= NEARLY * read:
        return Judgement(Outcome.AS_ESTIMATED)
    if read > predicted.tokens:
        return Judgement(Outcome.MORE, "The provider had cached more than Inview expected.")
    if read == 0:
        return Judgement(Outcome.LESS, "The provider evicted it early.")
    return Judgement(Outcome.LESS, "The provider evicted the newest part early.")


def explain_cold(call: CachedCall, before: CachedCall | None, pairs: Sequence[int] = ()) -> str | None:
    """Describe the first difference between a call and the previous call of its conversation.

    Return None if the call continues the previous one, if there is no previous one, or if the usage of the call is
    unknown. `pairs` has, for each message of the request, the position of its pair, as far as known.
    """
    if before is None or call.usage is None:
        return None
    shared = call.prefix.shared_with(before.prefix)
    newest = before.marks[-1].place if before.marks else before.prefix.last
    if shared is not None and shared >= min(newest, before.prefix.last):
        return None
    return f"{describe_place(first_difference(call.prefix, before.prefix), pairs)} differs from the previous send."


def describe_place(place: int, pairs: Sequence[int] = ()) -> str:
    """Describe a place of a request by the position of its pair or, if that is unknown, by the number of its message.

    >>> describe_place(2, pairs=(4, 4, 5)), describe_place(2)
    ('Pair 5', 'Message 3 of the request')
    """
    if place == TOOLS:
        return "The list of tools"
    if place == SYSTEM:
        return "The system text"
    return f"Pair {pairs[place]}" if place < len(pairs) else f"Message {place + 1} of the request"
