"""Who may change whom, that one owner stays, and that a deleted person leaves nothing but numbers."""

from __future__ import annotations

import asyncio
from hashlib import sha256
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from app.domain.errors import ConflictError, ForbiddenError, InputError, InviewError, NotFoundError
from app.domain.people.audit import Actor, AuditEntry
from app.domain.people.audit_actions import AuditAction, ObjectKind
from app.domain.people.people import Role
from app.domain.tools.tool_servers import OverHttp
from app.runs.caller import act_as
from app.runs.library.agent_commands import create_agent
from app.runs.library.provider_commands import save_provider
from app.runs.library.topic_commands import create_topic
from app.runs.people.administration import (
    change_role,
    delete_person,
    invite_person,
    is_administrator,
    list_everybody,
    make_reset,
    set_disabled,
    sign_out_everywhere,
    withdraw_invitation,
)
from app.runs.people.sessions import read_session
from app.runs.people.welcome import read_invitation
from app.runs.process.ids import now
from app.runs.send.commands import StartedRun, create_conversation, start_reply, stop_run
from app.runs.send.intents import NewSend
from app.runs.tools.server_commands import ServerWish, add_server, connect_servers_of, session_of
from app.runs.workbench import Workbench
from app.store.audit.entries import AuditFilter, insert_entry, list_entries
from app.store.audit.integrity import check_audit
from app.store.people.belongings import KEPT
from app.store.people.people import load_person
from app.store.run.rows_sent import SENT_CALL, SENT_PIECE
from app.store.run.sent_calls import RecordReport, check_sent_calls, list_sent_calls
from app.store.tables import Row
from tests.databases import change, dump
from tests.runs.people.accounts import a_person, a_session
from tests.tools.servers import script


async def role_of(wb: Workbench, person_id: str) -> Role:
    async with wb.store.read() as session:
        return (await load_person(session, person_id)).role


async def begin_reply(wb: Workbench, owner: str) -> StartedRun:
    """Have a reply running."""
    conversation = await create_conversation(wb, owner, title="mias-title", model="offline:demo")
    return await start_reply(wb, owner, NewSend(conversation.id, "mias-text\n/long 2000 /rate 20"))


@pytest.fixture
async def staff(wb: Workbench) -> Workbench:
    """An owner, two admins and two members."""
    for name, role in (
        ("owen", Role.OWNER),
        ("ada", Role.ADMIN),
        ("abe", Role.ADMIN),
        ("mia", Role.MEMBER),
        ("max", Role.MEMBER),
    ):
        await a_person(wb, name, role)
    return wb


@pytest.mark.parametrize(
    ("actor", "person", "role", "allowed"),
    [
        ("owen", "mia", Role.ADMIN, True),
        ("owen", "mia", Role.OWNER, True),
        ("owen", "ada", Role.MEMBER, True),
        ("ada", "mia", Role.ADMIN, True),
        ("ada", "abe", Role.MEMBER, True),
        ("ada", "ada", Role.MEMBER, True),
        ("ada", "mia", Role.OWNER, False),
        ("ada", "ada", Role.OWNER, False),
        ("ada", "owen", Role.MEMBER, False),
        ("mia", "max", Role.MEMBER, False),
        ("mia", "mia", Role.ADMIN, False),
    ],
)
async def test_roles_are_changed_by_those_above(
    staff: Workbench, actor: str, person: str, role: Role, allowed: bool
) -> None:
    before = await role_of(staff, person)
    if allowed:
        await change_role(staff.store, actor, person, role)
    else:
        with pytest.raises(ForbiddenError):
            await change_role(staff.store, actor, person, role)

    assert await role_of(staff, person) is (role if allowed else before)


async def test_member_can_do_nothing_with_people_and_learns_of_nobody(staff: Workbench) -> None:
    for attempt in (
        list_everybody(staff, "mia"),
        invite_person(staff, "mia", Role.MEMBER),
        withdraw_invitation(staff, "mia", "x"),
        set_disabled(staff.store, "mia", "max", disabled=True),
        make_reset(staff, "mia", "max"),
        make_reset(staff, "mia", "no such person"),
        sign_out_everywhere(staff, "mia", "max"),
        delete_person(staff, "mia", "max", "max"),
    ):
        with pytest.raises(ForbiddenError):
            await attempt


async def test_admin_can_do_nothing_with_an_owner(staff: Workbench) -> None:
    for attempt in (
        invite_person(staff, "ada", Role.OWNER),
        set_disabled(staff.store, "ada", "owen", disabled=True),
        make_reset(staff, "ada", "owen"),
        sign_out_everywhere(staff, "ada", "owen"),
        delete_person(staff, "ada", "owen", "owen"),
    ):
        with pytest.raises(ForbiddenError):
            await attempt


async def test_last_owner_stays_an_owner_who_can_sign_in(staff: Workbench) -> None:
    await a_person(staff, "olga", Role.OWNER)
    await set_disabled(staff.store, "owen", "olga", disabled=True)  # one who cannot sign in does not count
    for attempt in (
        change_role(staff.store, "owen", "owen", Role.ADMIN),
        change_role(staff.store, None, "owen", Role.ADMIN),
        set_disabled(staff.store, None, "owen", disabled=True),
    ):
        with pytest.raises(ConflictError, match="last owner"):
            await attempt

    await set_disabled(staff.store, "owen", "olga", disabled=False)
    await change_role(staff.store, "owen", "owen", Role.ADMIN)
    assert await role_of(staff, "owen") is Role.ADMIN


async def test_nobody_disables_or_deletes_themselves(staff: Workbench) -> None:
    await a_person(staff, "olga", Role.OWNER)
    for attempt in (
        set_disabled(staff.store, "olga", "olga", disabled=True),
        delete_person(staff, "olga", "olga", "olga"),
    ):
        with pytest.raises(ConflictError, match="own account"):
            await attempt


async def test_demoted_admin_is_refused_at_once(staff: Workbench) -> None:
    await invite_person(staff, "ada", Role.MEMBER)
    await change_role(staff.store, "owen", "ada", Role.MEMBER)

    assert not await is_administrator(staff, "ada")
    with pytest.raises(ForbiddenError):
        await invite_person(staff, "ada", Role.MEMBER)


async def test_disabled_admin_administers_nothing(staff: Workbench) -> None:
    assert await is_administrator(staff, "ada")
    await set_disabled(staff.store, "owen", "ada", disabled=True)
    assert not await is_administrator(staff, "ada")


async def test_withdrawn_invitation_opens_nothing(staff: Workbench) -> None:
    path = await invite_person(staff, "owen", Role.OWNER)
    (invitation,) = (await list_everybody(staff, "ada")).invitations
    with pytest.raises(ForbiddenError):
        await withdraw_invitation(staff, "ada", invitation.id)  # an admin did not make it

    await withdraw_invitation(staff, "owen", invitation.id)

    assert (await list_everybody(staff, "owen")).invitations == ()
    with pytest.raises(NotFoundError):
        await read_invitation(staff, path.partition("key=")[2])
    with pytest.raises(ConflictError):
        await withdraw_invitation(staff, "owen", invitation.id)


async def test_list_says_when_somebody_was_last_here(staff: Workbench) -> None:
    async with staff.store.read() as session:
        mia = await load_person(session, "mia")
    await a_session(staff, mia)

    seen = {one.person.name: one.used_at for one in (await list_everybody(staff, "owen")).members}

    assert seen["mia"] is not None
    assert seen["max"] is None


def an_entry(person: str, address: str, **data: str) -> AuditEntry:
    actor = Actor(person, "session s", address)
    return AuditEntry(now(), actor, AuditAction.PERMISSION_ASKED, ObjectKind.PERMISSION, "p", None, data)


async def test_deletion_wants_the_name(staff: Workbench) -> None:
    with pytest.raises(InputError):
        await delete_person(staff, "owen", "mia", "max")
    async with staff.store.read() as session:
        assert not (await load_person(session, "mia")).disabled


async def test_deleted_person_leaves_nothing_but_the_ledger(staff: Workbench, data: Path) -> None:
    async with staff.store.read() as session:
        session_id = await a_session(staff, await load_person(session, "mia"))
    await begin_reply(staff, "mia")
    await create_topic(staff, "mia", "mias-topic > mias-subtopic")
    await create_agent(staff, "mia", {"name": "mias-agent", "system_prompt": "mias-prompt"})
    await save_provider(staff, "mia", "anthropic", key="sk-mias-key-000000")
    async with staff.store.write() as session:
        await insert_entry(session, an_entry("mia", address="mias-address", arguments="mias-arguments"))
        await insert_entry(session, an_entry("max", address="maxs-address"))

    await delete_person(staff, "owen", "mia", " mia ")

    assert await read_session(staff, session_id) is None
    with pytest.raises(NotFoundError):
        async with staff.store.read() as session:
            await load_person(session, "mia")
    assert not staff.engine.runs
    async with staff.store.read() as session:
        for table in Row.metadata.sorted_tables:
            if "owner" in table.c:
                rows = (await session.execute(select(table).where(table.c.owner == "mia"))).all()
                assert bool(rows) == (table.name in KEPT), table.name
    assert "mias-" not in dump(data)


async def test_recorded_calls_of_a_deleted_person_go_and_those_of_others_can_be_read(staff: Workbench) -> None:
    started = {name: await begin_reply(staff, name) for name in ("mia", "max")}
    await stop_run(staff, started["max"].run_id)

    await delete_person(staff, "owen", "mia", "mia")

    async with staff.store.read() as session:
        (call,) = await list_sent_calls(session, "max", started["max"].pair_id)
        assert call.body is not None
        assert sha256(call.body).hexdigest() == call.body_sha256
        assert await list_sent_calls(session, "mia", started["mia"].pair_id) == ()
        for table in (SENT_CALL, SENT_PIECE):
            assert (await session.execute(select(table.c.conversation_id))).scalars().all() == [
                call.call.conversation_id
            ]
        assert await check_sent_calls(session) == RecordReport(1, 0, ())


async def test_audit_trail_stays_whole_when_a_person_is_deleted_and_loses_their_notes_alone(
    staff: Workbench, data: Path
) -> None:
    async with staff.store.write() as session:
        await insert_entry(session, an_entry("mia", address="mias-address"))
        await insert_entry(session, an_entry("max", address="maxs-address"))

    await delete_person(staff, "owen", "mia", "mia")

    async with staff.store.read() as session:
        assert (await check_audit(session)).faults == ()
        listed = await list_entries(session, AuditFilter(), limit=100)
    assert {(one.entry.actor.person, one.entry.actor.address) for one in listed} >= {
        ("mia", ""),
        ("max", "maxs-address"),
    }
    for table, person in (("audit", "person = 'mia'"), ("audit_note", "owner = 'max'")):
        with pytest.raises(IntegrityError, match="never deleted"):
            await asyncio.to_thread(change, data, f"DELETE FROM {table} WHERE {person}")


async def test_person_of_whom_another_process_runs_a_reply_is_not_deleted(staff: Workbench, data: Path) -> None:
    started = await begin_reply(staff, "mia")
    live = staff.engine.runs.pop(started.run_id)  # as if it were another process's
    try:
        with pytest.raises(InviewError, match="is running"):
            await delete_person(staff, "owen", "mia", "mia")
    finally:
        staff.engine.runs[started.run_id] = live


async def test_only_those_who_administer_say_where_a_model_server_is(staff: Workbench) -> None:
    inside = "http://169.254.169.254/v1"

    with pytest.raises(ForbiddenError, match="address of a model server"):
        await save_provider(staff, "mia", "attic", base_url=inside)
    with pytest.raises(ForbiddenError):
        await save_provider(staff, "mia", "openai", key="sk-mias", base_url=inside)
    await save_provider(staff, "ada", "attic", base_url=inside)
    await save_provider(staff, "mia", "openai", key="sk-mias", base_url="")
    await change_role(staff.store, "owen", "ada", Role.MEMBER)

    with pytest.raises(ForbiddenError):
        await save_provider(staff, "ada", "attic", base_url=inside + "/other")
    await save_provider(staff, "ada", "attic", base_url=inside)  # as it was
    await save_provider(staff, "ada", "attic", base_url="")


@pytest.mark.parametrize("fall", ["demoted", "disabled", "deleted"])
async def test_links_of_an_admin_who_is_none_any_more_open_nothing(staff: Workbench, fall: str) -> None:
    act_as("ada", "session a")
    invited = key_of(await invite_person(staff, "ada", Role.ADMIN))
    reset = key_of(await make_reset(staff, "ada", "mia"))
    act_as("owen", "session o")
    others = key_of(await invite_person(staff, "owen", Role.MEMBER))
    await change_role(staff.store, "owen", "ada", Role.ADMIN)  # it stays: so do the links
    await read_invitation(staff, invited)
    match fall:
        case "demoted":
            await change_role(staff.store, "owen", "ada", Role.MEMBER)
        case "disabled":
            await set_disabled(staff.store, "owen", "ada", disabled=True)
        case _:
            await delete_person(staff, "owen", "ada", "ada")

    for link in (invited, reset):
        with pytest.raises(NotFoundError):
            await read_invitation(staff, link)
    assert (await read_invitation(staff, others)).role is Role.MEMBER


def key_of(path: str) -> str:
    return path.partition("key=")[2]


async def test_programs_are_for_owners_and_admins_and_end_with_the_role(staff: Workbench) -> None:
    program = script("greet()")
    with pytest.raises(ForbiddenError):
        await add_server(staff, "mia", ServerWish("lab", program))
    with pytest.raises(ForbiddenError):
        await add_server(staff, "mia", ServerWish("lab", OverHttp("http://10.0.0.1/mcp", allow_private=True)))
    added = await add_server(staff, "ada", ServerWish("lab", program))
    assert session_of(staff, "ada", added.server.id) is not None

    await change_role(staff.store, "owen", "ada", Role.MEMBER)
    await connect_servers_of(staff, "ada")

    assert session_of(staff, "ada", added.server.id) is None
