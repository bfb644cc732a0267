"""The person whose event or request this task carries out.

Named before each event of the page (`state/guard.py`) and each request of the API (`api/http/access.py`). The tasks
that they start inherit it. Jobs of the process itself have no caller: they take the owner from the row they work on.

    act_as(LOCAL_OWNER)
    conversations = await list_conversations(wb, caller())
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from structlog.contextvars import bind_contextvars

from app.domain.people.audit import COMMAND_LINE, PROCESS, Actor
from app.runs.process.ids import new_id

LOCAL: Final = "local"
"""The credential of the local owner, who does not sign in."""
_caller: Final = ContextVar[str]("caller")
_actor: Final = ContextVar[Actor]("actor", default=PROCESS)


class NoCallerError(RuntimeError):
    """Code that needs the caller ran outside of any event or request: a fault of the program."""


def caller() -> str:
    """Return the id of the person who asked.

    Raises:
        NoCallerError: nothing named one.
    """
    try:
        return _caller.get()
    except LookupError:
        raise NoCallerError("No person asked for this. Name one with act_as().") from None


def begin_request() -> str:
    """Give this task, and those that it starts, a new id that their log lines carry; the id.

    It is ours, whatever a client sends: what stands in a log is not for others to write.
    """
    request_id = new_id()
    bind_contextvars(request_id=request_id)
    return request_id


def actor_for(person_id: str) -> Actor:
    """Who does something to what this person has, as the audit trail names it."""
    actor = _actor.get()
    return actor if actor.person == person_id else Actor(person_id, PROCESS.credential)


def act_as(person_id: str, credential: str = "", address: str = "") -> None:
    """Name the person for the rest of this task and for the tasks that it starts.

    `credential` is the session or token, `address` the network address that the audit trail gets.
    """
    _caller.set(person_id)
    _actor.set(Actor(person_id, credential, address))


def come_from(address: str) -> None:
    """Name the network address of somebody who has not proved who they are."""
    _actor.set(Actor(address=address))


def act_as_process() -> None:
    """Say in the audit trail that what follows is done by the process itself."""
    _actor.set(PROCESS)


def act_as_command_line() -> None:
    """Say in the audit trail that what follows is done by a command on this machine."""
    _actor.set(COMMAND_LINE)


def actor() -> Actor:
    """Return who does this, as the audit trail names it; `PROCESS` where nothing named a person."""
    return _actor.get()


@contextmanager
def acting_as(person_id: str) -> Generator[None]:
    """Name the person for a while."""
    token = _caller.set(person_id)
    try:
        yield
    finally:
        _caller.reset(token)
