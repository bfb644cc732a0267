"""Grants over HTTP: both persons, and everybody else."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from app.domain.people.people import Person, Role
from app.runs.people.tokens import NewToken, make_token
from app.runs.process.ids import now
from app.store.people.people import insert_person
from tests.api.served import Api, serve_api

PEOPLE = {"ann": Role.MEMBER, "ben": Role.MEMBER, "eve": Role.OWNER}
SCOPES = ("read", "write")


class Installation:
    """Three persons, each with a token."""

    def __init__(self, api: Api, tokens: dict[str, str]) -> None:
        self.api = api
        self.tokens = tokens

    async def ask(self, who: str, method: str, path: str, body: Any = None) -> httpx2.Response:
        headers = {"Authorization": f"Bearer {self.tokens[who]}"}
        return await self.api.http.request(method, path, json=body, headers=headers)

    async def share(self, access: str) -> tuple[str, str]:
        """A conversation of Ann's that Ben has access to; its id, and that of the grant."""
        body = {"title": "Garden", "model": "offline:demo", "system_prompt": "Be brief."}
        made = (await self.ask("ann", "POST", "/conversations", body)).json()["id"]
        answer = await self.ask("ann", "POST", f"/conversations/{made}/grants", {"person_id": "ben", "access": access})
        assert answer.status_code == 201, answer.text
        return made, answer.json()["id"]


@pytest.fixture
async def here(tmp_path: Path) -> AsyncGenerator[Installation]:
    async with serve_api(tmp_path, INVIEW_ACCOUNTS="on") as served:
        tokens: dict[str, str] = {}
        for name, role in PEOPLE.items():
            person = Person(name, name.title(), f"{name}@example.org", role, disabled=False, created_at=now())
            async with served.wb.store.write() as session:
                await insert_person(session, person, "")
            tokens[name] = (await make_token(served.wb.store, name, NewToken("t", SCOPES, 1)))[1]
        yield Installation(served, tokens)


async def test_both_see_the_grant_with_the_name_of_the_other(here: Installation) -> None:
    conversation_id, grant_id = await here.share("read")

    listed = (await here.ask("ann", "GET", f"/conversations/{conversation_id}/grants")).json()
    assert [one["person"] for one in listed["items"]] == [{"id": "ben", "name": "Ben"}]
    assert [one["name"] for one in listed["people"]] == ["Ben", "Eve"]
    (granted,) = (await here.ask("ben", "GET", "/grants")).json()["items"]
    assert (granted["id"], granted["title"], granted["access"]) == (grant_id, "Garden", "read")
    assert granted["owner"] == {"id": "ann", "name": "Ann"}
    read = (await here.ask("ben", "GET", f"/grants/{grant_id}")).json()
    assert "Be brief." in read["html"]


async def test_the_conversation_itself_stays_its_owners(here: Installation) -> None:
    conversation_id, _ = await here.share("continue")

    for who in ("ben", "eve"):
        for method, path, body in (
            ("GET", f"/conversations/{conversation_id}", None),
            ("GET", f"/conversations/{conversation_id}/pairs", None),
            ("GET", f"/conversations/{conversation_id}/grants", None),
            ("POST", f"/conversations/{conversation_id}/grants", {"person_id": "ann"}),
            ("POST", f"/conversations/{conversation_id}/send", {"text": "Hello"}),
            ("DELETE", f"/conversations/{conversation_id}", None),
        ):
            assert (await here.ask(who, method, path, body)).status_code == 404, (who, method, path)


async def test_others_do_not_find_the_grant(here: Installation) -> None:
    _, grant_id = await here.share("continue")

    assert (await here.ask("eve", "GET", "/grants")).json()["items"] == []
    for method, path in (("GET", ""), ("POST", "/copy"), ("DELETE", "")):
        assert (await here.ask("eve", method, f"/grants/{grant_id}{path}")).status_code == 404
    assert (await here.ask("ann", "GET", f"/grants/{grant_id}")).status_code == 404


async def test_a_copy_is_the_readers_where_that_is_allowed(here: Installation) -> None:
    _, to_read = await here.share("read")
    _, to_continue = await here.share("continue")

    assert (await here.ask("ben", "POST", f"/grants/{to_read}/copy")).status_code == 403
    copied = await here.ask("ben", "POST", f"/grants/{to_continue}/copy")

    assert copied.status_code == 201
    made = copied.json()["conversation_id"]
    assert (await here.ask("ben", "GET", f"/conversations/{made}")).json()["system_prompt"] == "Be brief."
    assert (await here.ask("ann", "GET", f"/conversations/{made}")).status_code == 404


@pytest.mark.parametrize("who", ["ann", "ben"])
async def test_either_ends_it(here: Installation, who: str) -> None:
    _, grant_id = await here.share("read")

    assert (await here.ask(who, "DELETE", f"/grants/{grant_id}")).status_code == 204
    assert (await here.ask("ben", "GET", f"/grants/{grant_id}")).status_code == 404
    assert (await here.ask(who, "DELETE", f"/grants/{grant_id}")).status_code == 404


async def test_nobody_is_shared_with_who_is_not_there(here: Installation) -> None:
    conversation_id, _ = await here.share("read")

    for person_id in ("ann", "nobody"):
        refused = await here.ask("ann", "POST", f"/conversations/{conversation_id}/grants", {"person_id": person_id})
        assert refused.status_code == 422, refused.text
