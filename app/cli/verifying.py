"""`inview verify`: computes the hashes of the sent requests again, from their pairs or the records of their calls."""

from __future__ import annotations

from collections.abc import Callable

from app.config.settings import Settings
from app.runs.resend.verification import verify_run
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.wiring import open_app_context
from app.store.run.verification import list_run_ids, load_sent_from


async def verify_requests(settings: Settings, conversation_id: str | None, say: Callable[[str], object]) -> bool:
    """Print every sent request whose content cannot be proven, with possible reasons. Return True if there is none.

    `conversation_id` None: check the requests of all conversations. `say` prints a line.

    Raises:
        NotFoundError: there is no such conversation.
    """
    async with open_app_context(settings) as ctx:
        async with ctx.store.read() as session:
            if conversation_id is not None:
                await load_sent_from(session, LOCAL_OWNER, conversation_id)
            run_ids = await list_run_ids(session, LOCAL_OWNER, conversation_id)
        rebuilt = recorded = 0
        for run_id in run_ids:
            verified = await verify_run(ctx, LOCAL_OWNER, run_id, in_trash=True)
            if verified.matches:
                rebuilt += 1
            elif verified.is_proven:
                recorded += 1
            else:
                say(f"run {run_id} of pair {verified.pair_id} cannot be verified. {' '.join(verified.reasons)}")
    proven = rebuilt + recorded
    say(
        f"{proven} of {len(run_ids)} requests are verified: {rebuilt} built again from their pairs, "
        f"{recorded} read from the records of their calls."
    )
    return proven == len(run_ids)
