"""Commands on prompts: create, change, delete, restore, import from a file.

    prompt = await create_prompt(wb, LOCAL_OWNER, {"name": "german", "text": "Translate into German: {{text}}"})

Inserting one into a message is the page's business (`state/composer/inserting.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import TypedDict

from app.domain.prompts.prompts import Prompt, free_name, require_free, require_room, require_usable
from app.runs.library.sharing import require_changeable
from app.runs.process.ids import new_id, now
from app.runs.process.shielded import shielded
from app.runs.workbench import Workbench
from app.store.organise import prompts


class PromptFields(TypedDict, total=False):
    """What a person says of a prompt. What is left out stays as it is, or is empty."""

    name: str
    title: str
    folder: str
    text: str


async def list_prompts(wb: Workbench, owner: str) -> tuple[Prompt, ...]:
    """The prompts that a person may use, by folder and name: their own and those that others share."""
    async with wb.store.read() as session:
        return await prompts.load_usable_prompts(session, owner)


async def read_prompt(wb: Workbench, owner: str, prompt_id: str) -> Prompt:
    """One prompt that a person may use.

    Raises:
        NotFoundError: no such prompt of this person, nor one that another shares.
    """
    async with wb.store.read() as session:
        return await prompts.load_usable_prompt(session, owner, prompt_id)


@shielded
async def create_prompt(wb: Workbench, owner: str, fields: PromptFields) -> Prompt:
    """Make a new prompt.

    Raises:
        InputError: a field cannot be used.
        ConflictError: another has the name, or there are too many.
    """
    at = now()
    prompt = replace(Prompt(new_id(), owner, "", at, at), **fields)
    require_usable(prompt)
    async with wb.store.write() as session:
        known = await prompts.load_prompts(session, owner)
        require_free(known, prompt)
        require_room(known)
        await prompts.insert_prompt(session, prompt)
    return prompt


@shielded
async def import_prompts(wb: Workbench, owner: str, wanted: Sequence[PromptFields]) -> tuple[Prompt, ...]:
    """New prompts, as of a file. What the owner has word for word is left out; a name that is taken gets a number.

    Raises:
        InputError: a field of one cannot be used.
        ConflictError: there would be too many.
    """
    at = now()
    made: list[Prompt] = []
    async with wb.store.write() as session:
        known = [one for one in await prompts.load_prompts(session, owner) if one.owner == owner]
        there = {_words(one) for one in known}
        for fields in wanted:
            prompt = replace(Prompt(new_id(), owner, "", at, at), **fields)
            require_usable(prompt)
            if _words(prompt) in there:
                continue
            there.add(_words(prompt))
            made.append(replace(prompt, name=free_name(prompt.name, [one.name for one in (*known, *made)])))
        require_room(known, len(made))
        for prompt in made:
            await prompts.insert_prompt(session, prompt)
    return tuple(made)


def _words(prompt: Prompt) -> tuple[str, ...]:
    return prompt.name, prompt.title, prompt.folder, prompt.text


@shielded
async def change_prompt(wb: Workbench, owner: str, prompt_id: str, fields: PromptFields) -> Prompt:
    """Change what is named; all else stays. An admin may change one that another shares.

    Raises:
        NotFoundError: no such prompt of this person, nor one that another shares.
        ForbiddenError: another person shares it.
        InputError: a field cannot be used.
        ConflictError: another has the name.
    """
    async with wb.store.write() as session:
        before = await _load_changeable(wb, session, owner, prompt_id)
        prompt = replace(before, **fields, updated_at=now())
        require_usable(prompt)
        require_free(await prompts.load_prompts(session, prompt.owner), prompt)
        await prompts.save_prompt(session, prompt)
    return prompt


@shielded
async def delete_prompt(wb: Workbench, owner: str, prompt_id: str) -> None:
    """Delete a prompt. It can be restored.

    Raises:
        NotFoundError: no such prompt of this owner.
    """
    async with wb.store.write() as session:
        await prompts.set_prompt_deleted(session, owner, prompt_id, now())


@shielded
async def share_prompt(wb: Workbench, owner: str, prompt_id: str, *, shared: bool) -> Prompt:
    """Let everybody of the installation use a prompt, or its owner alone again. What was sent with it stays.

    Raises:
        NotFoundError: no such prompt of this person, nor one that another shares.
        ForbiddenError: another person shares it.
    """
    async with wb.store.write() as session:
        before = await _load_changeable(wb, session, owner, prompt_id)
        prompt = replace(before, shared_at=(before.shared_at or now()) if shared else None)
        await prompts.save_prompt(session, prompt)
    return prompt


async def _load_changeable(wb: Workbench, session: AsyncSession, actor_id: str, prompt_id: str) -> Prompt:
    """The prompt, if this person may change it: it is theirs, or shared and they are an admin."""
    prompt = await prompts.load_usable_prompt(session, actor_id, prompt_id)
    await require_changeable(wb, session, actor_id, prompt.owner)
    return prompt


@shielded
async def restore_prompt(wb: Workbench, owner: str, prompt_id: str) -> Prompt:
    """Restore a prompt that was deleted.

    Raises:
        NotFoundError: no such prompt of this owner was deleted.
        ConflictError: another has its name now, or there are too many.
    """
    async with wb.store.write() as session:
        prompt = await prompts.load_prompt(session, owner, prompt_id, deleted=True)
        known = await prompts.load_prompts(session, owner)
        require_free(known, prompt)
        require_room(known)
        await prompts.set_prompt_deleted(session, owner, prompt_id, None)
    return replace(prompt, deleted_at=None)
