"""Throttles sign-in: a few attempts per account and per address, then a wait.

throttle.require(email, address)     # raises TooManyAttemptsError
throttle.note(email, address)        # an attempt that failed
throttle.tries_from(address)         # how many of the last quarter of an hour

An address of IPv6 counts as its network of 64 bits, which one customer of a provider has to himself.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Final

from app.domain.errors import InviewError

WINDOW_SECONDS: Final = 900.0
MAX_PER_ACCOUNT: Final = 10
MAX_PER_ADDRESS: Final = 50
MAX_KEYS: Final = 10_000
"""Accounts and addresses that are remembered; the one that failed longest ago is forgotten first."""


class TooManyAttemptsError(InviewError):
    """Too many attempts failed in the last quarter of an hour."""

    def __init__(self) -> None:
        super().__init__("Too many attempts to sign in failed. Try again in 15 minutes.")


class Throttle:
    """Failed attempts of the last quarter of an hour, by account and by address. Kept in memory; where several
    processes work together, Redis has those of all (`runs/cluster/attempts.py`), and this holds while it is away.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failed: OrderedDict[tuple[str, str], list[float]] = OrderedDict()

    def require(self, email: str, address: str) -> None:
        """Refuse another attempt where too many failed.

        Raises:
            TooManyAttemptsError: they did.
        """
        for key, most in zip(_keys(email, address), (MAX_PER_ACCOUNT, MAX_PER_ADDRESS), strict=True):
            if len(self._recent(key)) >= most:
                raise TooManyAttemptsError

    def tries_from(self, address: str) -> int:
        """Count the attempts of an address that were noted and not forgiven."""
        return len(self._recent(_keys("", address)[1]))

    def note(self, email: str, address: str) -> None:
        """Remember an attempt that failed, or one that begins: `forgive` takes it back."""
        for key in _keys(email, address):
            self._failed[key] = [*self._recent(key), self._clock()]
            self._failed.move_to_end(key)
        while len(self._failed) > MAX_KEYS:
            self._failed.popitem(last=False)

    def forgive(self, email: str, address: str) -> None:
        """Take back the last attempt: it succeeded."""
        for key in _keys(email, address):
            self._take_back(key)

    def forgive_account(self, email: str) -> None:
        """Take back the last attempt of the account alone: its password was not looked at."""
        self._take_back(_keys(email, "")[0])

    def _take_back(self, key: tuple[str, str]) -> None:
        if times := self._failed.get(key):
            times.pop()

    def _recent(self, key: tuple[str, str]) -> list[float]:
        since = self._clock() - WINDOW_SECONDS
        return [at for at in self._failed.get(key, ()) if at > since]


def _keys(email: str, address: str) -> tuple[tuple[str, str], tuple[str, str]]:
    return ("account", email), ("address", network_of(address))


def network_of(address: str) -> str:
    """Return what counts as one address."""
    try:
        found = ip_address(address)
    except ValueError:  # the name of a session or a device
        return address
    return str(IPv6Network((found, 64), strict=False)) if isinstance(found, IPv6Address) else address
