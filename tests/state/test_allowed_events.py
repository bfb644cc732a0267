from __future__ import annotations

from typing import Any

import pytest
from reflex.state import State
from reflex_base.registry import RegistrationContext
from structlog.testing import capture_logs

from app.state.allowed_events import ALLOWED, CALLABLE, REFLEX
from app.state.shell.notice import NoticeState
from app.state.sidebar.sidebar import SidebarState
from tests.state.conftest import Tab


def test_handlers_a_browser_may_call_are_exactly_those_on_the_list() -> None:
    """Any client can call every public method of a state: a new one must be added to the list by hand."""
    ours = {name for name in RegistrationContext.get().event_handlers if "app___state___" in name}

    # Reflex adds `setvar` to every state; the guard refuses it.
    assert {name for name in ours if not name.endswith(".setvar")} == ALLOWED - REFLEX
    assert {name.rsplit(".", 1)[0] for name in ours} == {state.get_full_name() for state in CALLABLE}


def test_what_reflex_may_do_exists_and_does_not_include_writing_vars() -> None:
    there = set(RegistrationContext.get().event_handlers)

    assert there >= REFLEX
    assert not [name for name in ALLOWED if name.endswith(".setvar")]


async def test_event_on_the_list_passes(tab: Tab) -> None:
    await tab.send(NoticeState.tell, message="Hello")

    assert tab.shows(NoticeState, "message") == "Hello"


@pytest.mark.parametrize(
    ("name", "payload"),
    [
        (f"{SidebarState.get_full_name()}.setvar", {"var_name": "deleting", "value": "x"}),
        (f"{State.get_full_name()}.setvar", {"var_name": "is_hydrated", "value": True}),
    ],
)
async def test_event_that_is_not_on_the_list_changes_nothing_and_is_logged(
    tab: Tab, name: str, payload: dict[str, Any]
) -> None:
    with capture_logs() as logged:
        await tab.send_event(name, payload)

    assert tab.vars == {}
    assert [line["event"] for line in logged if line["log_level"] == "warning"] == [
        f"Refused an event that no page sends: {name}."
    ]
