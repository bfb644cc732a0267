"""The figures of a send (pairs, tokens, cost) as text, for the counter, the estimate next to Send and the tooltip.

>>> read_as_title(3, 6), read_as_title(2, 2), read_as_title(1, 1)
('3 of 6 pairs in view are sent', 'All 2 pairs in view are sent', 'The pair in view is sent')
>>> read_as_title(0, 0)
'Only the new request is sent'
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final

from app.domain.errors import ErrorClass, Failure, add_next_step
from app.state.composer.views import CachedCostView, SplitRow, SplitView
from app.views.composer.context import ContextView
from app.views.reply.panels import CountingView
from app.views.request.cache import CacheView
from app.views.request.composition import NAMES_OF_LIMITS, EstimateView
from app.views.usage.figures import UNKNOWN, band, band_note, money, number, plural

_TIMES: Final = "\u00d7"
_LEAST_FOR_BAND: Final = 100
"""The smallest number of tokens whose error is shown: below it, the percentage is large and says nothing."""
_NOT_SET_UP: Final = "unknown, the provider is not set up"


def describe_split(context: ContextView) -> SplitView:
    """Return the figures of the next send as text."""
    if context.compared:
        return _describe_compared(context)
    estimate, x, y = context.estimate, context.x, context.y
    taken = estimate.tokens + estimate.reserve
    is_guessed = not context.set_up and estimate.limited_by == "window"
    limit = 0 if is_guessed else estimate.limit
    is_empty = estimate.error_band > 0 and not (
        y or estimate.draft or estimate.pairs or estimate.tools or context.system
    )
    return SplitView(
        x=number(x),
        y=number(y),
        whole=number(context.total) if context.filter else "",
        unit=_name_unit(context.total if context.filter else y),
        counted=f"{plural(context.total, 'pair')} in this conversation: {x} of {y} pairs in view are sent",
        title="Nothing to send yet" if is_empty else read_as_title(x, y),
        all_fit=x >= y,
        any_in_view=y > 0,
        tokens="0" if is_empty else band(estimate.tokens, estimate.error_band),
        certainty="" if is_empty else _describe_error(estimate.tokens, estimate.error_band),
        exact=not estimate.error_band,
        countable=context.countable,
        cost=money("0" if is_empty else estimate.cost),
        cost_known=estimate.cost != UNKNOWN,
        priced=_is_priced(estimate.cost),
        over=taken > estimate.limit and not is_guessed,
        rows=() if is_empty else _list_rows(context),
        pairs=plural(x, "pair"),
        reserve=number(estimate.reserve),
        limit=_NOT_SET_UP if is_guessed else number(limit),
        limited_by=NAMES_OF_LIMITS[estimate.limited_by],
        share=0.0 if is_guessed else round(min(100.0, taken / limit * 100), 1) if limit else 100.0,
        look=f"{context.filter}\n{context.model}\n{x}\n{y}\n{context.boundary}",
        rounds=context.tools is not None and context.tools.count > 0,
    )


def _describe_compared(context: ContextView) -> SplitView:
    """Return the figures of a send to several models as text: a row for each model, and the sums of all of them.

    The number of pairs and the limit are those of the model that gets the fewest pairs. If several models get
    equally few, those of the model with the least room.
    """
    sends = context.compared
    fullest = max(
        sends,
        key=lambda send: (-send.x, (send.estimate.tokens + send.estimate.reserve) / (send.estimate.limit or 1)),
    )
    of_one = describe_split(replace(context, x=fullest.x, estimate=fullest.estimate, compared=()))
    if not of_one.rows:
        return of_one
    tokens, error_band = sum(send.estimate.tokens for send in sends), max(send.estimate.error_band for send in sends)
    costs = [send.estimate.cost for send in sends]
    is_known = UNKNOWN not in costs
    return replace(
        of_one,
        tokens=band(tokens, error_band),
        certainty=_describe_error(tokens, error_band),
        exact=not error_band,
        countable=False,
        cost=money(str(sum(map(Decimal, costs))) if is_known else UNKNOWN),
        cost_known=is_known,
        priced=is_known and any(map(_is_priced, costs)),
        rows=tuple(
            SplitRow(
                f"{send.name} ({plural(send.x, 'pair')})" if context.y else send.name, number(send.estimate.tokens)
            )
            for send in sends
        ),
        look="\n".join((of_one.look, *(f"{send.name} {send.x}" for send in sends))),
    )


def _describe_error(tokens: int, error_band: float) -> str:
    """Return the relative error of an estimate, "" for a small one."""
    return "" if error_band and tokens < _LEAST_FOR_BAND else band_note(error_band)


def describe_counting(counting: CountingView | None) -> str:
    """Return a text with the progress of counting the tokens of pairs. The page shows it until the count is done.

    >>> describe_counting(CountingView(12_400, 50_000)), describe_counting(None)
    ('Counting tokens: 12,400 of 50,000 pairs', '')
    """
    if counting is None:
        return ""
    return f"Counting tokens: {number(counting.done)} of {plural(counting.total, 'pair')}"


def read_as_title(x: int, y: int) -> str:
    """Return a sentence that says that `x` of the `y` pairs in view are sent."""
    if not y:
        return "Only the new request is sent"
    if x != y:
        return f"{number(x)} of {number(y)} pairs in view are sent"
    return "The pair in view is sent" if y == 1 else f"All {number(y)} pairs in view are sent"


def _name_unit(count: int) -> str:
    """Return the word that follows this number of pairs.

    >>> _name_unit(1), _name_unit(12)
    ('pair', 'pairs')
    """
    return "pair" if count == 1 else "pairs"


def describe_cached(estimate: EstimateView, cache: CacheView | None) -> CachedCostView | None:
    """Return the cost of the send with the provider's cache.

    Return None if the cache changes nothing, or if a cost is unknown. The draft is never read from the cache, so its
    cost is the same with and without the cache.
    """
    if cache is None or UNKNOWN in {cache.cost, cache.cost_uncached, estimate.cost}:
        return None
    less = Decimal(cache.cost_uncached) - Decimal(cache.cost)
    cost = Decimal(estimate.cost) - less
    if not less or cost < 0:
        return None
    read = cache.predicted_read_tokens
    return CachedCostView(f"with {number(read)} cached" if read else "with cache write", f"~{money(str(cost))}")


def describe_exact(tokens: int, estimated: int) -> str:
    """Return a text with the provider's count and the deviation of the estimate from it.

    >>> describe_exact(1000, 1050)
    'Exactly 1,000 tokens: the estimate was 5.0 % above. The parts are still estimates.'
    """
    off = (estimated - tokens) / tokens * 100 if tokens else 0.0
    side = "below" if off < 0 else "above"
    return f"Exactly {number(tokens)} tokens: the estimate was {abs(off):.1f} % {side}. The parts are still estimates."


def describe_uncounted(reason: Failure) -> str:
    """Return a text with the reason why the provider could not count, and the next step."""
    again = "The estimate is unchanged. Count again later."
    next_step = reason.next_step if reason.error_class is ErrorClass.AUTH else again
    return f"Not counted. {add_next_step(reason.message, next_step)}"


def describe_secrets(kinds: Sequence[str]) -> str:
    """Return a sentence that names the kinds of secrets that are redacted from a draft.

    >>> describe_secrets(("API key", "API key", "password"))
    'Redacted before sending: 2 \u00d7 API key, password. The preview shows what is sent.'
    """
    if not kinds:
        return ""
    counts = Counter(kinds)
    listed = ", ".join(f"{count} {_TIMES} {kind}" if count > 1 else kind for kind, count in counts.items())
    return f"Redacted before sending: {listed}. The preview shows what is sent."


def _is_priced(cost: str) -> bool:
    return cost != UNKNOWN and Decimal(cost) > 0


def _list_rows(context: ContextView) -> tuple[SplitRow, ...]:
    """Return the parts of a send with their tokens.

    The first row is the system text or, without one, the overhead: the tokens that every request takes for its format.
    """
    estimate, x = context.estimate, context.x
    images = (SplitRow("of which images", number(estimate.images), part=True),) if estimate.images else ()
    return (
        SplitRow("System" if context.system else "Request overhead", number(estimate.system)),
        SplitRow("Tools", number(estimate.tools)),
        SplitRow(f"{plural(x, 'pair')} sent", number(estimate.pairs)),
        *images,
        SplitRow("Draft", number(estimate.draft)),
    )
