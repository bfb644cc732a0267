"""Finds models that take what is attached, for when the chosen one does not.

    others = await list_capable(wb, owner, images=True)

No provider is asked for its models here: those count that its list, as far as it was read, or its adapter knows.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from app.domain.model_profile import ModelProfile
from app.domain.people.allowances import allows
from app.runs.usage.allowances import read_allowance
from app.runs.workbench import Workbench

MAX_CAPABLE = 3


async def list_capable(
    wb: Workbench, owner: str, *, images: bool = False, files: bool = False, limit: int = MAX_CAPABLE
) -> tuple[ModelProfile, ...]:
    """Models that take images, or files, or both, and can be asked now: each provider's first before its second."""
    async with wb.store.read() as session:
        providers = (await wb.catalogue.providers(session, owner)).values()
    allowed = (await read_allowance(wb, owner)).models
    ready = [provider for provider in providers if provider.ready]
    known = await asyncio.to_thread(lambda: [wb.catalogue.lists.known(provider) for provider in ready])
    fit = [
        [one for one in some if allows(allowed, one.model) and (one.images or not images) and (one.files or not files)]
        for some in known
    ]
    longest = max(map(len, fit), default=0)
    return tuple(some[at] for at in range(longest) for some in fit if at < len(some))[:limit]


def join_or(names: Sequence[str]) -> str:
    """The names as a choice.

    >>> join_or(["A"]), join_or(["A", "B", "C"])
    ('A', 'A, B or C')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
