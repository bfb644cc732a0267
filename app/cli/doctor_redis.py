"""`inview doctor` where several processes work together through Redis: whether it answers."""

from __future__ import annotations

from app.cli.checks import Check, fault, ok
from app.domain.errors import StoreError
from app.settings import Settings


async def check_redis(settings: Settings) -> list[Check]:
    """Ask Redis, if there is one. Nothing is changed."""
    if settings.redis_url is None:
        return []
    from app.runs.cluster.link import open_link  # noqa: PLC0415 - its client is for those who have a Redis

    try:
        async with open_link(settings.redis_url, "doctor"):
            return [ok("redis", "It answers.")]
    except StoreError as error:
        return [fault("redis", str(error))]
