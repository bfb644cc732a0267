"""`inview token …`: tokens are made, listed and revoked on the machine of the database."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.cli.tokens import add, describe_tokens, revoke
from app.domain.errors import InputError, NotFoundError
from app.domain.people.tokens import PREFIX
from app.settings import Settings, load_settings
from tests.databases import installation


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings(installation(tmp_path))


async def test_token_is_made_listed_and_revoked(settings: Settings):
    text = await add(settings, "", ("nightly", ("read", "write"), "never"))

    assert text.startswith(PREFIX)
    (line,) = await describe_tokens(settings, "")
    assert line.endswith(f"…{text[-4:]}  read,write  never expires  nightly")
    await revoke(settings, "", line.split()[0])
    assert await describe_tokens(settings, "") == ()
    with pytest.raises(NotFoundError):
        await revoke(settings, "", line.split()[0])


@pytest.mark.parametrize(
    ("wanted", "field"),
    [(("x", ("admin",), "90"), "scopes"), (("x", (), "90"), "scopes"), (("x", ("read",), "soon"), "days")],
)
async def test_what_cannot_be_used_is_named(settings: Settings, wanted: tuple[str, tuple[str, ...], str], field: str):
    with pytest.raises(InputError) as refused:
        await add(settings, "", wanted)

    assert refused.value.field == field


async def test_person_has_to_exist(settings: Settings):
    with pytest.raises(NotFoundError):
        await add(settings, "nobody@example.org", ("x", ("read",), "90"))
