"""`inview doctor --online`: whether the providers take their keys and answer, and whether the clock is right.

Models are listed, none is asked for a reply: it costs nothing.
"""

from __future__ import annotations

import asyncio
import time
import urllib.error
import urllib.request
from collections.abc import Iterable
from email.utils import parsedate_to_datetime
from typing import Final

from app.cli.checks import Check, fault, ok, warning
from app.cli.doctor import list_owners_with_keys
from app.domain.errors import ErrorClass, InputError, StoreError
from app.providers.base import Provider
from app.runs.process.catalogue import Offer
from app.runs.wiring import open_quietly
from app.settings import Settings
from app.store.database.migrations import exists, is_current

OFFLINE: Final = "offline"
ANSWER_SECONDS: Final = 10.0
LATE_SECONDS: Final = 60
"""From here on the clock is wrong enough to be told."""
WRONG_SECONDS: Final = 300
"""From here on sign-ins fail."""


async def check_online(settings: Settings) -> list[Check]:
    """Ask every provider that can be asked for its models, and one of them for the time."""
    if not exists(settings.database_url) or not is_current(settings.database_url):
        return [warning("models", "Without a database of this version nobody was asked.", "Run `inview migrate`.")]
    checks: list[Check] = []
    asked: dict[Provider, None] = {}
    async with open_quietly(settings) as wb:
        await wb.catalogue.look_around()
        for owner in await list_owners_with_keys(wb):
            try:
                async with wb.store.read() as session:
                    providers = await wb.catalogue.providers(session, owner)
            except (InputError, StoreError) as error:
                checks.append(fault("models", f"The providers of {owner} cannot be set up: {error}"))
                continue
            fresh = {name: one for name, one in providers.items() if one.ready and name != OFFLINE and one not in asked}
            asked |= dict.fromkeys(fresh.values())
            checks += [_judge(offer) for offer in await wb.catalogue.offers(fresh, afresh=True)]
    if not asked:
        return [*checks, ok("models", "No provider is set up besides the offline model.")]
    return [*checks, await asyncio.to_thread(check_clock, [one.base_url for one in asked])]


def _judge(offer: Offer) -> Check:
    name = offer.provider.row.label
    match offer.failure:
        case None:
            return ok("models", f"{name} takes the key and lists {len(offer.models)} models.")
        case failure if failure.error_class is ErrorClass.AUTH:
            return fault("keys", f"{name}: {failure.message}", failure.next_step)
        case failure:
            return fault("models", f"{name}: {failure.message}", "Check the connection and the provider's base URL.")


def check_clock(addresses: Iterable[str]) -> Check:
    """Compare this machine's clock with the `Date` of the first address that tells one."""
    for address in addresses:
        before = time.time()
        told = _ask_date(address)
        if told is None:
            continue
        # The header has whole seconds, and the answer was made between the two looks at our clock.
        skew = 0.0 if before - 1 <= told <= time.time() else told - before
        return describe_skew(skew, address)
    return warning("clock", "No provider told the time, so the clock was not compared.")


def describe_skew(skew: float, address: str) -> Check:
    """Judge a difference in seconds; above zero: this machine is late."""
    if abs(skew) <= LATE_SECONDS:
        return ok("clock", f"It agrees with {address} to within {LATE_SECONDS} s.")
    said = f"It is {abs(skew):,.0f} s {'behind' if skew > 0 else 'ahead of'} {address}."
    advice = "Set the clock of this machine, for example by NTP."
    return fault("clock", said, advice) if abs(skew) > WRONG_SECONDS else warning("clock", said, advice)


def _ask_date(address: str) -> float | None:
    request = urllib.request.Request(address, method="HEAD")  # noqa: S310 - settings take http and https alone
    try:
        with urllib.request.urlopen(request, timeout=ANSWER_SECONDS) as answer:  # noqa: S310 - as above
            told: str | None = answer.headers.get("Date")
    except urllib.error.HTTPError as refused:  # an answer too, without a key
        with refused:
            told = refused.headers.get("Date")
    except (OSError, ValueError):
        return None  # the check of its models says why
    try:
        return parsedate_to_datetime(told).timestamp() if told else None
    except ValueError:
        return None
