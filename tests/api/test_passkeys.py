"""Passkeys over HTTP: added, named, used and removed; and whatever is forged, replayed or another's opens nothing."""

from __future__ import annotations

import html
import json
import re
from collections.abc import AsyncGenerator, Callable
from datetime import timedelta
from pathlib import Path

import httpx2
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from fido2.utils import websafe_encode
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from app.api.http.sign_in_gate import COOKIE
from app.domain.people.passkeys import MAX_PASSKEYS, Passkey, RelyingParty
from app.domain.people.people import Person, Role
from app.runs.people import sessions, steps
from app.runs.people.throttle import MAX_PER_ACCOUNT, Throttle
from app.runs.people.web_authentication import (
    UnprovedError,
    build_request,
    check_assertion,
    read_assertion,
    read_creation,
)
from app.runs.people.welcome import invite
from app.runs.process.ids import now
from app.runs.send.commands import LOCAL_OWNER
from app.store.audit.rows_audit import AUDIT
from app.store.people.passkeys import load_passkeys
from app.store.people.people import set_disabled
from tests.api.authenticators import PRESENT, Authenticator, options_in
from tests.api.served import Api, serve_api
from tests.api.test_second_step import post, turn_on
from tests.api.test_sign_in import PASSWORD, browser, join, own, sign_in

PLACE = RelyingParty("chat.example.org", "https://chat.example.org")


@pytest.fixture(autouse=True)
def throttle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "_throttle", Throttle())


@pytest.fixture
async def api(tmp_path: Path) -> AsyncGenerator[Api]:
    async with serve_api(tmp_path, INVIEW_ACCOUNTS="on") as served:
        yield served


def at_home(api: Api) -> str:
    """Where a browser of this machine uses passkeys."""
    return f"http://localhost:{api.wb.settings.port}"


async def add(api: Api, http: httpx2.AsyncClient, name: str = "Phone") -> Authenticator:
    await post(http, "prove", password=PASSWORD)
    device = Authenticator(at_home(api))
    asked = options_in((await post(http, "begin_passkey")).text)
    assert (await post(http, "finish_passkey", name=name, answer=device.make(asked))).status_code == 303
    return device


async def ask(http: httpx2.AsyncClient) -> dict[str, object]:
    return options_in((await http.get("/sign-in/passkey")).text)


async def bring(http: httpx2.AsyncClient, answer: str) -> httpx2.Response:
    return await http.post("/sign-in/passkey", data={"answer": answer})


async def enter(http: httpx2.AsyncClient, device: Authenticator) -> httpx2.Response:
    return await bring(http, device.sign(await ask(http)))


def said(answer: httpx2.Response) -> str:
    found = re.search(r'<p role="alert">(.*?)</p>', answer.text)
    assert found is not None, answer.text
    return html.unescape(found[1])


async def entered(api: Api) -> list[tuple[str, str, str, str]]:
    """Entries about passkeys: what, by whom, about whom, why."""
    await api.wb.trail.enter(api.wb.store)
    async with api.wb.store.read() as session:
        rows = await session.execute(
            select(AUDIT.c.action, AUDIT.c.person, AUDIT.c.subject, AUDIT.c.data).order_by(AUDIT.c.id)
        )
    return [(row[0], row[1], row[2], json.dumps(row[3])) for row in rows if "passkey" in row[0]]


async def test_somebody_adds_a_passkey_and_signs_in_without_password_or_code(api: Api) -> None:
    async with browser(api) as ann, browser(api) as other:
        await own(api, ann)
        await turn_on(ann)
        assert "Sign in with a passkey" in (await other.get("/sign-in")).text
        device = await add(api, ann, "Ann's phone")
        page = (await ann.get("/security")).text
        assert "Ann&#x27;s phone" in page
        assert "not used yet" in page

        answer = await enter(other, device)

        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        assert (await other.get("/api/v1/conversations")).status_code == 200
        assert "last used" in (await ann.get("/security")).text
        async with api.wb.store.read() as session:
            (kept,) = await load_passkeys(session, LOCAL_OWNER)
        assert kept.transports == ("hybrid", "internal")
        actions = [(action, by, whom) for action, by, whom, _ in await entered(api)]
        assert actions == [
            ("person.passkey_added", LOCAL_OWNER, LOCAL_OWNER),
            ("session.passkey_used", LOCAL_OWNER, LOCAL_OWNER),
        ]


async def test_a_passkey_is_renamed_and_removed_by_its_person_alone(api: Api) -> None:
    async with browser(api) as ann, browser(api) as ben, browser(api) as other:
        await own(api, ann)
        await join(api, ben)
        device = await add(api, ann)
        async with api.wb.store.read() as session:
            (kept,) = await load_passkeys(session, LOCAL_OWNER)
        await post(ben, "prove", password=PASSWORD)
        for do in ("rename_passkey", "remove_passkey"):
            await post(ben, do, which=kept.id, name="Ben's now")
        assert (await enter(other, device)).status_code == 303
        other.cookies.clear()

        assert (await post(ann, "rename_passkey", which=kept.id, name=" Old   phone ")).status_code == 303
        assert 'value="Old phone"' in (await ann.get("/security")).text
        assert (await post(ann, "rename_passkey", which=kept.id, name="")).status_code == 422
        assert (await post(ann, "remove_passkey", which=kept.id)).status_code == 303

        assert "Old phone" not in (await ann.get("/security")).text
        assert "opens no account" in said(await enter(other, device))
        assert COOKIE not in other.cookies
    assert [(action, whom) for action, _, whom, _ in await entered(api)][-2:] == [
        ("person.passkey_removed", LOCAL_OWNER),
        ("session.passkey_refused", ""),
    ]


async def test_passkeys_are_changed_only_after_the_password(api: Api) -> None:
    async with browser(api) as ann, browser(api) as stranger:
        await own(api, ann)
        for do in ("begin_passkey", "finish_passkey", "rename_passkey", "remove_passkey"):
            answer = await post(ann, do)
            assert answer.status_code == 403
            assert 'type="password"' in answer.text
        assert (await stranger.get("/security")).headers["location"] == "/sign-in"


def a_stolen_key(device: Authenticator, asked: dict[str, object]) -> str:
    return device.sign(asked, key=ec.generate_private_key(ec.SECP256R1()))


def unverified(device: Authenticator, asked: dict[str, object]) -> str:
    device.flags = PRESENT
    return device.sign(asked)


FORGED: dict[str, Callable[[Authenticator, dict[str, object]], str]] = {
    "another challenge": lambda device, asked: device.sign(asked, challenge=websafe_encode(b"x" * 32)),
    "another origin": lambda device, asked: device.sign(asked, origin="https://evil.example"),
    "the origin with another port": lambda device, asked: device.sign(asked, origin=f"{device.origin}1"),
    "another place": lambda device, asked: device.sign(asked, place="evil.example"),
    "another question": lambda device, asked: device.sign(asked, type="webauthn.create"),
    "another key": a_stolen_key,
    "another person": lambda device, asked: device.sign(asked, user=websafe_encode(b"somebody")),
    "nobody verified": unverified,
}


@pytest.mark.parametrize("forge", FORGED.values(), ids=FORGED)
async def test_a_forged_answer_signs_nobody_in(
    api: Api, forge: Callable[[Authenticator, dict[str, object]], str]
) -> None:
    async with browser(api) as ann, browser(api) as other:
        await own(api, ann)
        device = await add(api, ann)

        answer = await bring(other, forge(device, await ask(other)))

        assert answer.status_code == 403
        assert "could not be checked" in said(answer)
        assert COOKIE not in other.cookies
        assert ("session.passkey_refused", "", LOCAL_OWNER, '{"why": "unproved"}') in await entered(api)


@pytest.mark.parametrize("lie", [{"challenge": websafe_encode(b"x" * 32)}, {"origin": "https://evil.example"},
                                 {"place": "evil.example"}, {"type": "webauthn.get"}])  # fmt: skip
async def test_a_forged_passkey_is_not_added(api: Api, lie: dict[str, str]) -> None:
    async with browser(api) as ann:
        await own(api, ann)
        await post(ann, "prove", password=PASSWORD)
        asked = options_in((await post(ann, "begin_passkey")).text)
        answer = await post(ann, "finish_passkey", name="x", answer=Authenticator(at_home(api)).make(asked, **lie))
        assert answer.status_code == 409
        assert "no passkey was added" in said(answer)
        async with api.wb.store.read() as session:
            assert await load_passkeys(session, LOCAL_OWNER) == ()


async def test_an_answer_is_good_once_in_its_own_browser_and_for_ten_minutes(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with browser(api) as ann, browser(api) as other, browser(api) as third:
        await own(api, ann)
        device = await add(api, ann)
        answer = device.sign(await ask(other))
        assert "another browser" in said(await bring(third, answer))  # no cookie of a step
        await ask(third)
        assert "could not be checked" in said(await bring(third, answer))  # of another challenge
        cookies = dict(other.cookies)
        assert (await bring(other, answer)).status_code == 303
        other.cookies.clear()
        other.cookies.update(cookies)
        assert "done already" in said(await bring(other, answer))
        assert COOKIE not in other.cookies

        answer = device.sign(await ask(other))
        monkeypatch.setattr(steps, "now", lambda: now() + timedelta(minutes=11))
        assert "took too long" in said(await bring(other, answer))


async def test_what_was_asked_of_one_person_adds_no_passkey_to_another(api: Api) -> None:
    async with browser(api) as ann, browser(api) as ben:
        await own(api, ann)
        await join(api, ben)
        for http in (ann, ben):
            await post(http, "prove", password=PASSWORD)
        asked = options_in((await post(ann, "begin_passkey")).text)
        device = Authenticator(at_home(api))
        ben.cookies.set("inview_step", ann.cookies["inview_step"])
        assert (await post(ben, "finish_passkey", name="x", answer=device.make(asked))).status_code == 409
        async with api.wb.store.read() as session:
            assert [await load_passkeys(session, one) for one in (LOCAL_OWNER,)] == [()]

        device = await add(api, ann)
        asked = options_in((await post(ben, "begin_passkey")).text)
        answer = await post(ben, "finish_passkey", name="x", answer=device.make(asked))
        assert "belongs to an account here already" in said(answer)


async def test_a_count_of_signatures_that_went_back_is_refused(api: Api) -> None:
    async with browser(api) as ann, browser(api) as other:
        await own(api, ann)
        device = await add(api, ann)
        device.count = 5
        assert (await enter(other, device)).status_code == 303  # 6
        other.cookies.clear()
        for count in (5, 4, -1):  # 6 again, 5, and none at all
            device.count = max(count, 0)
            answer = await enter(other, device)
            assert answer.status_code == 403
            assert "copy" in said(answer)
            assert COOKIE not in other.cookies
        assert ("session.passkey_refused", "", LOCAL_OWNER, '{"why": "copied"}') in await entered(api)
        device.count = 6
        assert (await enter(other, device)).status_code == 303


async def test_attempts_are_throttled_and_wrong_passwords_do_not_count(api: Api) -> None:
    async with browser(api) as ann, browser(api) as other:
        await own(api, ann)
        device = await add(api, ann)
        wrong = [await sign_in(other, "ann@example.org", "wrong password") for _ in range(MAX_PER_ACCOUNT + 1)]
        assert wrong[-1].status_code == 429
        assert (await enter(other, device)).status_code == 303
        other.cookies.clear()

        answers = [
            (await bring(other, device.sign(await ask(other), place="evil.example"))).status_code
            for _ in range(MAX_PER_ACCOUNT + 1)
        ]

        assert answers == [403] * MAX_PER_ACCOUNT + [429]
        assert (await enter(other, device)).status_code == 429


async def test_a_disabled_person_does_not_come_in(api: Api) -> None:
    async with browser(api) as ann, browser(api) as other:
        await own(api, ann)
        device = await add(api, ann)
        async with api.wb.store.write() as session:
            await set_disabled(session, LOCAL_OWNER, disabled=True)
        assert "disabled" in said(await enter(other, device))
        assert COOKIE not in other.cookies


async def test_a_reset_link_removes_passkeys(api: Api) -> None:
    async with browser(api) as ann, browser(api) as other:
        await own(api, ann)
        device = await add(api, ann)
        await ann.post(await invite(api.wb.store, Role.OWNER, LOCAL_OWNER), data={"password": "another password"})
        assert "opens no account" in said(await enter(other, device))


async def test_a_person_has_a_bounded_number_of_passkeys(api: Api) -> None:
    async with browser(api) as ann:
        await own(api, ann)
        for number in range(MAX_PASSKEYS):
            await add(api, ann, f"key {number}")
        assert "Remove one first" in said(await post(ann, "begin_passkey"))


async def test_only_the_pages_that_ask_for_passkeys_run_a_script_and_that_one_alone(api: Api) -> None:
    async with browser(api) as ann, browser(api) as other:
        await own(api, ann)
        await post(ann, "prove", password=PASSWORD)
        asking = [await other.get("/sign-in/passkey"), await post(ann, "begin_passkey")]
        for page in (*asking, await other.get("/sign-in"), await ann.get("/security")):
            rules = page.headers["content-security-policy"].split("; ")
            assert "default-src 'none'" in rules
            scripts = [rule for rule in rules if rule.startswith("script-src")]
            assert scripts == ([f"script-src {at_home(api)}/sign-in/passkeys.js"] if page in asking else [])
        script = await other.get("/sign-in/passkeys.js")
        assert (script.status_code, script.headers["content-type"]) == (200, "text/javascript; charset=utf-8")


@pytest.mark.parametrize("address", ["http://chat.example.org", "http://127.0.0.1:3000"])
async def test_where_browsers_use_no_passkeys_none_are_offered_and_a_sentence_says_why(
    tmp_path: Path, address: str
) -> None:
    async with (
        serve_api(tmp_path, INVIEW_ACCOUNTS="on", INVIEW_PUBLIC_URL=address) as api,
        browser(api) as ann,
        browser(api) as other,
    ):
        await own(api, ann)
        await post(ann, "prove", password=PASSWORD)
        page = (await ann.get("/security")).text
        assert "over plain HTTP" in page
        assert "begin_passkey" not in page
        for do in ("begin_passkey", "finish_passkey"):
            assert (await post(ann, do)).status_code == 409
        assert "/sign-in/passkey" not in (await other.get("/sign-in")).text
        assert (await other.get("/sign-in/passkey")).headers["location"] == "/sign-in"


PERSON = Person("p1", "Ann", "ann@example.org", Role.MEMBER, disabled=False, created_at=now())
CHALLENGE = websafe_encode(b"c" * 32)
DEVICE = Authenticator(PLACE.origin)
MADE = DEVICE.make({"rp": {"id": PLACE.id}, "user": {"id": websafe_encode(b"p1")}, "challenge": CHALLENGE})
SIGNED = DEVICE.sign(dict(build_request(PLACE, CHALLENGE)))
KEY = read_creation(MADE, PLACE, CHALLENGE)
PASSKEY = Passkey("k1", "p1", "x", KEY.credential_id, KEY.public_key, 0, (), now(), None)


def test_a_true_answer_proves_it() -> None:
    assert check_assertion(read_assertion(SIGNED), PLACE, CHALLENGE, PASSKEY) == 0


def _check(answer: str) -> None:
    check_assertion(read_assertion(answer), PLACE, CHALLENGE, PASSKEY)


def _create(answer: str) -> None:
    read_creation(answer, PLACE, CHALLENGE)


CHECKS: list[tuple[str, Callable[[str], None]]] = [(SIGNED, _check), (MADE, _create)]
WRONG: list[object] = [
    None,
    7,
    [],
    {},
    "",
    "\ud800",
    "gQ" * 6_000,
]  # the last one is an array in an array in an array …


@given(st.data())
def test_no_part_of_an_answer_can_be_changed(data: st.DataObject) -> None:
    answer, check = data.draw(st.sampled_from(CHECKS))
    whole = json.loads(answer)
    name = data.draw(st.sampled_from(sorted(whole["response"].keys() - {"transports"})))
    text: str = whole["response"][name]
    at = data.draw(st.integers(0, len(text) - 2))
    other = "A" if text[at] != "A" else "B"
    signed = [f"{text[:at]}_{text[at:]}", f"{text[:at]}{other}{text[at + 1 :]}"] if answer is SIGNED else []
    whole["response"][name] = data.draw(st.sampled_from([text[:at], *signed, *WRONG]))

    with pytest.raises(UnprovedError):
        check(json.dumps(whole))


@given(st.one_of(st.text(), st.binary().map(repr), st.recursive(st.none() | st.text(), st.lists).map(json.dumps)))
def test_what_is_no_answer_is_refused(text: str) -> None:
    for _, check in CHECKS:
        with pytest.raises(UnprovedError):
            check(text)
        with pytest.raises(UnprovedError):
            check(" " * 30_000)
