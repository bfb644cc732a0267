"""The audit trail of changes: each command on a conversation adds its entry in the transaction of the change."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

import pytest

from app.domain.audit import AuditAction
from app.domain.conversation.conversation import Checkpoint
from app.domain.conversation.marks import Marks
from app.domain.errors import InputError, NotFoundError
from app.domain.filters.language.commands import Export, ExportFormat
from app.runs.app_context import AppContext
from app.runs.audit.audit import read_audit
from app.runs.child_calls.summaries import put_checkpoint
from app.runs.conversation.conversation_commands import SettingChanges, change_conversation, delete_conversation
from app.runs.conversation.forks import fork_conversation
from app.runs.conversation.mark_commands import mark_pair
from app.runs.filters.filter_commands import apply_filter, rename_filter, save_filter
from app.runs.resend.resend import resend_pair, restore_version
from app.runs.runtime.client import Client, serving
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import start_reply
from app.runs.send.queue import pause_queue, queue_text
from app.runs.send.send_request import SendRequest
from app.runs.temporary.temporary import create_temporary, keep_conversation
from app.runs.transfer.exporting import export_conversation
from app.runs.trash.trash import delete_for_good, empty_trash, restore
from app.store.audit.audit import AuditEntry
from tests.runs.steps import a_conversation, collect, pair_of, reply_to, until_quiet

MODEL: Final = "offline:demo"
RENAMED: Final = SettingChanges(title="Secret", system_prompt="x")


async def entries(ctx: AppContext, owner: str = LOCAL_OWNER) -> list[AuditEntry]:
    """Return all entries, oldest first."""
    await ctx.accesses.flush()
    return [entry for _, entry in reversed(await read_audit(ctx.store, owner, limit=500))]


Step = Callable[[AppContext, str, str], Awaitable[Any]]


async def starred(ctx: AppContext, conversation_id: str, pair_id: str) -> None:
    await mark_pair(ctx, LOCAL_OWNER, pair_id, Marks(stars=3))


async def deleted_pair(ctx: AppContext, conversation_id: str, pair_id: str) -> None:
    await mark_pair(ctx, LOCAL_OWNER, pair_id, Marks(deleted=True))


async def purged_pair(ctx: AppContext, conversation_id: str, pair_id: str) -> None:
    await deleted_pair(ctx, conversation_id, pair_id)
    await empty_trash(ctx, LOCAL_OWNER)


async def edited_pair(ctx: AppContext, conversation_id: str, pair_id: str) -> None:
    done = await resend_pair(ctx, LOCAL_OWNER, pair_id, text="/echo other")
    await collect(ctx, done.started.run_id)


async def sent_again(ctx: AppContext, conversation_id: str, pair_id: str) -> None:
    done = await resend_pair(ctx, LOCAL_OWNER, pair_id)
    await collect(ctx, done.started.run_id)


async def older_version(ctx: AppContext, conversation_id: str, pair_id: str) -> None:
    await sent_again(ctx, conversation_id, pair_id)
    await restore_version(ctx, LOCAL_OWNER, pair_id, 1)


async def restored(ctx: AppContext, conversation_id: str, pair_id: str) -> None:
    await delete_conversation(ctx, LOCAL_OWNER, conversation_id)
    await restore(ctx, LOCAL_OWNER, conversation_id)


async def purged(ctx: AppContext, conversation_id: str, pair_id: str) -> None:
    await delete_conversation(ctx, LOCAL_OWNER, conversation_id)
    await delete_for_good(ctx, LOCAL_OWNER, conversation_id)


async def filter_renamed(ctx: AppContext, conversation_id: str, pair_id: str) -> None:
    await save_filter(ctx, LOCAL_OWNER, "one", "s3")
    await apply_filter(ctx, LOCAL_OWNER, conversation_id, "@one")
    await rename_filter(ctx, LOCAL_OWNER, "one", "two")


async def paused(ctx: AppContext, conversation_id: str, pair_id: str) -> None:
    await queue_text(ctx, LOCAL_OWNER, conversation_id, SendRequest("later"), paused=True)
    await pause_queue(ctx, LOCAL_OWNER, conversation_id)


async def exported(ctx: AppContext, conversation_id: str, pair_id: str) -> None:
    file = await export_conversation(ctx, LOCAL_OWNER, conversation_id, Export(ExportFormat.MARKDOWN))
    assert [chunk async for chunk in file.chunks]


STEPS: Final[tuple[tuple[str, Step, list[tuple[str, str]]], ...]] = (
    (
        "renamed",
        lambda ctx, one, _: change_conversation(ctx, LOCAL_OWNER, one, RENAMED),
        [(AuditAction.CHANGED, "system_prompt, title")],
    ),
    ("starred", starred, [(AuditAction.CHANGED, "stars")]),
    ("pair deleted", deleted_pair, [(AuditAction.CHANGED, "deleted")]),
    (
        "pair deleted permanently",
        purged_pair,
        [(AuditAction.CHANGED, "deleted"), (AuditAction.CHANGED, "pairs deleted permanently")],
    ),
    ("pair edited", edited_pair, [(AuditAction.SENT, "edit")]),
    ("sent again", sent_again, [(AuditAction.SENT, "resend")]),
    ("version restored", older_version, [(AuditAction.SENT, "resend"), (AuditAction.CHANGED, "version")]),
    (
        "checkpoint",
        lambda ctx, one, _: put_checkpoint(ctx, LOCAL_OWNER, one, Checkpoint("Secret", 1)),
        [(AuditAction.CHANGED, "checkpoint")],
    ),
    ("filter renamed", filter_renamed, [(AuditAction.CHANGED, "filter")] * 2),
    ("queue", paused, [(AuditAction.CHANGED, "queue")]),
    ("moved to the trash", lambda ctx, one, _: delete_conversation(ctx, LOCAL_OWNER, one), [(AuditAction.TRASHED, "")]),
    ("restored", restored, [(AuditAction.TRASHED, ""), (AuditAction.RESTORED, "")]),
    ("deleted permanently", purged, [(AuditAction.TRASHED, ""), (AuditAction.DELETED, "")]),
    ("exported", exported, [(AuditAction.EXPORTED, "md")]),
)  # fmt: skip


@pytest.mark.parametrize(("step", "done"), [pytest.param(*each[1:], id=each[0]) for each in STEPS])
async def test_each_action_has_an_entry_with_its_client_and_no_text(
    ctx: AppContext, step: Step, done: list[tuple[str, str]]
) -> None:
    with serving(Client("192.0.2.7", "page")):
        conversation = await a_conversation(ctx, model=MODEL, title="Secret")
        ended = await reply_to(ctx, conversation, "/echo Secret")
        await until_quiet(ctx)
        before = await entries(ctx)

        await step(ctx, conversation, ended.pair.id)

    await until_quiet(ctx)
    after = await entries(ctx)
    assert [(one.action, one.data.get("what", "")) for one in before] == [
        (AuditAction.CREATED, ""),
        (AuditAction.SENT, "reply"),
    ]
    assert [(one.action, one.data.get("what", "")) for one in after[2:]] == done
    assert {(one.owner, one.conversation_id, one.via, one.address) for one in after} == {
        (LOCAL_OWNER, conversation, "page", "192.0.2.7")
    }
    assert "secret" not in repr(after).lower()
    assert await entries(ctx, "other") == []


async def test_a_branch_is_created_with_the_name_of_its_origin(ctx: AppContext) -> None:
    origin = await a_conversation(ctx, model=MODEL)
    ended = await reply_to(ctx, origin, "/echo one")

    branch = await fork_conversation(ctx, LOCAL_OWNER, origin, [ended.pair.id])

    made = (await entries(ctx))[-1]
    assert (made.action, made.conversation_id, made.data) == (AuditAction.CREATED, branch, {"branch_of": origin})


async def test_a_temporary_conversation_is_audited_by_its_id_alone(ctx: AppContext) -> None:
    made = await create_temporary(ctx, LOCAL_OWNER, model=MODEL, title="Secret")
    aside = ctx.temporary.ctx
    assert aside is not None
    await reply_to(aside, made.id, "/echo Secret")
    await until_quiet(aside)
    await keep_conversation(aside, LOCAL_OWNER, made.id)

    found = await entries(ctx)
    assert [(one.action, one.conversation_id) for one in found] == [
        (AuditAction.CREATED, made.id),
        (AuditAction.SENT, made.id),
        (AuditAction.CHANGED, made.id),
    ]
    assert "secret" not in repr(found).lower()


async def test_a_refused_change_has_no_entry(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx, model=MODEL)
    before = await entries(ctx)

    with pytest.raises(InputError):
        await start_reply(ctx, LOCAL_OWNER, conversation, SendRequest(" "))
    with pytest.raises(InputError):
        await change_conversation(ctx, LOCAL_OWNER, conversation, SettingChanges(model="none"))
    with pytest.raises(NotFoundError):
        await delete_conversation(ctx, "other", conversation)

    assert await entries(ctx) == before
    assert await entries(ctx, "other") == []


async def test_work_that_no_client_requested_names_inview(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx, model=MODEL)
    await reply_to(ctx, conversation, "/echo one")

    assert {(one.via, one.address) for one in await entries(ctx)} == {("", "")}
    assert await pair_of(ctx, (await entries(ctx))[-1].subject)
