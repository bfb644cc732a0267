"""Prompts as shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from app.domain.prompts.prompts import Prompt
from app.domain.prompts.variables import list_variables

PROMPTS_FORMAT: Final = "inview-prompts"
PROMPTS_VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class VariableView:
    """A variable of a prompt. `default` null: a value has to be given."""

    name: str
    default: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptView:
    """A prompt. `folder` has slashes between folder and folder; "": in none.

    `owner`: whose it is; `shared`: everybody may use it.
    """

    id: str
    name: str
    title: str
    folder: str
    text: str
    variables: tuple[VariableView, ...]
    created_at: datetime
    updated_at: datetime
    owner: str
    shared: bool


@dataclass(frozen=True, slots=True)
class PromptsView:
    """An owner's prompts, by folder and name."""

    items: tuple[PromptView, ...]


@dataclass(frozen=True, slots=True)
class WrittenPrompt:
    """A prompt as a file holds it."""

    name: str
    title: str
    folder: str
    text: str


@dataclass(frozen=True, slots=True)
class PromptsFile:
    """Prompts as a file holds them."""

    format: str
    version: int
    exported_at: datetime
    prompts: tuple[WrittenPrompt, ...]


@dataclass(frozen=True, slots=True)
class ImportedPromptsView:
    """What became of a file of prompts: those that were created, and how many were here already, word for word."""

    items: tuple[PromptView, ...]
    known: int


def write_prompts(prompts: Iterable[Prompt], at: datetime) -> PromptsFile:
    """Write prompts into a file."""
    written = (WrittenPrompt(one.name, one.title, one.folder, one.text) for one in prompts)
    return PromptsFile(PROMPTS_FORMAT, PROMPTS_VERSION, at, tuple(written))


def describe_prompt(prompt: Prompt) -> PromptView:
    """Show a prompt with its variables."""
    return PromptView(
        id=prompt.id,
        name=prompt.name,
        title=prompt.title,
        folder=prompt.folder,
        text=prompt.text,
        variables=tuple(VariableView(one.name, one.default) for one in list_variables(prompt.text)),
        created_at=prompt.created_at,
        updated_at=prompt.updated_at,
        owner=prompt.owner,
        shared=prompt.shared_at is not None,
    )
