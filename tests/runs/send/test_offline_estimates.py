"""The estimate agrees with the built-in demo model, which reports the tokens that were shown before the send."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.domain.attachments.uploads import UploadKind
from app.domain.tools.tools import Tool, ToolOutcome
from app.runs.app_context import AppContext
from app.runs.attachments.uploads import attach_file, load_attached
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import preview_send
from app.runs.send.send_request import SendRequest
from app.store.ledger.ledger import EndedCall
from app.tools.toolbox import BuiltIn
from app.views.usage.usage import describe_report
from tests.media.test_pictures import a_picture
from tests.runs.steps import a_conversation, calls_of, reply_to

SCHEMA = '{"type":"object","properties":{"path":{"type":"string","description":"Where the file lies."}}}'
PASTE = " ".join(["The sea was calm, and the boats lay still in the harbour."] * 250)
FORMS = ["Why?", PASTE, "请把下面这份合同翻译成英文。" * 300, Path(__file__).read_text()]


async def send(ctx: AppContext, conversation_id: str, text: str, **more: Any) -> tuple[float, EndedCall]:
    """Return the distance of the estimate from the reported count, as a share of the band; and the call."""
    planned = await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest(text, **more))
    await reply_to(ctx, conversation_id, text, **more)
    call = (await calls_of(ctx, conversation_id))[-1]
    assert call.usage is not None
    estimate = planned.composed.composition.estimate
    return abs(call.usage.prompt_tokens - estimate.tokens) / (estimate.tokens * estimate.error_band), call


@pytest.fixture
def tools(ctx: AppContext) -> None:
    async def nothing(*_: Any, **__: Any) -> ToolOutcome:
        return ToolOutcome(())

    names = ("read_file", "search")
    offered = [
        Tool(f"files__{name}", "files", "files", name, "", "Reads what is there. " * 20, SCHEMA, read_only=True)
        for name in names
    ]
    ctx.toolbox.register(BuiltIn(tool, nothing) for tool in offered)


@pytest.mark.usefixtures("tools")
async def test_with_two_tools_a_paste_is_inside_its_band_and_nothing_is_implausible(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo", system_prompt="Be brief.")
    for text in ["/echo Hello", "/echo And now?", *(f"/long 20\n{form}" for form in FORMS)]:
        share, call = await send(ctx, conversation_id, text)

        assert share <= 1, text[:40]
        assert describe_report(call.report_fault, call.reported) is None


async def test_files_and_pictures_are_inside_the_band_too(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    picture = await attach_file(ctx, LOCAL_OWNER, a_picture("PNG", (900, 700)), "a.png")
    table = await attach_file(ctx, LOCAL_OWNER, b"x,y\n" + b"1234,5678\n" * 300, "a.csv")
    attached = await load_attached(ctx, LOCAL_OWNER, [picture.attachment.id, table.attachment.id])

    share, _ = await send(ctx, conversation_id, "/echo What is this?", attached=attached)

    assert (picture.kind, table.kind) == (UploadKind.IMAGE, UploadKind.TEXT)
    assert share <= 1
