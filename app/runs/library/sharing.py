"""Agents and prompts shared within the installation: who may change them, and who shares each.

await require_changeable(wb, session, caller(), agent.owner)      # ForbiddenError: "Only its owner or an admin …"
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.errors import ForbiddenError
from app.runs.workbench import Workbench
from app.store.people.people import load_administrators, load_people


@dataclass(frozen=True, slots=True)
class Sharing:
    """What a person may do with what is shared. `offered`: there are others to share with. `names`: who is who."""

    offered: bool
    administers: bool
    names: dict[str, str]


async def require_changeable(wb: Workbench, session: AsyncSession, actor_id: str, owner: str) -> None:
    """Refuse to let somebody change what another person shares, admins excepted.

    Raises:
        ForbiddenError: it is another's, and they are no admin.
    """
    if actor_id == owner:
        return
    if not wb.settings.accounts or actor_id not in await load_administrators(session):
        raise ForbiddenError("Only its owner or an admin can change what is shared. Duplicate it to have your own.")


async def read_sharing(wb: Workbench, actor_id: str) -> Sharing:
    """Return what a person may do with what is shared, and the names of those who share."""
    if not wb.settings.accounts:
        return Sharing(offered=False, administers=True, names={})
    async with wb.store.read() as session:
        people = await load_people(session)
        administers = actor_id in await load_administrators(session)
    return Sharing(offered=True, administers=administers, names={one.id: one.name for one in people})
