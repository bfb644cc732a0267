"""Every handler that a browser may call, by people who may not do it and with arguments that no page sends.

Ann owns the installation and has one of everything. Ben is a member: he opens her conversation and calls each handler
with her ids, twice, so that what a first call prepares is there at the second. Then Ann's browser sends what no page
does.
Handlers and their arguments are read from the guard: a new handler is tried without being written down here.
The same for the routes of the API: tests/api/test_isolation.py.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import json
import re
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, Final, Literal, Union, cast, get_args, get_origin, get_type_hints

import httpx2
import pytest
from reflex.istate.manager.memory import StateManagerMemory
from reflex.state import State
from reflex_base.event import Event
from reflex_base.event.processor import BaseStateEventProcessor
from reflex_base.registry import RegistrationContext
from structlog.testing import capture_logs

import app.app as wiring
from app.api.http.sign_in_gate import COOKIE
from app.domain.people.people import Role, SignedIn
from app.runs.people.sessions import SESSION_HEADER, find_session, revoke
from app.runs.people.welcome import first_link, invite
from app.runs.workbench import Workbench
from app.state.chat import ChatState
from app.state.guard import FORM, HANDLERS, KEPT
from app.state.sidebar import SidebarState
from tests.api.belongings import SECRET, everything_but, make_belongings
from tests.api.served import Api, serve_api

PASSWORD: Final = "correct horse battery"
ANNS_ADDRESS: Final = "ann@example.org"
LONGEST: Final = 20.0
PATIENCE: Final = 0.05
"""Seconds for a handler that goes on in the background: whoever follows something does so until the page is closed."""
IDENTIFIER: Final = re.compile(r"[a-z][a-z0-9_]{1,30}")

OF_ALL: Final = {"person", "role_budget", "role_models"}
"""Tables of the installation: a member adds nothing to them either."""

Payload = dict[str, Any]


@dataclass(frozen=True)
class Two:
    """Ann's things by the names of arguments, and who signed in."""

    wb: Workbench
    ids: dict[str, str]
    ann: SignedIn
    ben: SignedIn


@pytest.fixture
async def api(tmp_path: Path) -> AsyncGenerator[Api]:
    async with serve_api(
        tmp_path, INVIEW_ACCOUNTS="on", INVIEW_STDIO_SERVERS="off", INVIEW_RATE_LIMITS="off"
    ) as served:
        yield served


@pytest.fixture
def wb(api: Api) -> Workbench:
    return api.wb


@pytest.fixture
async def two(api: Api) -> Two:
    base = f"http://{api.host}"
    async with httpx2.AsyncClient(base_url=base) as ann, httpx2.AsyncClient(base_url=base) as ben:
        path = await first_link(api.wb)
        assert path is not None
        await _let_in(ann, path, "ann")
        await _let_in(ben, await invite(api.wb.store, Role.MEMBER), "ben")
        ids = await make_belongings(ann)
        signed_in = [await find_session(api.wb, one.cookies[COOKIE]) for one in (ann, ben)]
    assert signed_in[0] is not None
    assert signed_in[1] is not None
    return Two(api.wb, {**ids, "person_id": signed_in[0].person.id}, signed_in[0], signed_in[1])


async def _let_in(http: httpx2.AsyncClient, path: str, name: str) -> None:
    typed = {"name": name, "email": f"{name}@example.org", "password": PASSWORD}
    assert (await http.post(path, data=typed)).status_code == 303


@dataclass
class Screens:
    """What Reflex sends to browsers, in place of its socket: all that was ever shown."""

    shown: list[str] = field(default_factory=list[str])

    async def emit_update(self, update: object, token: str) -> None:
        """Take an update of one page."""
        _ = token
        self.shown.append(repr(update))


@dataclass
class Browser:
    """Sends events of one person's page and waits for each handler, but not for what it chains."""

    processor: BaseStateEventProcessor
    screens: Screens
    session_id: str
    path: str = "/"
    socket: str = "first"

    async def call(self, name: str, payload: Payload, *, ends: bool = False) -> None:
        """Send an event. Its fault is in the log, as in the application. `ends`: nothing goes on in the background."""
        headers = {"origin": "http://127.0.0.1:3000", SESSION_HEADER: self.session_id}
        router = {
            "pathname": self.path,
            "asPath": self.path,
            "headers": headers,
            "token": self.socket,
            "sid": self.socket,
        }
        sent = await self.processor.enqueue(self.socket, Event(name=name, payload=payload, router_data=router))
        ends = ends or not _goes_on(name)
        await asyncio.wait([sent], timeout=LONGEST if ends else PATIENCE)
        assert sent.done() or not ends, (name, payload)
        if sent.done() and not sent.cancelled():
            sent.exception()


@pytest.fixture
def screens() -> Screens:
    return Screens()


@pytest.fixture
async def events(
    wb: Workbench, screens: Screens, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[BaseStateEventProcessor]:
    _ = wb
    monkeypatch.setattr(wiring.app, "_load_events", {})
    made = BaseStateEventProcessor(
        middleware=wiring.app, backend_exception_handler=wiring.app.backend_exception_handler
    ).configure(state_manager=StateManagerMemory(), event_namespace=cast("Any", screens))
    async with made:
        yield made


@pytest.mark.parametrize("place", ["conversation", "start"])
async def test_no_handler_shows_or_changes_what_is_of_another_person(
    two: Two, events: BaseStateEventProcessor, screens: Screens, place: str
) -> None:
    path = f"/c/{two.ids['conversation_id']}" if place == "conversation" else "/"
    before = await everything_but(two.wb, two.ben.person.id)
    leaks: list[str] = []

    with capture_logs() as logged:
        for index, value in enumerate(two.ids.values()):
            page = Browser(events, screens, two.ben.session_id, path, f"socket-{index}")
            for name in [*HANDLERS] * (1 if index else 2):
                if not index or _takes_any_text(name):
                    await page.call(name, fitting(name, {**two.ids, "": value}))
                    leaks += [f"{name}: {one}" for one in screens.shown if SECRET in one or ANNS_ADDRESS in one]
                    screens.shown.clear()

    assert leaks == []
    assert faults(logged) == []
    after = await everything_but(two.wb, two.ben.person.id)
    assert {name: rows - after[name] for name, rows in before.items() if not rows <= after[name]} == {}
    assert {name: after[name] - before[name] for name in OF_ALL if after[name] != before[name]} == {}


async def test_their_owner_sees_and_changes_them(two: Two, events: BaseStateEventProcessor, screens: Screens) -> None:
    """What the test above tries would be seen by it."""
    page = Browser(events, screens, two.ann.session_id, f"/c/{two.ids['conversation_id']}")
    before = await everything_but(two.wb, two.ben.person.id)

    await page.call(_name_of(SidebarState, "load"), {})
    await page.call(_name_of(ChatState, "rename"), {"title": "Mine"})

    assert any(SECRET in one for one in screens.shown)
    assert not before["conversation"] <= (await everything_but(two.wb, two.ben.person.id))["conversation"]


@pytest.mark.parametrize("credential", ["none", "forged", "revoked"])
async def test_no_handler_runs_without_a_valid_session(
    two: Two, events: BaseStateEventProcessor, screens: Screens, credential: str
) -> None:
    if credential == "revoked":
        await revoke(two.wb, two.ann.session_id)
    session_id = {"none": "", "forged": "x" * 26, "revoked": two.ann.session_id}[credential]
    page = Browser(events, screens, session_id, f"/c/{two.ids['conversation_id']}")
    before = await everything_but(two.wb, "")

    with capture_logs() as logged:
        for name in HANDLERS:
            await page.call(name, fitting(name, {**two.ids, "": two.ids["conversation_id"]}), ends=True)

    assert screens.shown == []
    assert {line["event_name"] for line in logged if "without a valid session" in line["event"]} == {*HANDLERS}
    assert await everything_but(two.wb, "") == before


async def test_arguments_of_wrong_types_reach_no_handler(
    two: Two, events: BaseStateEventProcessor, screens: Screens
) -> None:
    page = Browser(events, screens, two.ann.session_id, f"/c/{two.ids['conversation_id']}")
    before = await everything_but(two.wb, "")
    missed: list[str] = []

    for name in HANDLERS:
        payload = fitting(name, {**two.ids, "": two.ids["conversation_id"]})
        for argument, hint in hints_of(name).items():
            for value in _wrong_values(hint):
                with capture_logs() as logged:
                    await page.call(name, {**payload, argument: value}, ends=True)
                refused = [line["argument"] for line in logged if "an argument that no page sends" in line["event"]]
                halved = [str(line.get("field")) for line in logged if "half a character" in line["event"]]
                if refused + halved != [argument] or faults(logged):
                    missed.append(f"{name} {argument}={value!r:.60}: {logged}")

    assert not missed, "\n".join(missed)
    assert await everything_but(two.wb, "") == before


async def test_values_that_no_form_has_are_no_fault_of_any_handler(
    two: Two, events: BaseStateEventProcessor, screens: Screens
) -> None:
    """Texts, numbers and fields of the right types, which no page sends all the same."""
    found: list[str] = []
    for place, turn in enumerate(ODD_FIELDS):
        page = Browser(events, screens, two.ann.session_id, f"/c/{two.ids['conversation_id']}", f"socket-{place}")
        for name in HANDLERS:
            if hints_of(name):
                payload = {
                    argument: _odd_value(name, argument, hint, place) for argument, hint in hints_of(name).items()
                }
                with capture_logs() as logged:
                    await page.call(name, payload)
                found += [f"{name} {turn!r:.40}: {one}" for one in faults(logged)]

    assert not found, "\n".join(found)


ODD_TEXTS: Final = ("", "\x00", "x" * 70_000, "../../etc/passwd", "-1", '{"a": [1]}', "\u202e%s{0}")
ODD_NUMBERS: Final = (0, -1, 2**63 - 1, -(2**63) + 1, 7, 2**31, -(2**31))
ODD_FIELDS: Final[tuple[Any, ...]] = (None, 7, ["x"], {"a": {"b": []}}, 1.5, True, "x" * 70_000)


def _odd_value(name: str, argument: str, hint: Any, place: int) -> Any:
    if hint is bool:
        return False
    if hint is int:
        return ODD_NUMBERS[place]
    match get_origin(hint):
        case None:
            return ODD_FIELDS[place] if hint is object else ODD_TEXTS[place]
        case origin if origin is list:
            return [_odd_value(name, argument, get_args(hint)[0], place)] * 3
        case origin if origin is dict and argument == FORM and get_args(hint)[1] is Any:
            return dict.fromkeys(_fields_near(HANDLERS[name]), ODD_FIELDS[place]) if place else {}
        case origin if origin is dict:
            return {} if argument == KEPT else {"x": ODD_TEXTS[place]}
        case origin if origin is Literal:
            return get_args(hint)[-1]
        case _:
            return _odd_value(name, argument, get_args(hint)[0], place)


def _wrong_values(hint: Any) -> Iterator[Any]:
    """Values that do not fit an annotation, and what no database holds or UTF-8 writes."""
    arguments, origin = get_args(hint), get_origin(hint)
    if hint is not object:
        several = (
            {type(None), *arguments} if origin in {Union, UnionType} and type(None) in arguments else {origin or hint}
        )
        yield from (value for kind, value in WRONG if not several & {kind, Literal if kind is str else kind})
    yield from (2**70, [2**70], {"a": -(2**64)}, "\ud83d", {"\udfff": "x"}, json.loads("[" * 40 + "]" * 40))


WRONG: Final = (
    (type(None), None),
    (int, 7),
    (bool, True),
    (list, [["x"]]),
    (dict, {"a": {"b": 1}}),
    (str, "x"),
    (float, 1.5),
)


def faults(logged: list[Any]) -> list[str]:
    """What is in the log that no person can do anything about, but for what a browser reported of itself."""
    bad = [line for line in logged if line["log_level"] in {"error", "critical"}]
    return [f"{line['event']} {line.get('exc_info')!r}" for line in bad if "a script of the page" not in line["event"]]


def _name_of(state: type[State], handler: str) -> str:
    return f"{state.get_full_name()}.{handler}"


def _goes_on(name: str) -> bool:
    return RegistrationContext.get().event_handlers[name].handler.is_background


def hints_of(name: str) -> dict[str, Any]:
    return {name: hint for name, hint in get_type_hints(HANDLERS[name]).items() if name != "return"}


def _takes_any_text(name: str) -> bool:
    return any(hint not in {int, bool} and not argument.endswith("_id") for argument, hint in hints_of(name).items())


def fitting(name: str, ids: Mapping[str, str]) -> Payload:
    """A payload that the guard lets through, with an id wherever a text fits. `ids[""]` is for other names."""
    return {argument: _value(name, argument, hint, ids) for argument, hint in hints_of(name).items()}


def _value(name: str, argument: str, hint: Any, ids: Mapping[str, str]) -> Any:
    one = ids.get(argument, ids[""])
    if hint in {bool, int}:
        return hint(1)
    match get_origin(hint):
        case None:
            return [one] if hint is object else one
        case origin if origin is list:
            return [_value(name, argument, get_args(hint)[0], ids)]
        case origin if origin is dict:
            fields = _fields_near(HANDLERS[name]) if argument == FORM else ()
            return {field: ids.get(field, ids[""]) for field in fields}
        case origin if origin is Literal:
            return get_args(hint)[0]
        case _:
            return _value(name, argument, get_args(hint)[0], ids)


@cache
def _fields_near(handler: Callable[..., Any]) -> frozenset[str]:
    """Every word in the module of a handler that may be the name of a field of its form."""
    tree = ast.parse(Path(inspect.getfile(handler)).read_text())
    texts = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return frozenset(text for text in texts if IDENTIFIER.fullmatch(text))
