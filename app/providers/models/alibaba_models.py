"""The models of Alibaba Cloud Model Studio: windows, prices and abilities. The package genai-prices does not have them.

Sources, read 2026-11-30 (decision 0097 says which fact has which source):
- Prices and windows: the price table of LiteLLM 1.110.2 (it names Alibaba's page "Models") and the table of models.dev.
  Prices are those of Singapore in US dollars. If the two tables differ, the prices are unknown here. They are also
  unknown for a model whose output costs more while it thinks, because a `Tariff` has one output price.
- Cache: Alibaba Cloud Model Studio, "Context Cache": creation costs 125 % of the input price, a hit 10 % with the
  explicit cache and 20 % with the implicit one. Prices that a table states for a model take precedence.
- Thinking: Alibaba Cloud Model Studio, "Deep thinking". JSON schemas: the price table of LiteLLM.

    >>> find_alibaba("qwen3-max").context_window
    262144
    >>> find_alibaba("qwen-of-nowhere") is None
    True
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from types import MappingProxyType
from typing import Final

from app.domain.costs.prices import Period, PriceTier, Tariff
from app.domain.models.model_profile import Prices, ThinkingStyle
from app.providers.models.abilities import Abilities

CREATION: Final = Decimal("1.25")
EXPLICIT_HIT: Final = Decimal("0.1")
"""Price of a token that is read from the explicit cache, as a multiple of the input price."""
IMPLICIT_HIT: Final = Decimal("0.2")
"""Price of a token that is read from the implicit cache, as a multiple of the input price."""

_MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class OwnEntry:
    """A model in one of Inview's own price tables (`OWN_TABLES` in `tariffs.py`).

    - `name`: its name on the screen; None: the name of the model.
    - `tariff`: None if its prices are unknown.
    """

    context_window: int
    abilities: Abilities
    tariff: Tariff | None = None
    name: str | None = None


def _abilities(most: int, *, thinks: bool = False, images: bool = False, structured: bool = False) -> Abilities:
    style = ThinkingStyle.BUDGET if thinks else ThinkingStyle.NONE
    return Abilities(images=images, tools=True, thinking=style, max_output_tokens=most, structured=structured)


def _explicit(*steps: tuple[int, str, str]) -> Tariff:
    """Return the tariff of a model with the explicit cache. A step is a prompt length, an input and an output price."""
    return _tariff(*((above, _cached(paid, answered)) for above, paid, answered in steps))


def _cached(paid: str, answered: str) -> Prices:
    price = Decimal(paid)
    return Prices(price, Decimal(answered), price * EXPLICIT_HIT, price * CREATION)


def _implicit(paid: str, answered: str) -> Tariff:
    price = Decimal(paid)
    return _tariff((0, Prices(price, Decimal(answered), price * IMPLICIT_HIT)))


def _tariff(*steps: tuple[int, Prices]) -> Tariff:
    return Tariff((Period(tuple(PriceTier(above, prices) for above, prices in steps)),))


_TEXT = _abilities(65_536)
_THINKS = _abilities(65_536, thinks=True)
_SEES = _abilities(65_536, thinks=True, images=True)
_SHORT = _abilities(32_768, thinks=True)
_SHORT_SEES = _abilities(32_768, thinks=True, images=True)
_NEWEST = _abilities(131_072, thinks=True, images=True, structured=True)

ALIBABA_MODELS: Mapping[str, OwnEntry] = MappingProxyType(
    {
        "qwen3.8-max": OwnEntry(_MILLION, _NEWEST, _tariff((0, Prices(Decimal(2), Decimal(6), Decimal("0.25"))))),
        "qwen3.8-flash": OwnEntry(
            _MILLION,
            _NEWEST,
            _tariff((0, Prices(Decimal("0.15"), Decimal("0.47"), Decimal("0.016"), Decimal("0.2")))),
        ),
        "qwen3.7-max": OwnEntry(_MILLION, replace(_THINKS, structured=True)),
        "qwen3.7-plus": OwnEntry(_MILLION, replace(_SEES, structured=True)),
        "qwen3.6-plus": OwnEntry(_MILLION, _SEES, _explicit((0, "0.5", "3"), (256_000, "2", "6"))),
        "qwen3.5-plus": OwnEntry(_MILLION, _SEES, _explicit((0, "0.4", "2.4"), (256_000, "0.5", "3"))),
        "qwen3.5-flash": OwnEntry(_MILLION, _SEES, _explicit((0, "0.1", "0.4"))),
        "qwen3-max": OwnEntry(
            262_144, _THINKS, _explicit((0, "1.2", "6"), (32_000, "2.4", "12"), (128_000, "3", "15"))
        ),
        "qwen3-coder-plus": OwnEntry(
            _MILLION,
            _TEXT,
            _explicit((0, "1", "5"), (32_000, "1.8", "9"), (128_000, "3", "15"), (256_000, "6", "60")),
        ),
        "qwen3-coder-flash": OwnEntry(
            _MILLION,
            _TEXT,
            _explicit((0, "0.3", "1.5"), (32_000, "0.5", "2.5"), (128_000, "0.8", "4"), (256_000, "1.6", "9.6")),
        ),
        "qwen3-vl-plus": OwnEntry(
            262_144, _SHORT_SEES, _explicit((0, "0.2", "1.6"), (32_000, "0.3", "2.4"), (128_000, "0.6", "4.8"))
        ),
        "qwen3-vl-flash": OwnEntry(
            262_144, _SHORT_SEES, _explicit((0, "0.05", "0.4"), (32_000, "0.075", "0.6"), (128_000, "0.12", "0.96"))
        ),
        "qwen-plus": OwnEntry(_MILLION, _SHORT),
        "qwen-flash": OwnEntry(_MILLION, _SHORT, _explicit((0, "0.05", "0.4"), (256_000, "0.25", "2"))),
        "qwen-turbo": OwnEntry(131_072, _abilities(16_384, thinks=True)),
        "qwen-max": OwnEntry(32_768, _abilities(8_192), _implicit("1.6", "6.4")),
        "qwen-vl-max": OwnEntry(131_072, _abilities(8_192, images=True), _implicit("0.8", "3.2")),
    }
)


def find_alibaba(name: str) -> OwnEntry | None:
    """Return the entry of a model. A snapshot has no entry, because its prices may differ."""
    return ALIBABA_MODELS.get(name.lower())
