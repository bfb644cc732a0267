"""The client of the current request: a page or a program, with its network address.

Commands read the address for the rate limits and for the audit trail. They set the quotas, which the API sends in the
headers of its response.

    with serving(Client("203.0.113.7")) as client:
        await start_reply(...)
    client.quotas

The address is that of the connection. uvicorn replaces it by the one in `X-Forwarded-For` if the connection comes from
a proxy that it trusts (127.0.0.1, or the addresses in FORWARDED_ALLOW_IPS). So a client without such a proxy cannot
claim another address.

Work that no client requested, such as the next text of a queue, has the client of the request that started it, or none.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Literal

from app.domain.settings.rate_limits import SendQuota


@dataclass(eq=False)
class Client:
    """A client. `quotas` are the quotas of the sends that it made with this request.

    `audited` is True once the audit trail has a change that it made with this request.

    `via` is how it reached Inview: "page" or "api". "" is Inview itself.

    An internet connection has a whole IPv6 network (/64), so an IPv6 address is replaced by its network:

    >>> Client("2001:db8::17").address, Client("::ffff:203.0.113.7").address
    ('2001:db8::/64', '203.0.113.7')
    """

    address: str = ""
    via: Literal["page", "api", ""] = ""
    quotas: list[SendQuota] = field(default_factory=list[SendQuota])
    audited: bool = False

    def __post_init__(self) -> None:
        with suppress(ValueError):
            match ip_address(self.address):
                case IPv6Address(ipv4_mapped=None) as address:
                    self.address = str(IPv6Network((address, 64), strict=False))
                case IPv6Address(ipv4_mapped=mapped):
                    self.address = str(mapped)
                case _:
                    pass


_current: ContextVar[Client | None] = ContextVar("client", default=None)


def current_client() -> Client:
    """Return the client of the current request. Without a request, its address is ""."""
    return _current.get() or Client()


def set_client(client: Client) -> None:
    """Make `client` the client of the current task and of the tasks that it starts."""
    _current.set(client)


@contextmanager
def serving(client: Client) -> Generator[Client]:
    """Make `client` the client of the current task until the `with` block ends."""
    token = _current.set(client)
    try:
        yield client
    finally:
        _current.reset(token)
