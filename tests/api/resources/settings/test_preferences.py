"""Preferences over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.served import Api

USUAL: dict[str, Any] = {
    "soft_cap": 0.94,
    "reserve": 800,
    "send_tokens": None,
    "send_money": None,
    "conversation_tokens": None,
    "conversation_money": None,
    "day_tokens": None,
    "day_money": None,
    "conversation_minute_sends": None,
    "minute_sends": None,
    "address_minute_sends": None,
    "conversation_day_tokens": None,
    "address_day_tokens": None,
    "over_budget": "ask",
    "auto_enter_view_on_overflow": True,
    "topic_order": "recent",
    "cache": "auto",
    "titles": True,
    "title_model": None,
    "replay": False,
    "built_in_tools": [],
    "about_me": "",
    "tell_about_me": True,
    "user_name": "",
    "tell_project": False,
    "tell_first_request": False,
    "date_zone": None,
    "tell_time": False,
    "redact": False,
    "theme": "system",
    "trash_days": 30,
    "keys": {},
}


async def test_before_anything_is_set_everything_is_as_usual(api: Api):
    assert (await api.http.get("/preferences")).json() == USUAL


async def test_preferences_are_replaced_whole(api: Api):
    wanted = USUAL | {
        "soft_cap": 0.5,
        "send_money": "0.25",
        "day_tokens": 2_000_000,
        "minute_sends": 30,
        "conversation_day_tokens": 5_000,
        "over_budget": "fit",
        "titles": False,
        "title_model": "offline:tiny",
        "replay": True,
        "built_in_tools": ["current_time"],
        "about_me": "I am Ada.",
        "tell_about_me": False,
        "user_name": "ada",
        "tell_project": True,
        "tell_first_request": True,
        "date_zone": "Europe/Berlin",
        "tell_time": True,
        "redact": True,
        "theme": "dark",
        "keys": {"star": "S", "flag": ""},
    }

    put = await api.http.put("/preferences", json=wanted)
    read = (await api.http.get("/preferences")).json()
    await api.http.put("/preferences", json={"topic_order": "manual"})

    assert (put.status_code, put.json(), read) == (200, wanted, wanted)
    assert (await api.http.get("/preferences")).json() == USUAL | {"topic_order": "manual"}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"soft_cap": 2}, "soft_cap"),
        ({"send_money": "a lot"}, "send_money"),
        ({"send_money": "0"}, "send_money"),
        ({"day_tokens": 1.5}, "day_tokens"),
        ({"minute_sends": 0}, "minute_sends"),
        ({"over_budget": "never"}, "over_budget"),
        ({"keys": {"A": "x"}}, "keys"),
        ({"title_model": "demo"}, "title_model"),
        ({"about_me": "x" * 4001}, "about_me"),
        ({"user_name": "x" * 101}, "user_name"),
        ({"tell_time": "yes"}, "tell_time"),
        ({"date_zone": "../etc"}, "date_zone"),
        ({"colour": "red"}, "colour"),
    ],
)
async def test_a_preference_that_cannot_be_is_refused_by_name_and_changes_nothing(
    api: Api, body: dict[str, Any], field: str
):
    refused = await api.http.put("/preferences", json=body)

    assert refused.status_code == 422
    assert [error["field"] for error in refused.json()["errors"]] == [field]
    assert (await api.http.get("/preferences")).json() == USUAL
