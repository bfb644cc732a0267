"""`inview verify`: builds the stored requests again and compares their hashes with those of the sent requests."""

from __future__ import annotations

from collections.abc import Callable

from app.config.settings import Settings
from app.runs.resend.verification import verify_run
from app.runs.send.commands import LOCAL_OWNER
from app.runs.wiring import open_app_context
from app.store.conversation.conversations import load_conversation
from app.store.run.verification import list_run_ids


async def verify_requests(settings: Settings, conversation_id: str | None, say: Callable[[str], object]) -> bool:
    """Print every stored request that differs from the sent one, with possible reasons. Return True if none differs.

    `conversation_id` None: check the requests of all conversations. `say` prints a line.

    Raises:
        NotFoundError: there is no such conversation.
    """
    async with open_app_context(settings) as ctx:
        async with ctx.store.read() as session:
            if conversation_id is not None:
                await load_conversation(session, LOCAL_OWNER, conversation_id)
            run_ids = await list_run_ids(session, LOCAL_OWNER, conversation_id)
        differing = 0
        for run_id in run_ids:
            verified = await verify_run(ctx, LOCAL_OWNER, run_id)
            if not verified.matches:
                differing += 1
                say(f"run {run_id} of pair {verified.pair_id} differs. {' '.join(verified.reasons)}")
    say(f"{len(run_ids) - differing} of {len(run_ids)} requests can be built again exactly as they were sent.")
    return differing == 0
