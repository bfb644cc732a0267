"""`inview verify`: everything that can be checked about an installation without asking anybody.

The file of the database, that each row can be read, attachments by their hashes, the ledger, accounting, the audit
trail, the stored secrets, and the requests, which are computed anew and compared with the hashes of what was sent. What
it prints is the same for two installations that hold the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sqlalchemy import make_url, select
from sqlalchemy.exc import NoResultFound

from app.cli.stored_secrets import check_secrets
from app.domain.errors import NotFoundError, StoreError
from app.runs.resend.verification import verify_run
from app.runs.wiring import open_quietly
from app.runs.workbench import Workbench
from app.settings import Settings
from app.store.audit.integrity import check_audit
from app.store.backup.fingerprint import take_fingerprint
from app.store.backup.opening import open_rows
from app.store.checkup import check_file, count_attachments, find_damage, list_owners
from app.store.conversation.rows import CONVERSATION
from app.store.database.damage import UNREADABLE
from app.store.database.migrations import HEAD, check, exists
from app.store.ledger.integrity import IntegrityReport, check_accounting, check_ledger
from app.store.run.sent_calls import check_sent_calls
from app.store.run.verification import list_recorded, list_run_ids

Say = Callable[[str], object]


@dataclass(eq=False)
class Findings:
    """What is broken, in the order in which it was found."""

    faults: list[str] = field(default_factory=list[str])

    @property
    def first(self) -> str | None:
        """The first broken thing."""
        return self.faults[0] if self.faults else None


async def verify_installation(settings: Settings, conversation_id: str | None, say: Say) -> Findings:
    """Say what was checked and everything that is broken; a conversation: only the requests of it.

    Raises:
        StoreError: the database is older or newer than this code, is not there, or cannot be read at all.
        NotFoundError: there is no such conversation.
    """
    if not exists(settings.database_url):
        raise StoreError(f"There is no database {make_url(settings.database_url).database}: nothing can be verified.")
    check(settings.database_url)
    findings = Findings()

    def report(what: str, faults: list[str] | tuple[str, ...]) -> None:
        findings.faults += faults
        say(f"{what}{': ' + str(len(faults)) + ' broken' if faults else ''}")
        for fault in faults:
            say(f"    {fault}")

    async with open_quietly(settings, offline=True) as wb:
        if conversation_id is None:
            await _verify_store(wb, report)
        await _verify_requests(wb, conversation_id, report)
    if conversation_id is None:
        say(f"Digest: {_digest(settings)}")
    return findings


_Report = Callable[[str, list[str] | tuple[str, ...]], None]


async def _verify_store(wb: Workbench, report: _Report) -> None:
    wrong = await check_file(wb.store, thorough=True)
    report(f"The database, revision {HEAD}", [f"{wrong}. Put a backup back."] if wrong else [])
    found = await find_damage(wb.store)
    of_bytes = [one for one in found if one.damage.table == "attachment"]
    report("All rows can be read", [one.describe() for one in found if one not in of_bytes])
    async with wb.store.read() as session:
        count = await count_attachments(session)
        ledger, accounting = await check_ledger(session), await check_accounting(session)
        sent, audit = await check_sent_calls(session), await check_audit(session)
    report(f"{count:,} attachments have the bytes of their SHA-256", [one.describe() for one in of_bytes])
    _report_one(report, "entries of the ledger: none is missing, its sums are right", ledger)
    _report_one(report, "accounting nodes agree with the ledger", accounting)
    forgotten = f"; the words of {sent.forgotten:,} were deleted for good" if sent.forgotten else ""
    report(f"{sent.count:,} recorded calls have the bytes of their SHA-256{forgotten}", sent.faults)
    chain = f"{audit.count:,} entries of the audit trail follow one another, the last is {audit.head[:16]}"
    report(chain, audit.faults)
    secret_count, faults = await check_secrets(wb)
    report(f"{secret_count:,} stored secrets can be opened", faults)


def _report_one(report: _Report, what: str, checked: IntegrityReport) -> None:
    report(f"{checked.count:,} {what}", checked.faults)


async def _verify_requests(wb: Workbench, conversation_id: str | None, report: _Report) -> None:
    async with wb.store.read() as session:
        owners = await list_owners(session)
        if conversation_id is not None:
            of_it = select(CONVERSATION.c.owner).where(CONVERSATION.c.id == conversation_id)
            owners = tuple((await session.execute(of_it)).scalars())
            if not owners:
                raise NotFoundError("conversation", conversation_id)
        runs = [(owner, run) for owner in owners for run in await list_run_ids(session, owner, conversation_id)]
        recorded: dict[str, bool] = {}
        for owner in owners:
            recorded |= await list_recorded(session, owner, conversation_id)
    faults: list[str] = []
    for owner, run_id in runs:
        try:
            verified = await verify_run(wb, owner, run_id)
        except (NoResultFound, *UNREADABLE) as error:
            faults.append(f"run {run_id} cannot be computed, as a row that it needs is missing or damaged: {error}")
            continue
        if not verified.matches:
            faults.append(f"run {run_id} of pair {verified.pair_id} differs. {' '.join(verified.reasons)}")
    exact = len(runs) - len(faults)
    report(f"{exact} of {len(runs)} requests can be made again exactly as they were sent", faults)
    lost = [f"run {run_id}: its call is not in the record" for run_id, is_there in recorded.items() if not is_there]
    report(f"{len(recorded) - len(lost)} requests for titles, summaries and cache refreshes are in the record", lost)


def _digest(settings: Settings) -> str:
    with open_rows(settings.database_url) as rows:
        return take_fingerprint(rows)
