"""The split of a send as text: the figures of the counter, of the estimate beside Send and of their tooltip.

>>> read_as_title(3, 6), read_as_title(2, 2), read_as_title(1, 1)
('3 of 6 pairs in view are sent', 'All 2 pairs in view are sent', 'The pair in view is sent')
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType
from typing import Final

from app.language.translation import current_catalogue, translate
from app.state.composer.views import CachedCostView, SplitRow, SplitView
from app.views.cache import CacheView
from app.views.composition import EstimateView
from app.views.figures import UNKNOWN, band, band_note, money, number, plural
from app.views.screen.context import ContextView
from app.views.screen.panels import CountingView

_TIMES: Final = "\u00d7"
_LIMITED_BY: Final[Mapping[str, str]] = MappingProxyType(
    {
        "window": "composer.model_window",
        "token ceiling": "composer.token_limit",
        "money ceiling": "composer.money_limit",
    }
)


def describe_split(context: ContextView) -> SplitView:
    """The figures of what a send would carry."""
    estimate, x, y = context.estimate, context.x, context.y
    taken = estimate.tokens + estimate.reserve
    unit = _name_unit(y, context.total, filtered=context.filter != "")
    return SplitView(
        x=number(x),
        y=number(y),
        unit=unit,
        counted=translate("composer.shown_pairs_sent", shown=f"{number(x)} / {number(y)} {unit}", x=x, y=y),
        title=read_as_title(x, y),
        all_fit=x >= y,
        any_in_view=y > 0,
        tokens=band(estimate.tokens, estimate.error_band),
        certainty=band_note(estimate.error_band),
        exact=not estimate.error_band,
        cost=money(estimate.cost),
        cost_known=estimate.cost != UNKNOWN,
        over=estimate.tokens > estimate.limit,
        rows=_list_rows(estimate, x),
        pairs=plural(x, "pair"),
        reserve=number(estimate.reserve),
        limit=number(estimate.limit),
        limited_by=translate(_LIMITED_BY[estimate.limited_by])
        if estimate.limited_by in _LIMITED_BY
        else estimate.limited_by,
        share=round(min(100.0, taken / estimate.limit * 100), 1) if estimate.limit else 100.0,
        too_much=taken > estimate.limit,
        look=f"{context.filter}\n{context.model}\n{x}\n{y}\n{context.boundary}",
    )


def describe_counting(counting: CountingView | None) -> str:
    """Describe how far the counting is, while the figures are not known.

    >>> describe_counting(CountingView(12_400, 50_000)), describe_counting(None)
    ('Counting tokens: 12,400 of 50,000 pairs', '')
    """
    if counting is None:
        return ""
    return translate("composer.counting_tokens_of", done=number(counting.done), plural=plural(counting.total, "pair"))


def read_as_title(x: int, y: int) -> str:
    """How many of the pairs in view are sent, as a sentence."""
    if x != y:
        return translate("composer.some_pairs_sent", x=number(x), y=number(y))
    return translate("composer.one_pair_sent") if y == 1 else translate("composer.all_pairs_sent", y=number(y))


def _name_unit(y: int, total: int, *, filtered: bool) -> str:
    """Return what stands behind X / Y.

    >>> _name_unit(1, 1, filtered=False), _name_unit(1, 12, filtered=True)
    ('pair', 'of 12 pairs')
    """
    return (
        translate("composer.of_plural", plural=plural(total, "pair"))
        if filtered
        else translate("composer.unit_pairs", count=y)
    )


def describe_cached(estimate: EstimateView, cache: CacheView | None) -> CachedCostView | None:
    """Describe the cost of the send with the provider's cache; None if that changes nothing or is unknown.

    The draft is read anew either way.
    """
    if cache is None or UNKNOWN in {cache.cost, cache.cost_uncached, estimate.cost}:
        return None
    less = Decimal(cache.cost_uncached) - Decimal(cache.cost)
    cost = Decimal(estimate.cost) - less
    if not less or cost < 0:
        return None
    read = cache.predicted_read_tokens
    return CachedCostView(
        translate("composer.with_cached", read=number(read)) if read else translate("composer.and_of_keeping_it"),
        f"~{money(str(cost))}",
    )


def describe_exact(tokens: int, estimated: int) -> str:
    """The provider's own count, and how far the estimate is off.

    >>> describe_exact(1000, 1050)
    'Exactly 1,000 tokens: the estimate is 5.0 % above.'
    """
    off = (estimated - tokens) / tokens * 100 if tokens else 0.0
    return translate(
        "composer.exact_below" if off < 0 else "composer.exact_above",
        tokens=tokens,
        share=current_catalogue().decimal(f"{abs(off):.1f}"),
    )


def describe_secrets(kinds: Sequence[str], *, previewed: bool = False) -> str:
    r"""Which secrets of a draft go out as marks. `previewed`: there is a preview that shows them.

    >>> describe_secrets(("API key", "API key", "password"))
    'Replaced before sending: 2 \u00d7 API key, password.'
    """
    if not kinds:
        return ""
    counts = Counter(kinds)
    told = ", ".join(f"{count} {_TIMES} {kind}" if count > 1 else kind for kind, count in counts.items())
    return translate(
        "composer.redacted",
        told=told,
        value=f" {translate('composer.preview_hint')}" if previewed else "",
    )


def _list_rows(estimate: EstimateView, x: int) -> tuple[SplitRow, ...]:
    images = (
        (SplitRow(translate("composer.of_it_images"), number(estimate.images), part=True),) if estimate.images else ()
    )
    return (
        SplitRow(translate("common.system"), number(estimate.system)),
        SplitRow(translate("common.tools"), number(estimate.tools)),
        SplitRow(translate("composer.sent", plural=plural(x, "pair")), number(estimate.pairs)),
        *images,
        SplitRow(translate("common.draft"), number(estimate.draft)),
    )
