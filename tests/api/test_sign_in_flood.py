"""A flood of attempts to sign in from many addresses: bounded, and not in the way of honest people."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator
from pathlib import Path

import httpx2
import pytest

from app.api.http.sign_in_gate import DEVICE_COOKIE
from app.api.resources.people import forms
from app.runs.people import passwords, sessions
from app.runs.people.hash_line import MAX_STRANGERS, RETRY_SECONDS, HashLine
from app.runs.people.throttle import MAX_PER_ACCOUNT, Throttle
from tests.api.served import Api, serve_api
from tests.api.test_sign_in import PASSWORD, browser, own, sign_in

HASH_SECONDS = 0.1


class Hashes:
    """Counts what is hashed, in the time of a slow machine."""

    def __init__(self) -> None:
        self.count = 0
        self._verify = passwords._verify  # pyright: ignore[reportPrivateUsage] - what it stands for

    def __call__(self, password: str, password_hash: str) -> bool:
        self.count += 1
        time.sleep(HASH_SECONDS)
        return password == PASSWORD and self._verify(password, password_hash)

    async def begin(self) -> int:
        """Wait until a second hash of a flood has begun; how many there were then."""
        enough = self.count + 2
        while self.count < enough:  # noqa: ASYNC110 - a thread counts
            await asyncio.sleep(0.01)
        return self.count


@pytest.fixture
def hashes(monkeypatch: pytest.MonkeyPatch) -> Hashes:
    monkeypatch.setattr(sessions, "_throttle", Throttle())
    monkeypatch.setattr(passwords, "_line", HashLine())
    monkeypatch.setattr(forms, "HOLD_SECONDS", 0.01)
    counted = Hashes()
    monkeypatch.setattr(passwords, "_verify", counted)
    return counted


@pytest.fixture
async def api(tmp_path: Path) -> AsyncGenerator[Api]:
    async with serve_api(tmp_path, INVIEW_ACCOUNTS="on") as served:
        yield served


async def flood(http: httpx2.AsyncClient, attempts: int, first: int = 0) -> Counter[int]:
    """Try so many accounts at once, each from an address of its own."""

    async def attempt(number: int) -> int:
        typed = {"email": f"n{number}@example.org", "password": "a wrong password"}
        origin = {"x-forwarded-for": f"10.0.{number >> 8}.{number & 255}"}
        return (await http.post("/sign-in", data=typed, headers=origin)).status_code

    return Counter(await asyncio.gather(*(attempt(number) for number in range(first, first + attempts))))


async def test_what_more_attempts_there_are_is_refused_and_not_hashed(api: Api, hashes: Hashes) -> None:
    async with browser(api) as http, browser(api) as many:
        await own(api, http)
        answers = await flood(many, 60)

        assert {*answers} == {403, 503}
        assert MAX_STRANGERS < answers[403] == hashes.count <= 2 * MAX_STRANGERS


async def test_a_refusal_says_when_to_come_back_and_locks_no_account(api: Api, hashes: Hashes) -> None:
    async with browser(api) as http, browser(api) as many, browser(api) as other:
        await own(api, http)
        flooding = asyncio.create_task(flood(many, MAX_STRANGERS + 8))
        await hashes.begin()
        for _ in range(MAX_PER_ACCOUNT + 2):
            refused = await sign_in(other, "ann@example.org", PASSWORD)
            if refused.status_code != 503:
                break
            assert refused.headers["retry-after"] == str(RETRY_SECONDS)
            assert "Try again in a few seconds" in refused.text
        await flooding
        assert (await sign_in(other, "ann@example.org", PASSWORD)).status_code == 303


async def test_a_browser_that_was_used_before_goes_first_and_is_not_locked_out(api: Api, hashes: Hashes) -> None:
    async with browser(api) as http, browser(api) as many, browser(api) as stranger:
        await own(api, http)
        for _ in range(MAX_PER_ACCOUNT):
            await sign_in(stranger, "ann@example.org", "a wrong password")
        assert (await sign_in(stranger, "ann@example.org", PASSWORD)).status_code == 429
        await http.post("/sign-out")
        flooding = asyncio.create_task(flood(many, 60))
        began = await hashes.begin()

        assert (await sign_in(http, "ann@example.org", PASSWORD)).status_code == 303

        assert hashes.count - began <= 3
        assert not flooding.done()
        await flooding


async def test_a_new_address_goes_before_those_that_tried_already(api: Api, hashes: Hashes) -> None:
    async with browser(api) as http, browser(api) as many, browser(api) as other:
        await own(api, http)
        await flood(many, 40)
        flooding = asyncio.create_task(flood(many, 40))
        began = await hashes.begin()

        assert (await sign_in(other, "ann@example.org", PASSWORD)).status_code == 303

        assert hashes.count - began <= 3
        await flooding


async def test_a_mark_is_of_one_person_and_one_password_and_opens_nothing(api: Api, hashes: Hashes) -> None:
    async with browser(api) as http, browser(api) as other:
        await own(api, http)
        cookie = next(one for one in http.cookies.jar if one.name == DEVICE_COOKIE)
        assert (cookie.path, cookie.has_nonstandard_attr("HttpOnly")) == ("/sign-in", True)
        assert cookie.value is not None
        other.cookies.set(DEVICE_COOKIE, cookie.value, path="/sign-in")
        assert (await sign_in(other, "ann@example.org", "a wrong password")).status_code == 403
        assert (await other.get("/api/v1/conversations")).status_code == 401
        for _ in range(MAX_PER_ACCOUNT - 1):
            await sign_in(other, "ann@example.org", "a wrong password")
        assert (await sign_in(other, "ann@example.org", PASSWORD)).status_code == 429  # it is counted by itself
        other.cookies.clear()
        assert (await sign_in(other, "ann@example.org", PASSWORD)).status_code == 303

        for forged in (cookie.value[:-1] + ("0" if cookie.value[-1] != "0" else "1"), "x" * 86, "é"):
            found = await _rank_of(api, forged)
            assert found is None, forged


async def _rank_of(api: Api, mark: str) -> str | None:
    from app.runs.people.known_devices import know_device  # noqa: PLC0415 - only here

    return know_device(api.wb, mark, "local", "hash")
