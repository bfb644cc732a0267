"""Lists of models that accept images or files. They are suggested if the chosen model does not accept an attachment.

    others = await list_capable(ctx, providers.values(), images=True)

No provider is called: the models come from provider lists that were read before, and from the adapters.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

from app.domain.models.model_profile import ModelProfile
from app.providers.base import Provider
from app.runs.app_context import AppContext

MAX_CAPABLE = 3


async def list_capable(
    ctx: AppContext, providers: Iterable[Provider], *, images: bool = False, files: bool = False
) -> tuple[ModelProfile, ...]:
    """List available models of these providers that accept images, files or both, at most `MAX_CAPABLE`.

    The first model of each provider comes first, then the second model of each provider, and so on.
    """
    ready = [provider for provider in providers if provider.ready]
    known = await asyncio.to_thread(lambda: [ctx.catalogue.lists.known(provider) for provider in ready])
    fit = [[one for one in some if (one.images or not images) and (one.files or not files)] for some in known]
    longest = max(map(len, fit), default=0)
    return tuple(some[at] for at in range(longest) for some in fit if at < len(some))[:MAX_CAPABLE]


def join_or(names: Sequence[str]) -> str:
    """Join the names with commas and “or”.

    >>> join_or(["A"]), join_or(["A", "B", "C"])
    ('A', 'A, B or C')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
