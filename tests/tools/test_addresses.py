"""Allowed and refused addresses: all kinds of addresses, names that change their address, redirects to private ones."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import httpx2
import pytest

from app.tools.network.addresses import AddressGuard, AddressRefusedError, Reach, Resolve, reach_of, resolve_name
from app.tools.network.bounds import TooMuchError
from app.tools.network.web_client import MAX_COOKIES, Bounds, open_client
from tests.tools.web import a_site

ANY = Bounds(1_000_000)
PUBLIC = ["1.1.1.1", "8.8.8.8", "2606:4700:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101", "2002:101:101::1"]
PRIVATE = [
    "127.0.0.1", "127.8.8.8", "10.1.2.3", "172.31.0.1", "192.168.0.1", "100.64.0.1", "::1", "fd12::1", "fec0::1",
    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2002:c0a8:101::1",
]  # fmt: skip
NEVER = [
    "0.0.0.0", "0.1.2.3", "169.254.169.254", "169.254.1.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "192.0.2.1",
    "198.18.0.1", "::", "fe80::1", "fe80::1%1", "ff02::1", "::ffff:169.254.169.254", "::ffff:0.0.0.0",
    "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1", "fd00:ec2::254", "100.100.100.200", "168.63.129.16", "192.0.0.192",
    "2001:db8::1", "2001:0:7f00:1::1", "64:ff9b:1::7f00:1", "::7f00:1",
]  # fmt: skip


@pytest.mark.parametrize(
    ("address", "reach"),
    [(a, Reach.PUBLIC) for a in PUBLIC] + [(a, Reach.PRIVATE) for a in PRIVATE] + [(a, Reach.NEVER) for a in NEVER],
)
def test_every_address_leads_where_it_leads(address: str, reach: Reach) -> None:
    assert reach_of(address) is reach


@pytest.mark.parametrize(
    "writing", ["127.0.0.1", "2130706433", "0x7f.1", "127.1", "017700000001", "localhost", "[::1]"]
)
async def test_no_writing_of_this_machine_is_talked_to(writing: str) -> None:
    async with a_site({"/": "secret"}) as site, open_client(AddressGuard(), ANY) as client:
        with pytest.raises((AddressRefusedError, httpx2.ConnectError, httpx2.InvalidURL)) as caught:
            await client.get(f"http://{writing}:{site.port}/")

    assert not site.asked
    if writing in {"127.0.0.1", "localhost"}:
        assert isinstance(caught.value, AddressRefusedError)


async def test_name_that_means_a_public_and_a_private_address_is_refused() -> None:
    guard = AddressGuard(resolve=answering([["1.1.1.1", "127.0.0.1"]]))

    with pytest.raises(AddressRefusedError, match="private network"):
        await guard.find("both.example", 80)


async def test_private_addresses_are_talked_to_when_allowed_and_metadata_never() -> None:
    guard = AddressGuard(allow_private=True)

    assert await guard.find("127.0.0.1", 80) == ["127.0.0.1"]
    with pytest.raises(AddressRefusedError, match="never"):
        await guard.find("169.254.169.254", 80)


async def test_name_that_changes_its_mind_is_not_followed_inside() -> None:
    """The first answer is public and checked. If the name were resolved again to connect, it would be this machine."""
    answers = answering([["192.88.99.255"], ["127.0.0.1"]])

    async with a_site({"/": "secret"}) as site, open_client(AddressGuard(resolve=answers), ANY, timeout=0.2) as client:
        with pytest.raises((httpx2.ConnectError, httpx2.ConnectTimeout, AddressRefusedError)):
            await client.get(f"http://rebinding.example:{site.port}/")

    assert not site.asked


async def test_redirect_to_a_refused_address_is_not_followed() -> None:
    async with a_site({"/": "secret"}) as inner, pinned_site(inner.port) as (client, url):
        with pytest.raises(AddressRefusedError):
            await client.get(f"{url}/away", follow_redirects=True)

    assert not inner.asked


async def test_allowed_site_is_talked_to_under_its_own_name() -> None:
    guard = AddressGuard(allow_private=True, resolve=answering([["127.0.0.1"]]))

    async with a_site({"/": "hello"}) as site, open_client(guard, ANY) as client:
        answer = await client.get(f"http://named.example:{site.port}/")

    assert answer.text == "hello"
    assert site.hosts == [f"named.example:{site.port}"]


async def test_answer_beyond_the_bound_is_cut_off() -> None:
    async with a_site({"/": "x" * 5000}) as site, open_client(AddressGuard(allow_private=True), Bounds(1000)) as client:
        with pytest.raises(TooMuchError):
            await client.get(f"http://127.0.0.1:{site.port}/")


async def test_proxy_of_the_environment_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    async with a_site({"/": "hello"}) as site, a_site({}) as proxy:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{proxy.port}")
        async with open_client(AddressGuard(allow_private=True), ANY) as client:
            answer = await client.get(f"http://127.0.0.1:{site.port}/")

    assert answer.text == "hello"
    assert not proxy.asked


async def test_invalid_name_is_refused_with_the_reason() -> None:
    async with open_client(AddressGuard(), ANY) as client:
        with pytest.raises(httpx2.ConnectError, match="not known"):
            await client.get("http://nowhere.invalid/")


async def test_few_cookies_are_kept_and_those_can_change() -> None:
    many = "".join(f"Set-Cookie: c{number}=first\r\n" for number in range(MAX_COOKIES + 30))
    headers = f"{many}Set-Cookie: c0=last\r\n"

    async with a_site({"/": ""}, headers=headers) as site, open_client(AddressGuard(allow_private=True), ANY) as client:
        await client.get(f"http://127.0.0.1:{site.port}/")

    assert {cookie.name for cookie in client.cookies.jar} == {f"c{number}" for number in range(MAX_COOKIES)}
    assert client.cookies["c0"] == "last"


async def test_the_resolver_of_the_machine_is_asked() -> None:
    assert "127.0.0.1" in await resolve_name("localhost", 80)


def answering(answers: list[list[str]]) -> Resolve:
    """Return a name server that answers differently each time, and repeats its last answer."""
    left = list(answers)

    async def resolve(host: str, port: int) -> list[str]:
        return left.pop(0) if len(left) > 1 else left[0]

    return resolve


@asynccontextmanager
async def pinned_site(inner_port: int) -> AsyncGenerator[tuple[httpx2.AsyncClient, str]]:
    """A site that counts as public and redirects every client to a port of this machine.

    127.0.0.1 counts as private everywhere else in the same client: only this one name may lead there.
    """

    class Passing(AddressGuard):
        async def find(self, host: str, port: int) -> list[str]:
            return ["127.0.0.1"] if host == "public.example" else await super().find(host, port)

    away = {"/away": f"http://127.0.0.1:{inner_port}/"}
    async with a_site({}, redirects=away) as outer, open_client(Passing(), ANY) as client:
        yield client, f"http://public.example:{outer.port}"
