"""Start and end of an application: after a fault it does not serve."""

from __future__ import annotations

import pytest
from starlette.types import Receive, Scope, Send

from app.web.lifespan import Lifespan, LifespanError


async def test_an_application_is_started_and_ended_once() -> None:
    heard: list[str] = []

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        assert scope["type"] == "lifespan"
        for _ in range(2):
            heard.append((await receive())["type"])
            await send({"type": f"{heard[-1]}.complete"})

    lifespan = Lifespan(application)
    await lifespan.start()
    assert heard == ["lifespan.startup"]

    await lifespan.end()
    assert heard == ["lifespan.startup", "lifespan.shutdown"]


async def test_an_exception_while_starting_is_raised_with_its_cause() -> None:
    async def application(_scope: Scope, receive: Receive, _send: Send) -> None:
        await receive()
        raise OSError("the disk is gone")

    with pytest.raises(LifespanError) as failed:
        await Lifespan(application).start()

    assert isinstance(failed.value.__cause__, OSError)


async def test_an_application_that_reports_a_failure_is_not_served() -> None:
    async def application(_scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "lifespan.startup.failed", "message": "no database"})

    with pytest.raises(LifespanError, match="no database"):
        await Lifespan(application).start()


async def test_what_was_never_started_cannot_be_ended() -> None:
    async def application(_scope: Scope, _receive: Receive, _send: Send) -> None: ...

    with pytest.raises(LifespanError, match="before the application has started"):
        await Lifespan(application).end()
