"""The page of the status: figures of the installation for owners and admins, and two checks behind buttons.

await tab.send(StatusState.load)
tab.shows(StatusState, "work")[0].value      # "0"
"""

from __future__ import annotations

from dataclasses import dataclass

import reflex as rx

from app.domain.errors import InviewError
from app.language.faults import translate_fault
from app.language.translation import translate
from app.runs.caller import caller
from app.runs.status import ServerStanding, Status, ask_servers, check_database, read_status
from app.runs.workbench import current
from app.state.faults import describe_fault
from app.state.usage.labels import FactView
from app.views.figures import number, size


@dataclass(frozen=True)
class ServerItem:
    """A model server that was asked. `said`: what came of it."""

    label: str
    said: str
    answers: bool


class StatusState(rx.State):
    """`work`, `store` and `versions` are figures, `servers` those that were asked. `fault`: why nothing is shown.

    `busy`: something is asked or checked; `checking`: it is the file of the database.
    """

    loaded: rx.Field[bool] = rx.field(default=False)
    work: rx.Field[tuple[FactView, ...]] = rx.field(())
    store: rx.Field[tuple[FactView, ...]] = rx.field(())
    versions: rx.Field[tuple[FactView, ...]] = rx.field(())
    servers: rx.Field[tuple[ServerItem, ...]] = rx.field(())
    said: rx.Field[str] = rx.field("")
    busy: rx.Field[bool] = rx.field(default=False)
    checking: rx.Field[bool] = rx.field(default=False)
    fault: rx.Field[str] = rx.field("")

    @rx.event
    async def load(self) -> None:
        """Show the figures as they are now."""
        self.servers, self.said, self.busy, self.checking = (), "", False, False
        await self._read()

    @rx.event(background=True)
    async def ask(self) -> None:
        """Ask the model servers whether they answer."""
        async with self:
            if self.busy:
                return
            self.busy, self.said = True, translate("status.asking")
        servers, said = (), ""
        try:
            servers = tuple(map(_show_server, await ask_servers(current(), caller())))
            said = "" if servers else translate("status.no_servers")
        except InviewError as error:
            said = describe_fault(error)
        async with self:
            self.busy, self.servers, self.said = False, servers, said

    @rx.event(background=True)
    async def check(self) -> None:
        """Let the database look whether its file is whole. The page goes on meanwhile."""
        async with self:
            if self.busy:
                return
            self.busy, self.checking = True, True
        fault = ""
        try:
            await check_database(current(), caller())
        except InviewError as error:
            fault = describe_fault(error)
        async with self:
            self.busy, self.checking = False, False
            if fault:
                self.fault = fault
            else:
                await self._read()

    async def _read(self) -> None:
        try:
            status = await read_status(current(), caller())
        except InviewError as error:
            self.work = self.store = self.versions = ()
            self.fault = describe_fault(error)
        else:
            self.work, self.store, self.versions = _show_work(status), _show_store(status), _show_versions(status)
            self.fault = ""
        self.loaded = True


def _show_work(status: Status) -> tuple[FactView, ...]:
    lag = translate("status.milliseconds", count=number(round(status.lag * 1000)))
    return (
        FactView(translate("status.runs"), number(status.runs), translate("status.turns", count=status.turns)),
        FactView(translate("status.waiting"), number(status.waiting)),
        FactView(translate("status.pages"), number(status.pages)),
        FactView(
            translate("status.ended"), number(status.ended), translate("status.failed", count=number(status.failed))
        ),
        FactView(translate("status.lag"), lag),
        FactView(translate("status.uptime"), _write_hours(round(status.uptime))),
        *_show_redis(status.redis),
    )


def _show_redis(answers: bool | None) -> tuple[FactView, ...]:
    if answers is None:
        return ()
    if answers:
        return (FactView(translate("status.redis"), translate("status.redis_there")),)
    return (FactView(translate("status.redis"), translate("status.redis_away"), translate("status.redis_alone")),)


def _write_hours(seconds: int) -> str:
    """Hours, minutes and seconds: "26:03:09"."""
    minutes, rest = divmod(seconds, 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


def _show_store(status: Status) -> tuple[FactView, ...]:
    checked = status.checked
    match checked:
        case None:
            found, note = translate("status.unchecked"), ""
        case _:
            found = translate("status.damaged") if checked.wrong else translate("status.whole")
            note = checked.wrong
    return (
        FactView(translate("status.database"), size(status.database)),
        FactView(translate("status.free"), size(status.free)),
        FactView(translate("status.integrity"), found, note),
    )


def _show_versions(status: Status) -> tuple[FactView, ...]:
    return tuple(FactView(name, told) for name, told in status.versions)


def _show_server(server: ServerStanding) -> ServerItem:
    if not server.failure:
        return ServerItem(server.label, translate("status.answers", count=server.models), answers=True)
    return ServerItem(server.label, translate_fault(server.failure), answers=False)
