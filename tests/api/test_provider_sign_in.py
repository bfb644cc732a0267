"""Sign in with a provider: the whole flow with one that nobody here wrote, and every lie is refused."""

from __future__ import annotations

import html
import re
from collections.abc import AsyncGenerator, Callable, Generator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import jwt
import pytest
from sqlalchemy import select

from app.api.http.sign_in_gate import COOKIE
from app.domain.people.people import Role
from app.runs.people import sessions
from app.runs.people.throttle import Throttle
from app.runs.people.welcome import invite
from app.runs.send.commands import LOCAL_OWNER
from app.store.audit.rows_audit import AUDIT
from tests.api.providers_of_identity import CLIENT_ID, CLIENT_SECRET, Liar, a_liar, a_real_provider, allow
from tests.api.served import Api, serve_api
from tests.api.test_second_step import post
from tests.api.test_sign_in import PASSWORD, browser, own, sign_in


@pytest.fixture(autouse=True)
def throttle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "_throttle", Throttle())


@pytest.fixture
def liar() -> Generator[Liar]:
    with a_liar() as provider:
        yield provider


def settings(issuer: str, admits: str) -> dict[str, str]:
    return {
        "INVIEW_ACCOUNTS": "on",
        "INVIEW_OIDC_ISSUER": issuer,
        "INVIEW_OIDC_CLIENT_ID": CLIENT_ID,
        "INVIEW_OIDC_CLIENT_SECRET": CLIENT_SECRET,
        "INVIEW_OIDC_NAME": "Example SSO",
        "INVIEW_OIDC_ADMITS": admits,
    }


@pytest.fixture
def admits() -> str:
    return "linked"


@pytest.fixture
async def api(tmp_path: Path, liar: Liar, admits: str) -> AsyncGenerator[Api]:
    async with serve_api(tmp_path, **settings(liar.issuer, admits)) as served:
        yield served


async def go(http: httpx2.AsyncClient, path: str = "/sign-in/provider") -> str:
    answer = await http.get(path)
    assert answer.status_code == 303
    return answer.headers["location"]


async def back(http: httpx2.AsyncClient, brought: dict[str, str]) -> httpx2.Response:
    return await http.get("/sign-in/provider/back", params=brought)


async def enter(http: httpx2.AsyncClient, liar: Liar, path: str = "/sign-in/provider") -> httpx2.Response:
    return await back(http, liar.authorize(await go(http, path)))


async def link(http: httpx2.AsyncClient, liar: Liar) -> httpx2.Response:
    """Link the account of whoever is signed in to the provider's person."""
    await post(http, "prove", password=PASSWORD)
    found = re.search(r'class="button" href="([^"]+)"', (await post(http, "link")).text)
    assert found is not None
    return await back(http, liar.authorize(html.unescape(found[1])))


def said(answer: httpx2.Response) -> str:
    found = re.search(r'<p role="alert">(.*?)</p>', answer.text)
    assert found is not None, answer.text
    return html.unescape(found[1])


async def test_somebody_links_an_account_and_signs_in_with_it(api: Api, liar: Liar) -> None:
    async with browser(api) as ann, browser(api) as other:
        await own(api, ann)
        assert "Continue with Example SSO" in (await other.get("/sign-in")).text
        assert liar.asked == []  # only when somebody goes there
        assert (await link(ann, liar)).headers["location"] == "/security"
        assert "ann@example.org" in (await ann.get("/security")).text

        answer = await enter(other, liar)
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        assert (await other.get("/api/v1/conversations")).status_code == 200

        assert (await post(ann, "unlink", which=f"{liar.issuer} s1")).status_code == 303
        other.cookies.clear()
        answer = await enter(other, liar)
        assert answer.status_code == 403
        assert "no account here is linked" in said(answer)
    assert await entered(api) == [
        ("person.account_linked", LOCAL_OWNER, LOCAL_OWNER),
        ("person.account_unlinked", LOCAL_OWNER, LOCAL_OWNER),
    ]


async def entered(api: Api) -> list[tuple[str, str, str]]:
    """Entries of the audit trail about linked accounts and those who came with one: what, by whom, about whom."""
    await api.wb.trail.enter(api.wb.store)
    async with api.wb.store.read() as session:
        rows = await session.execute(select(AUDIT.c.action, AUDIT.c.person, AUDIT.c.subject).order_by(AUDIT.c.id))
    of_own = ("person.joined", LOCAL_OWNER)  # the owner's account, which `own` makes
    return [
        (row[0], row[1], row[2])
        for row in rows
        if row[0] in {"person.joined", "person.account_linked", "person.account_unlinked"}
        and (row[0], row[2]) != of_own
    ]


async def test_an_equal_address_opens_no_account(api: Api, liar: Liar) -> None:
    async with browser(api) as ann, browser(api) as other:
        await own(api, ann)
        answer = await enter(other, liar)  # it says ann@example.org, confirmed
        assert answer.status_code == 403
        assert COOKIE not in other.cookies


@pytest.mark.parametrize("admits", ["everybody"])
async def test_an_equal_address_opens_no_account_where_everybody_may_come(api: Api, liar: Liar) -> None:
    async with browser(api) as ann, browser(api) as other:
        await own(api, ann)
        answer = await enter(other, liar)
        assert answer.status_code == 403
        assert "exists already" in said(answer)
        liar.person = {"sub": "s2", "email": "cleo@example.org", "email_verified": False}
        assert "not say that your e-mail address is confirmed" in said(await enter(other, liar))
        liar.person = {"sub": "s2", "email": "cleo@example.org", "email_verified": True, "name": "Cleo"}
        assert (await enter(other, liar)).headers["location"] == "/"
        again = await enter(other, liar)
        assert (again.status_code, again.headers["location"]) == (303, "/")


@pytest.mark.parametrize("admits", ["example.com, other.example"])
async def test_people_of_some_domains_become_members(api: Api, liar: Liar) -> None:
    async with browser(api) as ann, browser(api) as other:
        await own(api, ann)
        for email, comes in (
            ("x@sub.example.com", False),
            ("x@example.com.evil.org", False),
            ("x@evilexample.com", False),
            ("cleo@example.com", True),
        ):
            liar.person = {"sub": email, "email": email, "email_verified": True}
            assert ((await enter(other, liar)).status_code == 303) is comes, email
    found = await entered(api)
    assert [what for what, _, _ in found] == ["person.joined", "person.account_linked"]
    assert found[0][2] == found[1][2] != LOCAL_OWNER


async def test_an_invitation_is_taken_with_the_provider_and_works_once(api: Api, liar: Liar) -> None:
    liar.person = {"sub": "s2", "email": "cleo@example.org", "email_verified": True}
    async with browser(api) as ann, browser(api) as cleo, browser(api) as other:
        await own(api, ann)
        path = await invite(api.wb.store, Role.ADMIN)
        found = re.search(r'href="(/sign-in/provider\?key=[^"]+)"', (await cleo.get(path)).text)
        assert found is not None
        assert (await enter(cleo, liar, html.unescape(found[1]))).headers["location"] == "/"
        assert (await cleo.get("/security")).status_code == 200

        liar.person = {"sub": "s3", "email": "dan@example.org", "email_verified": True}
        assert (await enter(other, liar, html.unescape(found[1]))).status_code == 404
        reset = (await invite(api.wb.store, Role.OWNER, LOCAL_OWNER)).replace("/welcome", "/sign-in/provider")
        assert (await enter(other, liar, reset)).status_code == 403  # a reset link makes nobody
        assert COOKIE not in other.cookies


async def test_who_has_no_other_way_in_keeps_the_one_they_have(api: Api, liar: Liar) -> None:
    liar.person = {"sub": "s2", "email": "cleo@example.org", "email_verified": True}
    async with browser(api) as ann, browser(api) as cleo:
        await own(api, ann)
        path = (await invite(api.wb.store, Role.MEMBER)).replace("/welcome", "/sign-in/provider")
        await enter(cleo, liar, path)
        assert "only way" in said(await post(cleo, "unlink", which=f"{liar.issuer} s2"))
        assert (await sign_in(cleo, "cleo@example.org", "")).status_code == 403  # no password is no password
        assert (await enter(cleo, liar)).status_code == 303


def change(**claims: Any) -> Callable[[Liar], None]:
    def lie(liar: Liar) -> None:
        liar.lie = lambda told: told.update(claims)

    return lie


def without(name: str) -> Callable[[Liar], None]:
    def lie(liar: Liar) -> None:
        liar.lie = lambda told: told.pop(name)

    return lie


def signed(make: Callable[[Liar, dict[str, Any]], str]) -> Callable[[Liar], None]:
    def lie(liar: Liar) -> None:
        liar.sign = lambda claims: make(liar, claims)

    return lie


def with_another_key(_liar: Liar, claims: dict[str, Any]) -> str:
    with a_liar() as other:
        return other.sign_truly(claims)


def with_a_shared_secret(_liar: Liar, claims: dict[str, Any]) -> str:
    return jwt.encode(claims, "x" * 32, "HS256", headers={"kid": "k1"})


LIES: dict[str, Callable[[Liar], None]] = {
    "another nonce": change(nonce="another"),
    "no nonce": without("nonce"),
    "another audience": change(aud="another client"),
    "also another audience, made for that one": change(aud=[CLIENT_ID, "other"], azp="other"),
    "expired": change(exp=1_000_000_000),
    "never expires": without("exp"),
    "another issuer": change(iss="https://evil.example"),
    "nobody": without("sub"),
    "an empty subject": change(sub=""),
    "from tomorrow": change(iat=4_000_000_000),
    "alg none": signed(lambda _, claims: jwt.encode(claims, "", "none")),
    "a shared secret": signed(with_a_shared_secret),
    "another key": signed(with_another_key),
    "no token": signed(lambda _liar, _claims: "nonsense"),
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
async def test_a_lying_provider_signs_nobody_in(api: Api, liar: Liar, lie: Callable[[Liar], None]) -> None:
    async with browser(api) as ann, browser(api) as other:
        await own(api, ann)
        await link(ann, liar)
        lie(liar)

        answer = await enter(other, liar)

        assert answer.status_code == 502
        assert "could not be checked" in said(answer)
        assert COOKIE not in other.cookies


async def test_a_new_key_of_the_provider_is_found(api: Api, liar: Liar) -> None:
    async with browser(api) as ann, browser(api) as other:
        await own(api, ann)
        await link(ann, liar)
        liar.change_key()
        assert (await enter(other, liar)).status_code == 303
        read = liar.asked.count("/keys")
        assert (await enter(other, liar)).status_code == 303
        assert liar.asked.count("/keys") == read  # known keys are not read again


async def test_an_answer_is_good_once_and_in_its_own_browser(api: Api, liar: Liar) -> None:
    async with browser(api) as ann, browser(api) as other, browser(api) as third:
        await own(api, ann)
        await link(ann, liar)
        brought = liar.authorize(await go(other))

        assert "another browser" in said(await back(third, brought))  # no cookie of a step
        await go(third)
        assert "another browser" in said(await back(third, brought))  # of another attempt
        cookies = dict(other.cookies)
        assert (await back(other, brought)).status_code == 303
        other.cookies.clear()
        other.cookies.update(cookies)
        assert "done already" in said(await back(other, brought))
        fresh = liar.authorize(await go(other))
        assert "did not sign you in" in said(await back(other, {**fresh, "code": "stolen"}))
        fresh = liar.authorize(await go(other))
        assert "could not be checked" in said(await back(other, {**fresh, "iss": "https://evil.example"}))
        denied = {"error": "access_denied", "state": liar.authorize(await go(other))["state"]}
        assert "did not sign you in" in said(await back(other, denied))
        assert COOKIE not in other.cookies


async def test_linking_asks_for_the_password_and_stays_with_the_person_who_began(api: Api, liar: Liar) -> None:
    async with browser(api) as ann, browser(api) as ben:
        await own(api, ann)
        assert (await post(ann, "link")).status_code == 403
        await link(ann, liar)
        path = await invite(api.wb.store, Role.MEMBER)
        await ben.post(path, data={"name": "ben", "email": "ben@example.org", "password": PASSWORD})
        answer = await link(ben, liar)
        assert "linked to another person" in said(answer)
        assert "Example SSO" in said(answer)


async def test_a_disabled_person_does_not_come_in(api: Api, liar: Liar) -> None:
    from app.store.people.people import set_disabled  # noqa: PLC0415 - only here

    async with browser(api) as ann, browser(api) as other:
        await own(api, ann)
        await link(ann, liar)
        async with api.wb.store.write() as session:
            await set_disabled(session, LOCAL_OWNER, disabled=True)
        assert "disabled" in said(await enter(other, liar))


async def test_a_reset_link_unlinks(api: Api, liar: Liar) -> None:
    async with browser(api) as ann, browser(api) as other:
        await own(api, ann)
        await link(ann, liar)
        await ann.post(await invite(api.wb.store, Role.OWNER, LOCAL_OWNER), data={"password": "another password"})
        assert (await enter(other, liar)).status_code == 403


@pytest.mark.parametrize(
    ("describes", "status"),
    [
        ({}, 503),
        ({"issuer": "https://evil.example"}, 200),
        ({"token_endpoint": "ftp://evil.example"}, 200),
        ({"authorization_endpoint": "javascript:alert(1)"}, 200),
    ],
)
async def test_a_provider_that_is_down_or_describes_itself_wrongly_leaves_the_password(
    api: Api, liar: Liar, describes: dict[str, str], status: int
) -> None:
    async with browser(api) as ann, browser(api) as other:
        await own(api, ann)
        liar.describes, liar.status = describes, status
        answer = await other.get("/sign-in/provider")
        assert answer.status_code == 502
        assert "Example SSO" in said(answer)
        assert (await sign_in(other, "ann@example.org", PASSWORD)).status_code == 303


async def test_where_no_provider_is_set_up_there_is_no_trace_of_one(tmp_path: Path) -> None:
    async with serve_api(tmp_path, INVIEW_ACCOUNTS="on") as api, browser(api) as ann, browser(api) as other:
        await own(api, ann)
        assert "/sign-in/provider" not in (await other.get("/sign-in")).text
        assert (await other.get("/sign-in/provider")).status_code == 403


async def test_the_whole_flow_with_a_provider_that_nobody_here_wrote(tmp_path: Path) -> None:
    with a_real_provider() as issuer:
        allow(issuer, "cleo", email="cleo@example.org", email_verified=True, name="Cleo")
        async with (
            serve_api(tmp_path, **settings(issuer, "example.org")) as api,
            browser(api) as ann,
            browser(api) as cleo,
            httpx2.AsyncClient() as there,
        ):
            await own(api, ann)
            answer = await there.post(await go(cleo), data={"sub": "cleo"})
            assert answer.status_code == 302
            brought = {name: values[0] for name, values in parse_qs(urlsplit(answer.headers["location"]).query).items()}
            assert (await back(cleo, brought)).headers["location"] == "/"
            assert (await cleo.get("/api/v1/conversations")).status_code == 200
            answer = await there.post(await go(cleo), data={"action": "deny"})
            brought = {name: values[0] for name, values in parse_qs(urlsplit(answer.headers["location"]).query).items()}
            assert (await back(cleo, brought)).status_code in {403, 502}
