"""Routes of conversations: create, list, read, change, delete."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, Field
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import WITH_BODY, answer, fails, says
from app.api.http.conversation_bodies import ChangedConversation, NewConversation
from app.api.http.cursors import MAX_LIMIT, read_conversation_cursor, write_conversation_cursor
from app.api.http.negotiation import HasBody, ReadsJson
from app.api.http.patterns import CONVERSATION_CURSOR
from app.api.http.problems import refuse_field
from app.domain.conversation.conversation import ConversationKind, ConversationStatus, ToolMode
from app.domain.conversation.metadata import encode_metadata
from app.domain.text.search import parse_search
from app.runs.app_context import current
from app.runs.conversation import conversation_commands
from app.runs.filters import filter_commands
from app.runs.temporary.temporary import create_temporary, keep_conversation
from app.store.conversation.lists import Cursor, ListCriteria, Listed, describe_listed, list_conversations
from app.store.database.database import Store
from app.store.index.search import Found, load_found, search
from app.views.conversation.conversation import ConversationView, FoundView, describe_conversation

router = APIRouter(prefix="/conversations", tags=["conversations"], dependencies=[ReadsJson])

ConversationId = Annotated[str, Path(max_length=64, description="A conversation.")]
Setting = Annotated[str, Path(max_length=64, description="A column.")]


class ConversationsQuery(BaseModel):
    """The query of a list of conversations: its conditions, and where the page starts."""

    kind: Annotated[ConversationKind | None, Field(description="Only conversations of this kind.")] = None
    status: Annotated[ConversationStatus | None, Field(description="Only conversations with this status.")] = None
    agent: Annotated[
        str | None, Field(max_length=64, description='Only conversations with this agent; "": without an agent.')
    ] = None
    folder_id: Annotated[
        str | None, Field(max_length=64, description='Only conversations in this folder; "": in no folder.')
    ] = None
    temporary: Annotated[bool, Field(description="List the temporary conversations instead of the stored ones.")] = (
        False
    )
    text: Annotated[
        str,
        Field(
            max_length=1000,
            description="Only conversations that have all these words in the title or in one pair: whole words, "
            '`gard*` for a prefix, `"fresh bread"` for a phrase. The best matches come first. A Latin '
            "word that directly touches a Chinese, Japanese or Thai character is found only together "
            "with that character, for example `用Python`.",
        ),
    ] = ""
    limit: Annotated[int, Field(ge=1, le=MAX_LIMIT, description="The maximum number of entries.")] = 50
    cursor: Annotated[
        str | None, Field(pattern=CONVERSATION_CURSOR, description="The `next_cursor` of the previous page.")
    ] = None


@dataclass(frozen=True, slots=True)
class ConversationPage:
    """A page of conversations, the most recently changed one first. With a search, the best match is first.

    `complete` is false if the search had too many matches, so that only the newest were ranked. A further word narrows
    the search.
    """

    items: tuple[ConversationView, ...]
    next_cursor: str | None
    complete: bool = True


@router.get(
    "",
    summary="List conversations",
    responses=says(ConversationPage, description="Ordered by last change, newest first."),
)
async def list_them(ctx: Ctx, owner: Owner, query: Annotated[ConversationsQuery, Query()]) -> Response:
    limit, place = query.limit, None if query.cursor is None else read_conversation_cursor(query.cursor)
    criteria = ListCriteria(query.kind, query.status, query.agent, query.folder_id)
    store = ctx.store
    if query.temporary:
        if ctx.temporary.ctx is None:
            return answer(ConversationPage((), None))
        store = ctx.temporary.ctx.store
    if query.text.strip():
        return answer(await _search(store, owner, criteria, query.text, limit, place))
    async with store.read() as session:
        listed = await list_conversations(session, owner, limit=limit + 1, cursor=place, criteria=criteria)
    items = listed[:limit]
    more = len(listed) > limit
    return answer(ConversationPage(tuple(map(_describe, items)), _write_place(items[-1]) if more else None))


@router.post(
    "",
    summary="Create a conversation",
    status_code=201,
    dependencies=[HasBody],
    responses=says(
        ConversationView,
        *WITH_BODY,
        "not-found",
        status=201,
        description="Created. `Location` is its address.",
    ),
)
async def create(ctx: Ctx, owner: Owner, body: NewConversation) -> Response:
    if body.temporary and body.folder_id:
        refuse_field("folder_id", "names a folder for a temporary conversation. Keep the conversation first.")
    make = (
        create_temporary
        if body.temporary
        else partial(conversation_commands.create_conversation, folder_id=body.folder_id)
    )
    made = await make(
        ctx,
        owner,
        title=body.title,
        model=body.model,
        system_prompt=body.system_prompt,
        parameters=body.parameters.to_domain(),
        retry_policy=body.retry_policy,
        retry_limits=body.retry_limits.to_domain(),
        middleware=body.middleware.to_domain(),
        metadata_json=encode_metadata("metadata", body.metadata),
        agent_id=body.agent_id,
    )
    view = describe_conversation(made, pair_count=0, snippet="")
    return answer(view, 201, {"Location": f"/api/v1/conversations/{made.id}"})


@router.get(
    "/{conversation_id}",
    summary="Read a conversation's metadata",
    responses=says(ConversationView, "not-found"),
)
async def read(ctx: Ctx, owner: Owner, conversation_id: ConversationId) -> Response:
    async with ctx.store.read() as session:
        return answer(_describe(await describe_listed(session, owner, conversation_id)))


@router.patch(
    "/{conversation_id}",
    summary="Change title, model, agent, folder, prompt, parameters, retries, middleware, metadata, filter or tools",
    description="An invalid filter changes nothing. An applied filter is added to the filter history. A new agent also "
    "sets its model, unless `model` is given.",
    dependencies=[HasBody],
    responses=says(
        ConversationView,
        *WITH_BODY,
        "not-found",
        description="The updated conversation.",
    ),
)
async def change(ctx: Ctx, owner: Owner, conversation_id: ConversationId, body: ChangedConversation) -> Response:
    changes = body.model_dump(exclude_unset=True)
    if not changes:
        refuse_field("body", "has no changes. Give at least one field.")
    if "filter" in changes:
        await filter_commands.apply_filter(ctx, owner, conversation_id, changes.pop("filter"))
    if "parameters" in changes:
        changes["parameters"] = body.parameters.to_domain()
    if "retry_limits" in changes:
        changes["retry_limits"] = body.retry_limits.to_domain()
    if "middleware" in changes:
        changes["middleware"] = body.middleware.to_domain()
    if "metadata" in changes:
        changes["metadata_json"] = encode_metadata("metadata", changes.pop("metadata"))
    if "tool_mode" in changes:
        changes["tool_mode"] = ToolMode(changes["tool_mode"])
    if changes:
        await conversation_commands.change_conversation(
            ctx, owner, conversation_id, conversation_commands.SettingChanges(**changes)
        )
    return await read(ctx, owner, conversation_id)


@router.delete(
    "/{conversation_id}/damage/{setting}",
    summary="Reset a setting that cannot be read",
    description="Resets the setting to its empty value: no text, no model, no parameters, tools off. To set another "
    "value, change the conversation. `setting` is a `column` in the conversation's `damage`.",
    responses=says(ConversationView, "not-found", "conflict", description="The updated conversation."),
)
async def reset(ctx: Ctx, owner: Owner, conversation_id: ConversationId, setting: Setting) -> Response:
    await conversation_commands.reset_setting(ctx, owner, conversation_id, setting)
    return await read(ctx, owner, conversation_id)


@router.post(
    "/{conversation_id}/keep",
    summary="Keep a temporary conversation",
    description="Stores the conversation and its child conversations on the disk. It is then a normal conversation.",
    responses=says(ConversationView, "not-found", "conflict", description="The updated conversation."),
)
async def keep(ctx: Ctx, owner: Owner, conversation_id: ConversationId) -> Response:
    await keep_conversation(ctx, owner, conversation_id)
    return await read(current(), owner, conversation_id)


@router.delete(
    "/{conversation_id}",
    summary="Move a conversation to the trash",
    description="`POST /trash/{id}/restore` restores it. A temporary conversation is deleted permanently.",
    status_code=204,
    response_class=Response,
    responses={204: {"description": "Deleted. A running reply was stopped."}} | fails("not-found"),
)
async def delete(ctx: Ctx, owner: Owner, conversation_id: ConversationId) -> Response:
    await conversation_commands.delete_conversation(ctx, owner, conversation_id)
    return Response(status_code=204)


async def _search(  # noqa: PLR0913, PLR0917 - store, owner, conditions and page
    store: Store, owner: str, criteria: ListCriteria, text: str, limit: int, cursor: Cursor | None
) -> ConversationPage:
    """Return a page of the results, best match first. `cursor` names the last result of the previous page."""
    looked_for = parse_search(text)
    async with store.read() as session:
        found = await search(session, owner, criteria, looked_for)
        ids = [place.conversation_id for place in found.places]
        start = 0 if cursor is None or cursor.conversation_id not in ids else ids.index(cursor.conversation_id) + 1
        shown = await load_found(session, owner, looked_for, found.places[start : start + limit])
    return ConversationPage(
        tuple(_describe(one.listed, _describe_place(one)) for one in shown),
        _write_place(shown[-1].listed) if shown and start + limit < len(ids) else None,
        found.complete,
    )


def _describe(listed: Listed, found: FoundView | None = None) -> ConversationView:
    return describe_conversation(listed.conversation, pair_count=listed.pair_count, snippet=listed.snippet, found=found)


def _describe_place(found: Found) -> FoundView:
    excerpt = found.excerpt
    return FoundView(
        found.place.pair_id,
        None if excerpt is None else excerpt.position,
        "" if excerpt is None else excerpt.text,
        found.place.others,
    )


def _write_place(listed: Listed) -> str:
    return write_conversation_cursor(Cursor(listed.conversation.updated_at, listed.conversation.id))
