from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import delete, update
from sqlalchemy.exc import IntegrityError

from app.domain.conversation.conversation import ConversationKind
from app.domain.errors import NotFoundError
from app.domain.tools.permission_requests import (
    ANSWER_TIME,
    Ended,
    ExpiryReason,
    PermissionRequest,
    PersonAllowed,
    PersonDenied,
    settle,
)
from app.domain.tools.permissions import ArgumentPattern, PermissionScope, Rule
from app.store.audit.audit import AuditCriteria, AuditEntry, insert_entries, list_entries
from app.store.audit.rows_audit import AUDIT
from app.store.database.database import Store
from app.store.tools.permissions import (
    StoredRule,
    delete_rule,
    find_root,
    insert_request,
    insert_rule,
    list_abandoned,
    list_pending,
    list_rules,
    load_request,
    load_rules,
    settle_request,
)
from tests.store.values import a_conversation, save_conversation

OWNER = "local"
AT = datetime(2026, 1, 31, 12, tzinfo=UTC)


def a_request(**fields: Any) -> PermissionRequest:
    given: dict[str, Any] = {
        "id": "q1",
        "conversation_id": "c1",
        "shown_in": "c1",
        "run_id": "run1",
        "pair_id": "p1",
        "tool_call_id": "t1",
        "server_id": "files",
        "server_name": "files",
        "tool_name": "write",
        "name": "files__write",
        "title": "Write",
        "description": "Writes a file.",
        "input_schema_json": "{}",
        "fingerprint": "f1",
        "input_json": '{"path":"/a"}',
        "asked_at": AT,
        "expires_at": AT + ANSWER_TIME,
    }
    return PermissionRequest(**given | fields)


@pytest.fixture
async def kept(store: Store) -> Store:
    for conversation_id in ("c1", "c2"):
        await save_conversation(store, a_conversation(conversation_id))
    return store


async def put(store: Store, *requests: PermissionRequest) -> None:
    async with store.write() as session:
        for request in requests:
            await insert_request(session, OWNER, request)


async def test_a_request_is_read_back_as_stored_and_as_settled(kept: Store) -> None:
    request = a_request()
    settled = settle(request, PersonAllowed(PermissionScope.CONVERSATION, '{"path":"/b"}'), AT)
    await put(kept, request)

    async with kept.write() as session:
        assert await load_request(session, OWNER, "q1") == request
        assert await settle_request(session, OWNER, settled)
        assert await load_request(session, OWNER, "q1") == settled


async def test_a_request_is_settled_once(kept: Store) -> None:
    request = a_request()
    await put(kept, request)

    async with kept.write() as session:
        first = await settle_request(session, OWNER, settle(request, PersonDenied(), AT))
        second = await settle_request(session, OWNER, settle(request, PersonAllowed(PermissionScope.ONCE), AT))
        stored = await load_request(session, OWNER, "q1")

    assert (first, second) == (True, False)
    assert stored == settle(request, PersonDenied(), AT)


async def test_a_request_of_another_owner_is_not_found(kept: Store) -> None:
    request = a_request()
    await put(kept, request)

    async with kept.write() as session:
        with pytest.raises(NotFoundError):
            await load_request(session, "other", "q1")
        assert not await settle_request(session, "other", settle(request, PersonAllowed(PermissionScope.ONCE), AT))
        assert await list_pending(session, "other", "c1") == ()


async def test_what_waits_is_listed_where_it_is_shown_and_where_it_was_asked(kept: Store) -> None:
    here = a_request()
    delegated = a_request(id="q2", conversation_id="c2", asked_at=AT + timedelta(seconds=1))
    over = settle(a_request(id="q3"), Ended(ExpiryReason.TIME), AT + ANSWER_TIME)
    await put(kept, delegated, here, over)

    async with kept.read() as session:
        assert await list_pending(session, OWNER, "c1") == (here, delegated)
        assert await list_pending(session, OWNER, "c2") == (delegated,)


async def test_a_request_whose_run_is_not_on_is_abandoned(kept: Store) -> None:
    await put(kept, a_request())

    async with kept.read() as session:
        assert await list_abandoned(session) == ((OWNER, a_request()),)


async def test_rules_apply_always_or_in_their_conversation_until_they_are_revoked(kept: Store) -> None:
    patterns = (ArgumentPattern("path", "/notes/*"), ArgumentPattern("deep", "*"))
    always = StoredRule(Rule("r1", "files", "write", "f1", patterns), "files", "Write", AT)
    here = StoredRule(replace(always.rule, id="r2", conversation_id="c1"), "files", "Write", AT + timedelta(seconds=1))

    async with kept.write() as session:
        for rule in (always, here):
            await insert_rule(session, OWNER, rule)

        assert await list_rules(session, OWNER) == (here, always)
        assert await load_rules(session, OWNER, "c1") == (here.rule, always.rule)
        assert await load_rules(session, OWNER, "c2") == (always.rule,)
        assert await load_rules(session, "other", "c1") == ()
        with pytest.raises(NotFoundError):
            await delete_rule(session, "other", "r1")
        assert await delete_rule(session, OWNER, "r1") == always
        assert await delete_rule(session, OWNER, "r2") == here
        with pytest.raises(NotFoundError):
            await delete_rule(session, OWNER, "r2")


async def test_what_is_delegated_is_shown_where_it_began(kept: Store) -> None:
    await save_conversation(kept, replace(a_conversation("t1"), kind=ConversationKind.TOOL, parent_id="c1"))
    await save_conversation(kept, replace(a_conversation("t2"), kind=ConversationKind.TOOL, parent_id="t1"))
    await save_conversation(kept, replace(a_conversation("fork"), parent_id="c1"))

    async with kept.read() as session:
        assert [await find_root(session, each) for each in ("t2", "t1", "c1", "fork")] == ["c1", "c1", "c1", "fork"]


async def test_the_audit_trail_is_added_to_and_nothing_else(kept: Store) -> None:
    first = AuditEntry(OWNER, AT, "permission.asked", "q1", "c1", {"tool": "write"})
    others = [replace(first, action="permission.denied"), replace(first, conversation_id="c2")]
    async with kept.write() as session:
        for entry in (first, *others, replace(first, owner="other")):
            await insert_entries(session, [entry])

    for statement in (update(AUDIT).values(action="nothing"), delete(AUDIT)):
        with pytest.raises(IntegrityError, match=r"a row of the audit trail is never (changed|deleted)"):
            async with kept.write() as session:
                await session.execute(statement)
    async with kept.read() as session:
        listed = await list_entries(session, OWNER, limit=2)
        assert [entry for _, entry in listed] == [others[1], others[0]]
        assert [entry for _, entry in await list_entries(session, OWNER, limit=9, before=listed[-1][0])] == [first]
        assert len(await list_entries(session, OWNER, limit=9, criteria=AuditCriteria("c1"))) == 2
