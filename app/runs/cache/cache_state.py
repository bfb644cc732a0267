"""The state of a provider's prompt cache: the recent calls of a conversation, and the cached part of its next send.

    state = await look_at_cache(ctx, LOCAL_OWNER, conversation_id, ViewOptions(filter="s>=2"))
    state.next.plan.prediction.tokens

No provider is called and nothing is stored. If no recent call can have filled the cache, the next send is not planned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from app.domain.cache.misses import Judgement, explain_cold, judge
from app.domain.cache.rules import CacheRules, find_rules
from app.domain.conversation.conversation import Parameters
from app.domain.conversation.parameters import NO_PARAMETERS
from app.domain.costs.prices import Tariff
from app.domain.models.model_profile import ModelProfile
from app.runs.app_context import AppContext
from app.runs.request.preview import Preview
from app.runs.runtime.ids import now
from app.runs.send.commands import preview_send
from app.runs.send.context_selection import ViewOptions, read_base
from app.runs.send.send_request import DEFAULT_OPTIONS, SendRequest
from app.runs.usage.prices import learn_tariffs
from app.store.cache.prompt_caches import StoredUse, load_cache_uses, load_sent
from app.store.conversation.pairs import load_positions
from app.store.run.runs import Sent


@dataclass(frozen=True, slots=True)
class ComparedCall:
    """A provider call with its use of the prompt cache.

    - `judgement`: compares the usage that the provider reported with the prediction.
    - `differs`: the first difference between this request and the previous one. None if this request continues the
      previous one, if there is no previous one, or if the usage of this call is unknown.
    """

    use: StoredUse
    judgement: Judgement
    differs: str | None


@dataclass(frozen=True, slots=True)
class PrefixCacheState:
    """The state of a prompt cache at the time `at`.

    - `rules`: the cache rules of the model; None if no cache of this model is known.
    - `next`: the plan of a send now; None if nothing is cached.
    - `calls`: the recent calls of the conversation, newest first.
    """

    profile: ModelProfile
    rules: CacheRules | None
    at: datetime
    next: Preview | None = None
    tariff: Tariff | None = None
    calls: tuple[ComparedCall, ...] = ()


async def look_at_cache(  # noqa: PLR0913 - the arguments of preview_send
    ctx: AppContext,
    owner: str,
    conversation_id: str,
    options: ViewOptions = DEFAULT_OPTIONS,
    text: str = "",
    *,
    parameters: Parameters | None = None,
) -> PrefixCacheState:
    """Return the state of the prompt cache for a send with these options. `parameters` apply to this send only.

    Raises:
        NotFoundError: this owner has no such conversation.
        FilterError: the filter cannot be used.
        InputError: the text, the model or the time zone cannot be used.
        ConflictError: the conversation changes faster than it can be read.
    """
    base = await read_base(ctx, owner, conversation_id, options)
    profile, at = base.profile, now()
    rules = find_rules(profile.model)
    if rules is None:
        return PrefixCacheState(profile, None, at)
    longest = timedelta(seconds=max(rules.lifetimes))
    async with ctx.store.read() as session:
        calls, uses = await load_cache_uses(session, owner, profile.model, at - longest, conversation_id)
        sent = await load_sent(session, [use.call.run_id for use in uses])
        positions = await load_positions(session, owner, {use.pair_id for use in uses})
    named = {use.call.run_id: _name_messages(use, sent.get(use.call.run_id), positions) for use in uses}
    send = SendRequest(text, options, parameters or NO_PARAMETERS)
    planned = await preview_send(ctx, owner, conversation_id, send) if calls else None
    tariffs = await learn_tariffs(ctx, owner, {profile.model})
    return PrefixCacheState(profile, rules, at, planned, tariffs[profile.model], _compare(uses, named))


def _compare(uses: tuple[StoredUse, ...], named: Mapping[str, Sequence[int]]) -> tuple[ComparedCall, ...]:
    pairs = zip(uses, (None, *uses), strict=False)
    compared = [
        ComparedCall(
            use,
            judge(use.predicted, use.call.usage),
            explain_cold(use.call, before.call if before else None, named[use.call.run_id]),
        )
        for use, before in pairs
        if use.over
    ]
    return tuple(reversed(compared))


def _name_messages(use: StoredUse, sent: Sent | None, positions: Mapping[str, int]) -> tuple[int, ...]:
    """Return, for each message of a call, the position of its pair.

    If a pair had more messages than a request and a reply, return an empty tuple: tool calls and tool results are
    separate messages, and their number was not recorded.
    """
    went = [position for first, last in sent or () for position in range(first, last + 1)]
    own = positions.get(use.pair_id)
    if own is None or use.call.prefix.last != 2 * len(went):
        return ()
    return (*(position for position in went for _ in ("asked", "answered")), own)
