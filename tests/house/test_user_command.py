"""`inview user …`: roles and deletion from the command line."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli.main import cli
from app.domain.errors import ConflictError, InputError
from app.domain.people.people import Person, Role
from app.runs.process.ids import now
from app.store.database.database import open_store
from app.store.people.people import insert_person, load_people
from tests.databases import lay_database


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("INVIEW_DATA_DIR", str(tmp_path))
    return f"sqlite+aiosqlite:///{lay_database(tmp_path)}"


async def people_of(url: str) -> dict[str, Role]:
    async with open_store(url) as store, store.read() as session:
        return {person.id: person.role for person in await load_people(session)}


def run(*words: str, typed: str = "") -> str:
    """Run a command in this process; its fault comes out here."""
    done = CliRunner().invoke(cli, ["user", *words], input=typed)
    if done.exception is not None:
        raise done.exception
    return done.stdout


async def add(url: str, name: str, role: Role) -> None:
    person = Person(name, name.title(), f"{name}@example.org", role, disabled=False, created_at=now())
    async with open_store(url) as store, store.write() as session:
        await insert_person(session, person, "")


def test_role_is_changed_but_not_that_of_the_last_owner(url: str) -> None:
    asyncio.run(add(url, "ann", Role.OWNER))
    asyncio.run(add(url, "ben", Role.MEMBER))

    assert run("role", "ben@example.org", "admin") == "ben@example.org is admin now.\n"
    with pytest.raises(ConflictError, match="last owner"):
        run("role", "ann@example.org", "member")
    with pytest.raises(ConflictError, match="last owner"):
        run("disable", "ann@example.org")

    assert asyncio.run(people_of(url)) == {"ann": Role.OWNER, "ben": Role.ADMIN}


def test_person_is_deleted_after_their_name_was_typed(url: str) -> None:
    asyncio.run(add(url, "ann", Role.OWNER))
    asyncio.run(add(url, "ben", Role.MEMBER))

    with pytest.raises(InputError, match="Nothing was deleted"):
        run("delete", "ben@example.org", typed="Ann\n")
    with pytest.raises(ConflictError, match="last owner"):
        run("delete", "ann@example.org", typed="Ann\n")
    assert len(asyncio.run(people_of(url))) == 2
    run("delete", "ben@example.org", typed="Ben\n")

    assert asyncio.run(people_of(url)) == {"ann": Role.OWNER}
