"""Persons, roles and sessions, and the rules for names, addresses and passwords.

>>> clean_email("  Ann@Example.org ")
'ann@example.org'
>>> Role.MEMBER.administers, Role.OWNER.administers
(False, True)
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from typing import Final

from app.domain.errors import InputError

MIN_PASSWORD: Final = 10
MAX_PASSWORD: Final = 1_000
MAX_NAME: Final = 100
MAX_EMAIL: Final = 254
TOKEN_BYTES: Final = 32
INVITATION_LIFE: Final = timedelta(days=7)
SESSION_LIFE: Final = timedelta(days=30)
"""How long a session lasts after it was last used."""

_EMAIL: Final = re.compile(r"[^@\s\x00-\x1f]+@[^@\s\x00-\x1f]+")


class Role(StrEnum):
    """What a person may do beside using what is their own."""

    OWNER = "owner"
    ADMIN = "admin"
    MEMBER = "member"

    @property
    def administers(self) -> bool:
        """Whether this role may do what concerns others, the machine and its networks."""
        return self is not Role.MEMBER


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who can sign in. Everything of theirs has `id` as its owner."""

    id: str
    name: str
    email: str
    role: Role
    disabled: bool
    created_at: datetime


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A session that is valid now, and whose it is."""

    session_id: str
    person: Person
    used_at: datetime


@dataclass(frozen=True, slots=True)
class Member:
    """A person as the list of people shows them. `used_at` is when a session of theirs was last used; None: never."""

    person: Person
    used_at: datetime | None


@dataclass(frozen=True, slots=True)
class Device:
    """The browser that signs in, as the list of sessions shows it: its User-Agent and its network address."""

    agent: str
    address: str


@dataclass(frozen=True, slots=True)
class OpenSession:
    """A valid session as the person who has it sees it."""

    id: str
    device: Device
    created_at: datetime
    used_at: datetime


@dataclass(frozen=True, slots=True)
class Invitation:
    """What a one-time link lets its holder do: become a person with this role, or set the password of `person_id`."""

    id: str
    role: Role
    person_id: str | None
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a sign-in provider says somebody is: `subject` is their id there. `email` is "" if it told none."""

    issuer: str
    subject: str
    email: str
    email_verified: bool
    name: str


@dataclass(frozen=True, slots=True)
class LinkedIdentity:
    """An account at a provider that signs a person in."""

    issuer: str
    subject: str
    email: str


def hash_token(token: str) -> str:
    """Return what is stored of a random token: its SHA-256 in hex. It has 256 random bits, so it needs no salt."""
    return sha256(token.encode()).hexdigest()


def clean_email(text: str) -> str:
    """Return the address as it is stored and compared.

    Raises:
        InputError: it is no address.
    """
    email = text.strip().lower()
    if len(email) > MAX_EMAIL or not _EMAIL.fullmatch(email):
        raise InputError("email", "is not an e-mail address. Write it like ann@example.org.")
    return email


def clean_name(text: str) -> str:
    """Return the name as it is stored.

    Raises:
        InputError: it is empty, too long or has characters that do not show.
    """
    name = " ".join(text.split())
    if not 1 <= len(name) <= MAX_NAME or not name.isprintable():
        raise InputError("name", f"has to have 1 to {MAX_NAME} characters.")
    return name


def require_password(text: str) -> None:
    """Refuse a password that is too short or too long.

    Raises:
        InputError: it is.
    """
    if not MIN_PASSWORD <= len(text) <= MAX_PASSWORD:
        raise InputError("password", f"has to have {MIN_PASSWORD} to {MAX_PASSWORD:,} characters.")
