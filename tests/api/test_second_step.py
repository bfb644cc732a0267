"""A second step of signing in over HTTP: turned on by a code, asked after the password, each code good for once."""

from __future__ import annotations

import re
from base64 import b32decode
from collections.abc import AsyncGenerator
from datetime import timedelta
from pathlib import Path

import httpx2
import pytest
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP

from app.api.http.sign_in_gate import COOKIE
from app.domain.people.people import Role
from app.runs.people import proof, sessions, steps
from app.runs.people.throttle import MAX_PER_ACCOUNT, Throttle
from app.runs.people.time_codes import find_time_step
from app.runs.people.welcome import invite
from app.runs.process.ids import now
from app.runs.send.commands import LOCAL_OWNER
from tests.api.served import Api, serve_api
from tests.api.test_sign_in import PASSWORD, browser, own, sign_in
from tests.databases import dump


@pytest.fixture(autouse=True)
def throttle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "_throttle", Throttle())


@pytest.fixture
async def api(tmp_path: Path) -> AsyncGenerator[Api]:
    async with serve_api(tmp_path, INVIEW_ACCOUNTS="on") as served:
        yield served


class Phone:
    """An authenticator app that somebody typed the secret into. `ahead` is how far its clock is, in seconds."""

    def __init__(self, page: str) -> None:
        shown = re.search(r"<code>([A-Z2-7 ]+)</code>", page)
        assert shown is not None
        self._totp = TOTP(b32decode(shown[1].replace(" ", "")), 6, SHA1(), 30)

    def code(self, ahead: int = 0) -> str:
        return self._totp.generate(int(now().timestamp()) + ahead).decode()


async def post(http: httpx2.AsyncClient, do: str, **fields: str) -> httpx2.Response:
    return await http.post("/security", data={"do": do, **fields})


async def turn_on(http: httpx2.AsyncClient) -> tuple[Phone, list[str]]:
    assert (await post(http, "prove", password=PASSWORD)).status_code == 303
    phone = Phone((await post(http, "begin_code")).text)
    told = await post(http, "finish_code", code=phone.code(-30))  # the next tests have newer ones left
    codes = re.findall(r"<code>([a-z2-7-]{19})</code>", told.text)
    assert len(set(codes)) == 10
    return phone, codes


async def code(http: httpx2.AsyncClient, typed: str) -> httpx2.Response:
    return await http.post("/sign-in/code", data={"code": typed})


@pytest.mark.parametrize(("at", "typed"), [(59, "287082"), (1_111_111_109, "081804"), (20_000_000_000, "353130")])
def test_codes_are_those_of_the_rfc(at: int, typed: str) -> None:
    secret = b"12345678901234567890"  # RFC 6238, appendix B
    assert find_time_step(secret, typed, at=at, after=0) == at // 30
    assert find_time_step(secret, f" {typed[:3]} {typed[3:]} ", at=at + 30, after=0) == at // 30
    assert find_time_step(secret, typed, at=at + 60, after=0) is None
    assert find_time_step(secret, typed, at=at, after=at // 30) is None


async def test_after_the_password_a_code_is_asked_and_each_opens_once(api: Api) -> None:
    async with browser(api) as ann, browser(api) as other:
        await own(api, ann)
        phone, _ = await turn_on(ann)
        assert (await ann.get("/api/v1/conversations")).status_code == 200  # sessions stay

        for typed in (phone.code(), phone.code()):
            answer = await sign_in(other, "ann@example.org", PASSWORD)
            assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in/code")
            assert COOKIE not in other.cookies
            assert (await other.get("/api/v1/conversations")).status_code == 401
            assert (await code(other, "000000")).status_code == 403
            answer = await code(other, typed)
            if COOKIE in other.cookies:
                assert (await other.get("/api/v1/conversations")).status_code == 200
                await other.post("/sign-out")
                continue
            assert answer.status_code == 403  # the second time it was used already
            assert "used already" in answer.text
        assert COOKIE not in other.cookies


async def test_a_recovery_code_opens_once_however_it_is_typed(api: Api) -> None:
    async with browser(api) as ann, browser(api) as other:
        await own(api, ann)
        _, codes = await turn_on(ann)

        await sign_in(other, "ann@example.org", PASSWORD)
        assert (await code(other, codes[3].upper().replace("-", " "))).status_code == 303
        assert COOKIE in other.cookies
        other.cookies.clear()
        await sign_in(other, "ann@example.org", PASSWORD)
        assert (await code(other, codes[3])).status_code == 403
        assert "codes left: 9." in (await ann.get("/security")).text

        renewed = re.findall(r"<code>([a-z2-7-]{19})</code>", (await post(ann, "renew_codes")).text)
        assert (await code(other, codes[4])).status_code == 403
        assert (await code(other, renewed[4])).status_code == 303


async def test_codes_cannot_be_guessed_without_end(api: Api) -> None:
    async with browser(api) as ann, browser(api) as other:
        await own(api, ann)
        _, codes = await turn_on(ann)
        await sign_in(other, "ann@example.org", PASSWORD)

        answers = [(await code(other, f"{guess:06}")).status_code for guess in range(MAX_PER_ACCOUNT + 1)]

        assert answers == [403] * MAX_PER_ACCOUNT + [429]
        assert (await code(other, codes[0])).status_code == 429


async def test_the_second_step_waits_ten_minutes_and_for_this_browser_alone(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with browser(api) as ann, browser(api) as other, browser(api) as third:
        await own(api, ann)
        _, codes = await turn_on(ann)
        await sign_in(other, "ann@example.org", PASSWORD)

        assert (await third.get("/sign-in/code")).headers["location"] == "/sign-in"
        assert "too long" in (await code(third, codes[0])).text
        monkeypatch.setattr(steps, "now", lambda: now() + timedelta(minutes=11))
        late = await code(other, codes[0])
        assert "too long" in late.text
        assert COOKIE not in other.cookies


async def test_nothing_is_changed_without_the_password(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    async with browser(api) as ann, browser(api) as stranger:
        await own(api, ann)
        assert (await stranger.get("/security")).headers["location"] == "/sign-in"
        for do in ("begin_code", "finish_code", "renew_codes", "stop_code"):
            answer = await post(ann, do)
            assert answer.status_code == 403
            assert 'type="password"' in answer.text
        assert (await post(ann, "prove", password="wrong password")).status_code == 403
        await turn_on(ann)

        monkeypatch.setattr(proof, "now", lambda: now() + timedelta(minutes=11))
        assert (await post(ann, "stop_code")).status_code == 403
        monkeypatch.undo()
        assert (await post(ann, "stop_code")).status_code == 303
        async with browser(api) as other:
            assert (await sign_in(other, "ann@example.org", PASSWORD)).headers["location"] == "/"


async def test_a_wrong_first_code_turns_nothing_on(api: Api) -> None:
    async with browser(api) as ann, browser(api) as other:
        await own(api, ann)
        await post(ann, "prove", password=PASSWORD)
        phone = Phone((await post(ann, "begin_code")).text)
        again = await post(ann, "finish_code", code="000000")
        assert again.status_code == 422
        assert Phone(again.text).code() == phone.code()  # the same secret is shown
        assert (await sign_in(other, "ann@example.org", PASSWORD)).headers["location"] == "/"


async def test_a_reset_link_turns_it_off(api: Api) -> None:
    async with browser(api) as ann, browser(api) as other:
        await own(api, ann)
        await turn_on(ann)
        path = await invite(api.wb.store, Role.OWNER, LOCAL_OWNER)
        assert (await other.post(path, data={"password": "another password"})).status_code == 303
        other.cookies.clear()
        assert (await sign_in(other, "ann@example.org", "another password")).headers["location"] == "/"


async def test_the_secret_and_the_codes_are_stored_so_that_the_database_alone_tells_none(
    api: Api, tmp_path: Path
) -> None:
    async with browser(api) as ann:
        await own(api, ann)
        await post(ann, "prove", password=PASSWORD)
        page = (await post(ann, "begin_code")).text
        shown = re.search(r"<code>([A-Z2-7 ]+)</code>", page)
        assert shown is not None
        told = await post(ann, "finish_code", code=Phone(page).code())
        codes = re.findall(r"<code>([a-z2-7-]{19})</code>", told.text)
    secret = shown[1].replace(" ", "")
    stored = dump(tmp_path).lower()
    for text in (secret, codes[0], codes[0].replace("-", "")):
        assert text.lower() not in stored
    assert b32decode(secret).hex() not in stored
    assert "sealed" in stored or "second_step" in stored
