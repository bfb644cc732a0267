"""Grants as shown, to the owner of the conversation and to the person who has access."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from app.domain.privacy.redaction import redact_text
from app.domain.sharing.grants import Access, Grant, Granted
from app.domain.sharing.shares import shared_title
from app.views.conversation import cut_snippet


@dataclass(frozen=True, slots=True)
class PersonNameView:
    """A person of the installation, as others see them."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class GrantView:
    """Who has access to a conversation. `continue`: they may copy it and go on in the copy."""

    id: str
    conversation_id: str
    person: PersonNameView
    access: Access
    created_at: datetime


@dataclass(frozen=True, slots=True)
class GrantsView:
    """Those who have access, in the order in which they got it. `people` are all with whom it can be shared."""

    items: tuple[GrantView, ...]
    people: tuple[PersonNameView, ...]


@dataclass(frozen=True, slots=True)
class GrantedView:
    """A conversation that `owner` shares with who asks. `title`: its first words where it has none."""

    id: str
    title: str
    owner: PersonNameView
    access: Access
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class GrantedPageView:
    """What others share with who asks, changed last first."""

    items: tuple[GrantedView, ...]


@dataclass(frozen=True, slots=True)
class ReadingView:
    """A conversation that another shares, as it is stored now. `html` is a page without scripts.

    `secrets` stand on it as marks, `running` pairs are not on it.
    """

    granted: GrantedView
    html: str
    pairs: int
    secrets: int
    running: int


@dataclass(frozen=True, slots=True)
class CopiedView:
    """A copy that was made: a conversation of the person who asked."""

    conversation_id: str
    title: str
    pair_count: int


def describe_people(names: Mapping[str, str]) -> tuple[PersonNameView, ...]:
    """By name."""
    found = (PersonNameView(person_id, name) for person_id, name in names.items())
    return tuple(sorted(found, key=lambda one: (one.name.casefold(), one.id)))


def describe_grant(grant: Grant, names: Mapping[str, str]) -> GrantView:
    """Show a grant to its owner."""
    person = PersonNameView(grant.person_id, names[grant.person_id])
    return GrantView(grant.id, grant.conversation_id, person, grant.access, grant.created_at)


def describe_granted(granted: Granted, names: Mapping[str, str]) -> GrantedView:
    """Show a grant to the person who has it."""
    grant = granted.grant
    owner = PersonNameView(grant.owner, names[grant.owner])
    title = shared_title(granted.title) or cut_snippet(redact_text(granted.opening).text)
    return GrantedView(grant.id, title, owner, grant.access, grant.created_at, granted.updated_at)
