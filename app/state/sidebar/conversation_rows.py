"""The rows of the left column, as views that are read from the store.

`sidebar.py` decides which rows a tab lists, `shared_list.py` reads them once for several tabs.

    found = await read_list(current(), WantedList(ListCriteria(), "", 50))
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import starmap
from typing import Final

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.conversation import ConversationKind, ConversationStatus
from app.domain.text.search import Search, as_typed, parse_search
from app.runs.app_context import AppContext
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.sidebar.titles import name_of
from app.state.tab.address import conversation_path, pair_path
from app.store.conversation.folders import list_in_folders
from app.store.conversation.lists import ListCriteria, Listed, list_conversations, load_reply_words
from app.store.index.search import Excerpt, load_found, search
from app.views.conversation.conversation import cut_opening, cut_snippet

MAX_TEMPORARY: Final = 50

_MARKS: Final = re.compile(r"^>.*$|^#{1,6} |\*\*|`|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)", re.MULTILINE)
_DERIVED: Final = {
    ConversationStatus.ACTIVE: "Background task, running",
    ConversationStatus.COMPLETED: "Background task",
    ConversationStatus.FAILED: "Background task, failed",
}


@dataclass(frozen=True)
class ExcerptPiece:
    """A piece of an excerpt. `found`: the piece is one of the words of the search."""

    text: str
    found: bool


@dataclass(frozen=True)
class FoundWords:
    """The words of a search that one conversation contains, each once, in lower case. `conversation` is its id."""

    conversation: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class WantedList:
    """The list that a tab shows: conversations that match `criteria`, at most `limit`.

    - `words`: the text of a search; "": all conversations, the most recently changed one first.
    - `opened`: the ids of the expanded folders; None: the list has no folders.
    """

    criteria: ListCriteria
    words: str
    limit: int
    opened: tuple[str, ...] | None = None


@dataclass(frozen=True)
class FoundRows:
    """The rows of a list of conversations. `more`: there are more conversations than the limit.

    - `folders`: the folders above the rows, whose conversations `rows` does not have.
    - `complete`: all conversations were searched. Otherwise, older ones were not searched and may match too.
    """

    rows: tuple[ConversationItem, ...]
    more: bool
    complete: bool = True
    folders: tuple[FolderItem, ...] = ()


@dataclass(frozen=True)
class FolderItem:
    """A folder in the list of conversations. `count` is the number of its conversations, `rows` are the first of them.

    - `opened`: the folder is expanded. Otherwise, `rows` is empty.
    - `more`: it has more conversations than `rows`.
    """

    id: str
    name: str
    count: int
    opened: bool = False
    rows: tuple[ConversationItem, ...] = ()
    more: bool = False


@dataclass(frozen=True)
class ConversationItem:
    """A row of the list of conversations.

    - `snippet`: the beginning of the newest request, or a note that replies are compared. If the request would only
      repeat the name, the beginning of the newest reply.
    - `path`: the address of the conversation or, in a search, of the pair with the searched words.
    - `excerpt`: the text around the searched words, in pieces.
    - `derived`: the label of a child conversation, with its status; "" for a chat.
    - `failed`: the newest reply of a chat failed.
    """

    id: str
    name: str
    snippet: str
    updated_at: str
    running: bool
    temporary: bool = False
    derived: str = ""
    path: str = ""
    excerpt: tuple[ExcerptPiece, ...] = ()
    failed: bool = False


async def read_list(ctx: AppContext, wanted: WantedList) -> FoundRows:
    """Return the rows of a list, or the results of its search."""
    if wanted.words:
        return await search_rows(ctx, wanted.criteria, as_typed(wanted.words), limit=wanted.limit)
    if wanted.opened is not None:
        return await read_folders(ctx, wanted.criteria, wanted.opened, limit=wanted.limit)
    return await read_rows(ctx, wanted.criteria, limit=wanted.limit)


async def read_rows(ctx: AppContext, criteria: ListCriteria, *, limit: int) -> FoundRows:
    """Return at most `limit` conversations that match `criteria`. Temporary conversations come first."""
    async with ctx.store.read() as session:
        found = await list_conversations(session, LOCAL_OWNER, limit=limit + 1, criteria=criteria)
        rows = await _describe_all(ctx, session, found[:limit])
    temporary = await _read_temporary(ctx, criteria)
    return FoundRows((*temporary, *rows), len(found) > limit)


async def read_folders(ctx: AppContext, criteria: ListCriteria, opened: tuple[str, ...], *, limit: int) -> FoundRows:
    """Return all folders, and the conversations in no folder. Temporary conversations come first.

    Both, and each folder of `opened`, have at most `limit` conversations.
    """
    async with ctx.store.read() as session:
        found = await list_in_folders(session, LOCAL_OWNER, limit=limit, criteria=criteria, opened=opened)
        lists = {"": found.rest, **found.filed}
        described = await _describe_all(ctx, session, [one for listed in lists.values() for one in listed[:limit]])
    by_id = {item.id: item for item in described}
    rows = {key: tuple(by_id[one.conversation.id] for one in listed[:limit]) for key, listed in lists.items()}
    temporary = await _read_temporary(ctx, criteria)
    folders = tuple(
        FolderItem(
            one.folder.id,
            one.folder.name,
            one.count,
            one.folder.id in opened,
            rows.get(one.folder.id, ()),
            len(lists.get(one.folder.id, ())) > limit,
        )
        for one in found.folders
    )
    return FoundRows((*temporary, *rows[""]), len(found.rest) > limit, folders=folders)


async def search_rows(ctx: AppContext, criteria: ListCriteria, text: str, *, limit: int) -> FoundRows:
    """Return at most `limit` conversations that match `criteria` and contain the words of `text`.

    Temporary conversations come first; the others are sorted by how well they match.
    """
    looked_for = parse_search(text)
    aside = ctx.temporary.ctx
    temporary = () if aside is None else (await _search(aside, criteria, looked_for, MAX_TEMPORARY)).rows
    found = await _search(ctx, criteria, looked_for, limit)
    return FoundRows((*temporary, *found.rows), found.more, found.complete)


async def _search(ctx: AppContext, criteria: ListCriteria, looked_for: Search, limit: int) -> FoundRows:
    async with ctx.store.read() as session:
        found = await search(session, LOCAL_OWNER, criteria, looked_for)
        shown = await load_found(session, LOCAL_OWNER, looked_for, found.places[:limit])
        items = await _describe_all(ctx, session, [one.listed for one in shown])
    rows = tuple(_mark_found(item, one.excerpt) for item, one in zip(items, shown, strict=True))
    return FoundRows(rows, len(found.places) > limit, found.complete)


def _mark_found(item: ConversationItem, excerpt: Excerpt | None) -> ConversationItem:
    if excerpt is None:  # the title of the conversation has the searched words
        return item
    pieces = tuple(starmap(ExcerptPiece, excerpt.pieces))
    return replace(item, path=pair_path(item.id, str(excerpt.position)), excerpt=pieces)


def list_found(rows: Iterable[ConversationItem]) -> tuple[FoundWords, ...]:
    """Return, for each row with an excerpt, the words of the search as they are written in the excerpt."""
    return tuple(
        FoundWords(item.id, tuple(dict.fromkeys(piece.text.lower() for piece in item.excerpt if piece.found)))
        for item in rows
        if item.excerpt
    )


async def _read_temporary(ctx: AppContext, criteria: ListCriteria) -> tuple[ConversationItem, ...]:
    aside = ctx.temporary.ctx
    if aside is None:
        return ()
    async with aside.store.read() as session:
        found = await list_conversations(session, LOCAL_OWNER, limit=MAX_TEMPORARY, criteria=criteria)
        return await _describe_all(aside, session, found)


def _running(ctx: AppContext) -> set[str]:
    """Return the ids of the conversations with a running reply."""
    return {run.place.conversation_id for run in ctx.engine.runs.values()}


async def _describe_all(
    ctx: AppContext, session: AsyncSession, found: Iterable[Listed]
) -> tuple[ConversationItem, ...]:
    """Return the rows of these conversations. A row whose request only repeats its name gets the words of the reply."""
    running = _running(ctx)
    found = tuple(found)
    items = [_describe(listed, running) for listed in found]
    bare = [item.id for item, listed in zip(items, found, strict=True) if not item.snippet and listed.pair_count]
    replies = await load_reply_words(session, bare)
    words = {name: cut_snippet(leave_out_marks(text)) for name, text in replies.items()}
    return tuple(
        replace(item, snippet=words[item.id]) if item.id in words and not _repeats(words[item.id], item.name) else item
        for item in items
    )


def leave_out_marks(reply: str) -> str:
    r"""Return the text of a reply without quoted lines and the commonest marks of Markdown, for a list.

    >>> leave_out_marks("> Why?\n\n## Because\n\nIt **scatters** *blue*, `2*3` times.")
    '\n\nBecause\n\nIt scatters blue, 2*3 times.'
    """
    return _MARKS.sub("", reply)


def _describe(listed: Listed, running: set[str]) -> ConversationItem:
    conversation = listed.conversation
    name, words = name_of(conversation.title, cut_opening(listed.opening)), cut_snippet(listed.snippet)
    snippet = "" if _repeats(words, name) else words
    if listed.compared:
        snippet = " · ".join(filter(None, (f"Comparing {listed.compared} replies", snippet)))
    is_chat = conversation.kind is ConversationKind.AGENT
    return ConversationItem(
        id=conversation.id,
        name=name,
        snippet=snippet,
        updated_at=conversation.updated_at.isoformat(),
        running=conversation.id in running,
        temporary=conversation.temporary,
        path=conversation_path(conversation.id),
        derived="" if is_chat else _DERIVED[conversation.status],
        failed=is_chat and listed.failed,
    )


def _repeats(words: str, name: str) -> bool:
    """Return True if the words add nothing to the name, because both have the same letters and digits.

    Also return True if the name is the beginning of the words and ends with "…".

    >>> _repeats("Why is the sky blue?", "Why is the sky…"), _repeats("Why is the sky blue?", "Why is the sky")
    (True, False)
    """
    said, named = _letters(words), _letters(name)
    return words == name or said == named != "" or (name.endswith("…") and said.startswith(named) and named != "")


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))
