"""The secrets that are stored encrypted, and which of them the key file does not open."""

from __future__ import annotations

from sqlalchemy import select

from app.domain.errors import StoreError
from app.runs.workbench import Workbench
from app.store.people.rows_second_steps import SECOND_STEP
from app.store.settings.rows_settings import PROVIDER_SETTING
from app.store.tools.rows_servers import MCP_SERVER

_PLACES = (
    ("provider", PROVIDER_SETTING.c.provider, PROVIDER_SETTING.c.sealed_key),
    ("MCP server", MCP_SERVER.c.name, MCP_SERVER.c.sealed_secrets),
    ("MCP server", MCP_SERVER.c.name, MCP_SERVER.c.sealed_tokens),
    ("second step of", SECOND_STEP.c.person_id, SECOND_STEP.c.sealed_secret),
)


async def check_secrets(wb: Workbench) -> tuple[int, list[str]]:
    """Open every stored secret; return how many there are, and of each that stays closed why."""
    async with wb.store.read() as session:
        stored = [
            (f"{what} {name}", sealed)
            for what, table, column in _PLACES
            for name, sealed in (await session.execute(select(table, column).where(column.is_not(None)))).all()
        ]
    reasons = [(whose, _try(wb, sealed)) for whose, sealed in stored]
    return len(stored), [f"The secret of {whose}: {why}" for whose, why in reasons if why]


def _try(wb: Workbench, sealed: bytes) -> str:
    """Why a secret cannot be opened, "" if it can."""
    try:
        wb.catalogue.cipher.decrypt(sealed)
    except StoreError as error:
        return str(error)
    return ""
