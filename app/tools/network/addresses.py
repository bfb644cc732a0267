"""Checks the network addresses that Inview connects to for a model or an MCP server.

A name is resolved once, the addresses are checked, and the connection uses exactly the checked address. So a name that
resolves to another address a moment later (DNS rebinding) has no effect. `web_client.py` checks each new connection, so
every redirect is checked too.

    >>> reach_of("192.168.1.10"), reach_of("::ffff:169.254.169.254"), reach_of("1.1.1.1")
    (<Reach.PRIVATE: 'private'>, <Reach.NEVER: 'never'>, <Reach.PUBLIC: 'public'>)

Model servers are not checked: the administrator enters their addresses, and most of them are local.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

from app.domain.errors import InviewError

Resolve = Callable[[str, int], Awaitable[list[str]]]
"""A function that resolves a host and a port to addresses, as text."""


class Reach(Enum):
    """The kind of network that an address belongs to."""

    PUBLIC = "public"
    PRIVATE = "private"
    """This machine, or a private network."""
    NEVER = "never"
    """An address that no server can have, or where clouds give out credentials."""


class AddressRefusedError(InviewError):
    """Error: Inview does not connect to this address."""


class PrivateAddressError(AddressRefusedError):
    """Error: the address is in a private network. An administrator can allow such addresses for an MCP server."""


_PRIVATE: Final = tuple(
    ip_network(network)
    for network in (
        "127.0.0.0/8",
        "10.0.0.0/8",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "100.64.0.0/10",
        "::1/128",
        "fc00::/7",
        "fec0::/10",
    )
)
# Metadata services of clouds that are not at a link-local address: AWS over IPv6, Alibaba, Azure, Oracle.
_METADATA: Final = frozenset(map(ip_address, ("fd00:ec2::254", "100.100.100.200", "168.63.129.16", "192.0.0.192")))
_NAT64: Final = IPv6Network("64:ff9b::/96")
_LOCAL_NAT64: Final = IPv6Network("64:ff9b:1::/48")


def reach_of(address: str | IPv4Address | IPv6Address) -> Reach:
    """Return the kind of network of an address. If an IPv6 address contains an IPv4 address, that one decides.

    Raises:
        ValueError: the text is no address.
    """
    one = ip_address(address)
    inside = _inside(one) if isinstance(one, IPv6Address) else None
    if inside is not None:
        return reach_of(inside)
    if one in _METADATA or one.is_link_local or one.is_multicast or one.is_unspecified:
        return Reach.NEVER
    if any(one in network for network in _PRIVATE):
        return Reach.PRIVATE
    tunnel = isinstance(one, IPv6Address) and (one.teredo is not None or one in _LOCAL_NAT64)
    return Reach.PUBLIC if one.is_global and not one.is_reserved and not tunnel else Reach.NEVER


async def resolve_name(host: str, port: int) -> list[str]:
    """Return the addresses that the machine's resolver has for a name. It also accepts unusual numbers (`0x7f.1`).

    Raises:
        OSError: the name has no address.
    """
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


@dataclass(frozen=True)
class AddressGuard:
    """The check of the addresses that Inview connects to. It allows private addresses only with `allow_private`."""

    allow_private: bool = False
    resolve: Resolve = resolve_name

    async def find(self, host: str, port: int) -> list[str]:
        """Return the checked addresses of a host. If one address is refused, the host is refused.

        Raises:
            AddressRefusedError: the host has an address that is not allowed.
            OSError: the host has no address.
        """
        addresses = await self.resolve(host, port)
        for address in addresses:
            match reach_of(address):
                case Reach.PUBLIC:
                    pass
                case Reach.PRIVATE if self.allow_private:
                    pass
                case Reach.PRIVATE:
                    raise PrivateAddressError(
                        f'"{host}" resolves to a private network address ({address}), which is not allowed here.'
                    )
                case Reach.NEVER:
                    raise AddressRefusedError(f'"{host}" resolves to {address}, to which Inview never connects.')
        return addresses


def _inside(address: IPv6Address) -> IPv4Address | None:
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.sixtofour
