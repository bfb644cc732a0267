"""Commands for conversations: create, change, delete. A chat is changed on its page, in the list and over the API.

A command that has started finishes even if its caller is cancelled. Commands raise the errors of `domain.errors`.

Not here: a conversation that is created with its first request (`runs/send/first_message.py`), and the trash
(`runs/trash`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import structlog

from app.domain.audit import AuditAction
from app.domain.conversation.conversation import Conversation, Parameters, ToolMode
from app.domain.conversation.damage import SETTINGS, TITLE
from app.domain.conversation.folders import require_filable
from app.domain.conversation.middleware_choices import USUAL_MIDDLEWARE, MiddlewareChoices
from app.domain.conversation.parameters import NO_PARAMETERS
from app.domain.errors import (
    ConflictError,
)
from app.domain.retry_policy import USUAL_RETRIES, RetryLimits, RetryPolicy
from app.runs.app_context import AppContext
from app.runs.audit.audit import audit
from app.runs.runtime.event_bus import ConversationChanged, ConversationRemoved
from app.runs.runtime.ids import new_id, now
from app.runs.runtime.shielded import shielded
from app.runs.send.planning import require_valid
from app.runs.send.stopping import stop_runs
from app.store.agents import agents
from app.store.conversation import conversations, folders
from app.store.database.mapping import encode_conversation, encode_parameters, encode_retry_limits
from app.store.ledger.sent_calls import delete_sent_calls
from app.store.run.deliveries import delete_deliveries
from app.store.trash import trash

log = structlog.get_logger()

CHECKPOINT_COLUMNS = ("summary", "summary_position")
"""The two columns of the checkpoint, which are always written together."""


@shielded
async def create_conversation(  # noqa: PLR0913 - the fields of a conversation
    ctx: AppContext,
    owner: str,
    *,
    title: str = "",
    model: str | None = None,
    system_prompt: str = "",
    parameters: Parameters = NO_PARAMETERS,
    retry_policy: RetryPolicy = RetryPolicy.EXPONENTIAL,
    retry_limits: RetryLimits = USUAL_RETRIES,
    middleware: MiddlewareChoices = USUAL_MIDDLEWARE,
    metadata_json: str = "",
    agent_id: str | None = None,
    folder_id: str = "",
    temporary: bool = False,
) -> Conversation:
    """Create a conversation without pairs. `temporary` is True only with an app context in memory (`runs/temporary`).

    `agent_id` is the agent that answers; "": no agent; None: the agent of the conversation that was used last.
    `folder_id` is its folder; "": no folder.

    Raises:
        InputError: a text, a parameter or the model is invalid.
        NotFoundError: this owner has no such agent or folder.
    """
    at = now()
    conversation = Conversation(
        id=new_id(),
        owner=owner,
        created_at=at,
        updated_at=at,
        title=title,
        model=model,
        system_prompt=system_prompt,
        parameters=parameters,
        retry_policy=retry_policy,
        retry_limits=retry_limits,
        middleware=middleware,
        metadata_json=metadata_json,
        agent_id=agent_id or None,
        folder_id=folder_id or None,
        temporary=temporary,
    )
    require_valid(conversation)
    async with ctx.store.write() as session:
        if folder_id:
            await folders.load_folder(session, owner, folder_id)
        if agent_id is None:
            conversation = replace(conversation, agent_id=await conversations.load_last_agent(session, owner))
        elif agent_id:
            await agents.load_agent(session, owner, agent_id)
        await conversations.insert_conversation(session, conversation)
        await audit(session, owner, conversation.id, AuditAction.CREATED)
    ctx.event_bus.publish_list(owner)
    return conversation


@dataclass(frozen=True, slots=True)
class SettingChanges:
    """Changes of a conversation's title and settings. A field that is None is not changed.

    - `parameters`, `retry_limits`, `middleware`: replaced as a whole.
    - `agent_id`: the agent that answers from now on; "": no agent. If the agent has a model and `model` is None, the
      conversation takes the agent's model.
    - `folder_id`: the folder to move it to; "": out of its folder.
    - `titled_by_model`: a model wrote `title`. Without it, a person wrote it.
    """

    title: str | None = None
    titled_by_model: bool | None = None
    model: str | None = None
    system_prompt: str | None = None
    parameters: Parameters | None = None
    retry_policy: RetryPolicy | None = None
    retry_limits: RetryLimits | None = None
    middleware: MiddlewareChoices | None = None
    metadata_json: str | None = None
    filter: str | None = None
    tool_mode: ToolMode | None = None
    ticked_tools: Sequence[str] | None = None
    agent_id: str | None = None
    folder_id: str | None = None

    @property
    def changed(self) -> dict[str, Any]:
        """The changed fields of the conversation, without the agent."""
        given = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "agent_id"}
        changes = {name: value for name, value in given.items() if value is not None}
        if self.folder_id is not None:
            changes["folder_id"] = self.folder_id or None
        if self.ticked_tools is not None:
            changes["ticked_tools"] = tuple(sorted(set(self.ticked_tools)))
        if self.title is not None:
            changes["titled_by_model"] = self.titled_by_model is True
        return changes


@shielded
async def change_conversation(ctx: AppContext, owner: str, conversation_id: str, given: SettingChanges) -> Conversation:
    """Change a conversation, and return it. Its place in the list does not change: the time of the last pair decides.

    Raises:
        NotFoundError: this owner has no such conversation, agent or folder.
        InputError: a text, a parameter or the model is invalid, or a folder cannot have this conversation.
    """
    changes, agent_id, parameters = given.changed, given.agent_id, given.parameters
    async with ctx.store.write() as session:
        if agent_id is not None:
            agent = await agents.load_agent(session, owner, agent_id) if agent_id else None
            changes["agent_id"] = None if agent is None else agent.id
            if given.model is None and agent is not None and agent.model is not None:
                changes["model"] = agent.model
        conversation = replace(
            await conversations.load_conversation(session, owner, conversation_id),
            **changes,
        )
        require_valid(conversation)
        if given.folder_id:
            require_filable(conversation)
            await folders.load_folder(session, owner, given.folder_id)
        if changes:
            columns = changes if parameters is None else changes | {"parameters": encode_parameters(parameters)}
            columns |= {} if given.retry_limits is None else {"retry_limits": encode_retry_limits(given.retry_limits)}
            columns |= {} if given.middleware is None else {"middleware": asdict(given.middleware)}
            await conversations.update_conversation(session, owner, conversation_id, columns)
            await audit(session, owner, conversation_id, AuditAction.CHANGED, what=_name_changes(changes))
    ctx.event_bus.publish(owner, conversation_id, ConversationChanged())
    return conversation


@shielded
async def reset_setting(ctx: AppContext, owner: str, conversation_id: str, column: str) -> None:
    """Reset a setting that cannot be read to its neutral value: no text, no model, no parameters, tools off.

    A title that cannot be read is reset in the same way.

    Raises:
        NotFoundError: this owner has no such conversation.
        ConflictError: this setting can be read.
    """
    async with ctx.store.write() as session:
        conversation = await conversations.load_conversation(session, owner, conversation_id)
        if column not in {one.column for one in conversation.damage if one.column in {TITLE, *SETTINGS}}:
            raise ConflictError(
                f"The setting {column!r} of conversation {conversation_id!r} is readable. Nothing was changed."
            )
        neutral = encode_conversation(conversation)
        columns = CHECKPOINT_COLUMNS if column in CHECKPOINT_COLUMNS else (column,)
        await conversations.update_conversation(
            session, owner, conversation_id, {name: neutral[name] for name in columns}
        )
        await audit(session, owner, conversation_id, AuditAction.CHANGED, what=column)
    ctx.event_bus.publish(owner, conversation_id, ConversationChanged())


@shielded
async def delete_conversation(ctx: AppContext, owner: str, conversation_id: str) -> None:
    """Put a conversation with its child conversations into the trash, and stop their running replies.

    A temporary conversation is deleted permanently. In both cases its calls stay in the ledger.

    Raises:
        NotFoundError: this owner has no such conversation.
    """
    async with ctx.store.read() as session:
        temporary = (await conversations.load_conversation(session, owner, conversation_id)).temporary
        derived = await conversations.list_derived(session, conversation_id)
    await stop_runs(ctx, (conversation_id, *derived))
    async with ctx.store.write() as session:
        derived = await conversations.list_derived(session, conversation_id)
        if temporary:
            await conversations.delete_conversation_forever(session, owner, conversation_id)
            await delete_sent_calls(session, (conversation_id, *derived))
            await audit(session, owner, conversation_id, AuditAction.DELETED)
        else:
            await trash.put_conversation(session, owner, conversation_id, now())
            await delete_deliveries(session, conversation_id)
            await audit(session, owner, conversation_id, AuditAction.TRASHED)
    await stop_runs(ctx, (conversation_id, *derived))  # replies that started since the first stop
    ctx.sent_pairs.forget(conversation_id)
    ctx.sizes.forget(conversation_id)
    ctx.event_bus.publish(owner, conversation_id, ConversationRemoved())


def _name_changes(changes: Iterable[str]) -> str:
    """Return the changed settings of a conversation, for the audit trail."""
    return ", ".join(sorted(set(changes) - {"titled_by_model"}))
