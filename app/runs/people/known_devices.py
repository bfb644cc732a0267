"""Known devices: a browser in which a person typed the right password before goes first when many sign in.

    mark = mark_device(wb, person.id, password_hash)           # for a cookie of this browser
    device = know_device(wb, mark, person.id, password_hash)   # None: unknown, forged, or the password is another now

A mark opens nothing: the password is asked all the same. Attempts with it are counted by themselves, so that failed
attempts of strangers do not lock the person out.
"""

from __future__ import annotations

import hmac
import secrets
from typing import Final

from app.domain.people.people import Person
from app.runs.workbench import Workbench
from app.store.people.people import find_by_email

_BYTES: Final = 16
_CHARACTERS: Final = 22
"""Of the name of a device; the rest of its mark is the signature."""


def mark_device(wb: Workbench, person_id: str, password_hash: str) -> str:
    """Return a mark for a browser in which this person has just typed the right password."""
    name = secrets.token_urlsafe(_BYTES)
    return name + _sign(wb, name, person_id, password_hash)


async def mark_own_device(wb: Workbench, person: Person) -> str:
    """Return a mark for a browser in which this person has just chosen their password."""
    async with wb.store.read() as session:
        found = await find_by_email(session, person.email)
    return mark_device(wb, person.id, "" if found is None else found[1])


def know_device(wb: Workbench, mark: str, person_id: str, password_hash: str) -> str | None:
    """Return the name of the device that has this mark; None: it is not one that this person used."""
    name, signature = mark[:_CHARACTERS], mark[_CHARACTERS:]
    right = hmac.compare_digest(signature.encode(), _sign(wb, name, person_id, password_hash).encode())
    return name if right else None


def _sign(wb: Workbench, name: str, person_id: str, password_hash: str) -> str:
    return wb.catalogue.cipher.sign(f"device {name} {person_id} {password_hash}")
