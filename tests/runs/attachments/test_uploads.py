"""Images and files of a message: uploaded, counted, sent as the preview shows, stored once and deleted."""

from __future__ import annotations

import json
from base64 import b64encode
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, select, update

from app.domain.attachments.attachments import id_of
from app.domain.attachments.uploads import MAX_ATTACHED, Upload
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import Image, Text, TextFile
from app.domain.errors import InputError, NotFoundError
from app.runs.app_context import AppContext, context_for
from app.runs.attachments import uploads
from app.runs.attachments.uploads import attach_file, drop_upload, find_uploads, load_attached
from app.runs.compare.comparisons import ComparedModels, keep_reply, start_comparison
from app.runs.conversation.conversation_commands import delete_conversation
from app.runs.resend.resend import Later, ResendOptions, resend_pair
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import preview_send
from app.runs.send.context_selection import ViewOptions
from app.runs.send.queue import queue_text, read_queue
from app.runs.send.send_request import SendRequest
from app.runs.settings.preference_commands import read_preferences, set_preferences
from app.runs.temporary.temporary import create_temporary, keep_conversation
from app.runs.trash.trash import empty_trash
from app.store.attachments.rows_attachment import ATTACHMENT
from app.store.attachments.rows_upload import UPLOAD
from app.store.conversation.pairs import load_pairs
from tests.domain.attachments.test_attachments import HEIC
from tests.media.test_pictures import SECRET, a_photo, a_picture
from tests.runs.request.test_wire import peers
from tests.runs.steps import a_conversation, collect, pair_of, reply_to, send
from tests.runs.temporary.test_temporary import written
from tests.waiting import until_found

TABLE = "city,people\nUlm,128928\n"
MODELS = {
    "anthropic": "anthropic:claude-sonnet-4-5",
    "openai": "openai:gpt-4o",
    "openai_compatible": "peer:gpt-4o",
}


IMAGES = {"anthropic": "image", "openai": "input_image", "openai_compatible": "image_url"}


async def upload(ctx: AppContext, data: bytes, name: str = "photo.jpg", **more: bool) -> Upload:
    return await attach_file(ctx, LOCAL_OWNER, data, name, **more)


async def some_files(ctx: AppContext) -> list[str]:
    """Upload a photo and a table."""
    both = await upload(ctx, a_photo()), await upload(ctx, TABLE.encode(), "data/cities.csv")
    return [one.attachment.id for one in both]


async def count(ctx: AppContext) -> int:
    async with ctx.store.read() as session:
        return (await session.execute(select(func.count()).select_from(ATTACHMENT))).scalar_one()


@pytest.mark.parametrize("protocol", MODELS)
async def test_what_arrives_at_the_provider_is_the_preview_with_the_image_and_the_text(
    data: Path, protocol: str
) -> None:
    async with peers(data) as (ctx, peer_of):
        conversation = await a_conversation(ctx, model=MODELS[protocol])
        ids = await some_files(ctx)
        attached = await load_attached(ctx, LOCAL_OWNER, ids)
        shown = await preview_send(ctx, LOCAL_OWNER, conversation, SendRequest("Look", attached=attached))
        ended = await reply_to(ctx, conversation, "Look", attached=attached)

        (heard,) = peer_of[protocol].heard
        assert heard.body == shown.wire.body
        assert ended.started.content_hash == shown.hashes[-1]
        said = json.loads(heard.body)
        (message,) = said["input"] if protocol == "openai" else said["messages"]
        (image,) = attached.files
        address = f"data:image/jpeg;base64,{b64encode(image.data).decode()}"
        text, picture, table = message["content"]
        kind = "input_text" if protocol == "openai" else "text"
        assert text == {"type": kind, "text": "Look"}
        assert table == {"type": kind, "text": f'<file name="cities.csv">\n{TABLE}</file>'}
        assert (
            picture
            == {
                "anthropic": {
                    "type": "image",
                    "source": {"type": "base64", "media_type": "image/jpeg", "data": b64encode(image.data).decode()},
                },
                "openai": {"type": "input_image", "detail": "auto", "image_url": address},
                "openai_compatible": {"type": "image_url", "image_url": {"url": address}},
            }[protocol]
        )
        assert b"Exif" not in image.data

        again = await preview_send(ctx, LOCAL_OWNER, conversation, SendRequest("And now?"))
        assert b64encode(image.data) in again.wire.body  # a part of the history now


async def test_a_message_keeps_what_it_took_and_the_upload_may_go(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx, model="offline:demo")
    photo, table = await some_files(ctx)
    ended = await reply_to(ctx, conversation, "Look", attached=await load_attached(ctx, LOCAL_OWNER, [photo, table]))

    await drop_upload(ctx, LOCAL_OWNER, photo)
    await drop_upload(ctx, LOCAL_OWNER, table)

    assert ended.pair.request.parts == (
        Text("Look"),
        Image(photo, "image/jpeg", 40, 20),
        TextFile("cities.csv", TABLE),
    )
    assert await count(ctx) == 1
    await delete_conversation(ctx, LOCAL_OWNER, conversation)
    await empty_trash(ctx, LOCAL_OWNER)
    assert await count(ctx) == 0


async def test_the_same_bytes_are_kept_once(ctx: AppContext) -> None:
    first = await upload(ctx, a_picture("PNG"), "a.png")
    second = await upload(ctx, a_picture("PNG"), "b.png")

    assert first.attachment.id == second.attachment.id
    assert await count(ctx) == 1
    (kept,) = await find_uploads(ctx, LOCAL_OWNER, [first.attachment.id])
    assert kept.attachment.name == "b.png"
    assert await find_uploads(ctx, "bob", [first.attachment.id]) == ()
    with pytest.raises(NotFoundError):
        await drop_upload(ctx, "bob", first.attachment.id)
    assert await count(ctx) == 1
    await drop_upload(ctx, LOCAL_OWNER, first.attachment.id)
    assert await count(ctx) == 0


async def test_a_file_that_no_message_took_goes_after_a_week(ctx: AppContext) -> None:
    await upload(ctx, a_picture("PNG"), "old.png")
    async with ctx.store.write() as session:
        await session.execute(update(UPLOAD).values(created_at=UPLOAD.c.created_at - timedelta(days=8)))

    new = await upload(ctx, b"new", "new.txt")

    async with ctx.store.read() as session:
        assert (await session.execute(select(ATTACHMENT.c.id))).scalars().all() == [new.attachment.id]


async def test_what_cannot_be_attached_is_refused_in_a_sentence(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError, match=r"is no longer stored\. Attach the file again"):
        await load_attached(ctx, LOCAL_OWNER, ["0" * 64])
    with pytest.raises(
        InputError, match=rf"are {MAX_ATTACHED + 1} files\. The maximum for one message is {MAX_ATTACHED}"
    ):
        await load_attached(ctx, LOCAL_OWNER, ["0" * 64] * (MAX_ATTACHED + 1))
    monkeypatch.setattr(uploads, "MAX_TEXTS_BYTES", 5)
    ids = [(await upload(ctx, text, "a.txt")).id for text in (b"one", b"three")]
    with pytest.raises(InputError, match=r"of text\. The maximum for one message is 0"):
        await load_attached(ctx, LOCAL_OWNER, ids)


@pytest.mark.parametrize("name", ["photo.png", "photo.jpg", "photo"])
async def test_photo_is_labelled_by_its_bytes_whatever_its_name(ctx: AppContext, name: str) -> None:
    kept = await upload(ctx, a_photo(), name)

    assert kept.attachment.media_type == "image/jpeg"
    assert isinstance(kept.part, Image)
    assert kept.part.media_type == "image/jpeg"


async def test_photo_of_a_phone_is_refused_with_its_format_and_those_that_are_taken(ctx: AppContext) -> None:
    with pytest.raises(InputError, match=r"IMG_1\.png cannot be sent.* \(PNG, JPEG, WebP, GIF\)"):
        await upload(ctx, HEIC, "IMG_1.png")


async def test_what_is_attached_is_counted_before_it_is_sent(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx, model="anthropic:claude-sonnet-4-5")
    photo, table = await some_files(ctx)

    async def estimate(*ids: str, text: str = "Look") -> int:
        attached = await load_attached(ctx, LOCAL_OWNER, ids)
        planned = await preview_send(ctx, LOCAL_OWNER, conversation, SendRequest(text, attached=attached))
        return planned.composed.composition.estimate.draft

    alone = await estimate()
    assert await estimate(photo) == alone + 2  # 40 by 20 pixels in patches of 28
    words = await estimate(text=f'Look<file name="cities.csv">\n{TABLE}</file>')
    assert abs(await estimate(table) - words) <= 2
    assert await estimate(photo, text="") > 2


async def test_a_model_without_images_is_refused_and_others_are_named(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx, model="offline:tiny")
    photo, table = await some_files(ctx)

    refused = (
        r"^attachments: cannot be sent: Offline tiny does not support images\. Choose a model that does, such as Off"
    )
    attached = await load_attached(ctx, LOCAL_OWNER, [photo])
    with pytest.raises(InputError, match=refused):
        await reply_to(ctx, conversation, "Look", attached=attached)
    with pytest.raises(InputError, match="does not support images"):
        await start_comparison(
            ctx,
            LOCAL_OWNER,
            conversation,
            SendRequest("L", attached=attached),
            ComparedModels(["offline:demo", "offline:tiny"]),
        )
    planned = await preview_send(ctx, LOCAL_OWNER, conversation, SendRequest("Look", attached=attached))
    assert [one.pair_id for one in planned.built.unsupported] == [None]
    assert await reply_to(ctx, conversation, "Look", attached=await load_attached(ctx, LOCAL_OWNER, [table]))


@pytest.mark.parametrize("protocol", MODELS)
async def test_system_prompt_and_an_image_without_a_word_are_sent(data: Path, protocol: str) -> None:
    async with peers(data) as (ctx, peer_of):
        conversation = await a_conversation(ctx, model=MODELS[protocol], system_prompt="Describe it.")
        attached = await load_attached(ctx, LOCAL_OWNER, (await some_files(ctx))[:1])
        ended = await reply_to(ctx, conversation, "", attached=attached)

        assert ended.pair.lifecycle is Lifecycle.SUCCEEDED
        (heard,) = peer_of[protocol].heard
        said = json.loads(heard.body)
        message = (said["input"] if protocol == "openai" else said["messages"])[-1]
        assert [part["type"] for part in message["content"]] == [IMAGES[protocol]]
        assert b"Describe it." in heard.body


async def test_an_image_alone_is_a_message(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx, model="offline:demo")
    photo, _ = await some_files(ctx)

    ended = await reply_to(ctx, conversation, " ", attached=await load_attached(ctx, LOCAL_OWNER, [photo]))

    assert ended.pair.request.parts == (Image(photo, "image/jpeg", 40, 20),)
    resent = await resend_pair(ctx, LOCAL_OWNER, ended.pair.id)
    await collect(ctx, resent.started.run_id)
    assert (await pair_of(ctx, ended.pair.id)).request.parts == ended.pair.request.parts


async def test_what_waits_in_the_queue_keeps_its_files(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx, model="offline:demo")
    attached = await load_attached(ctx, LOCAL_OWNER, ids := await some_files(ctx))
    running = await send(ctx, conversation, "/long 20 /rate 100")

    queue = await queue_text(ctx, LOCAL_OWNER, conversation, SendRequest("Later", attached=attached))
    for file in attached.files:
        await drop_upload(ctx, LOCAL_OWNER, file.id)

    assert queue.items[0].attached == attached.parts
    assert tuple(map(id_of, attached.parts)) == tuple(ids)
    await collect(ctx, running.run_id)

    async def is_sent() -> bool:
        return not (await read_queue(ctx, LOCAL_OWNER, conversation)).items

    await until_found(is_sent)
    for run in ctx.engine.runs_of(conversation):
        await collect(ctx, run.run_id)
    async with ctx.store.read() as session:
        pair = (await load_pairs(session, LOCAL_OWNER, conversation))[-1]
    assert pair.request.parts == (Text("Later"), *attached.parts)
    assert pair.lifecycle is Lifecycle.SUCCEEDED


async def test_a_compared_request_keeps_its_files_in_the_pair_that_is_kept(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx, model="offline:demo")
    _, table = await some_files(ctx)
    attached = await load_attached(ctx, LOCAL_OWNER, [table])

    comparison = await start_comparison(
        ctx,
        LOCAL_OWNER,
        conversation,
        SendRequest("Look", attached=attached),
        ComparedModels(["offline:demo", "offline:tiny"]),
    )
    for run in comparison.runs:
        await collect(ctx, run.run_id)
    kept = await keep_reply(ctx, LOCAL_OWNER, conversation, "offline:demo")

    assert (await pair_of(ctx, kept.pair_id)).request.parts == (Text("Look"), TextFile("cities.csv", TABLE))


async def test_a_branch_takes_the_files_of_a_pair_along(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx, model="offline:demo")
    attached = await load_attached(ctx, LOCAL_OWNER, await some_files(ctx))
    ended = await reply_to(ctx, conversation, "Look", attached=attached)

    resent = await resend_pair(ctx, LOCAL_OWNER, ended.pair.id, ResendOptions(later=Later.BRANCH), text="Again")
    await collect(ctx, resent.started.run_id)
    await delete_conversation(ctx, LOCAL_OWNER, conversation)
    await empty_trash(ctx, LOCAL_OWNER)

    pair = await pair_of(ctx, resent.started.pair_id)
    assert pair.request.parts == (Text("Again"), *attached.parts)
    assert await preview_send(ctx, LOCAL_OWNER, resent.conversation_id, SendRequest("And now?"))


async def test_files_of_a_temporary_conversation_are_never_on_the_disk(ctx: AppContext, data: Path) -> None:
    text = "a text that nobody else has"
    kept = await upload(ctx, text.encode(), "secret.txt", temporary=True)
    conversation = (await create_temporary(ctx, LOCAL_OWNER, model="offline:demo")).id
    bench = await context_for(ctx, conversation)
    attached = await load_attached(ctx, LOCAL_OWNER, [kept.attachment.id])

    await reply_to(bench, conversation, "Look", attached=attached)

    assert attached.parts == (TextFile("secret.txt", text),)
    assert written(data, text) == []
    await keep_conversation(bench, LOCAL_OWNER, conversation)
    assert written(data, text) != []


async def test_a_photo_uploaded_before_the_switch_is_sent_in_a_temporary_conversation(ctx: AppContext) -> None:
    photo = await upload(ctx, a_photo())
    conversation = (await create_temporary(ctx, LOCAL_OWNER, model="offline:demo")).id
    bench = await context_for(ctx, conversation)

    ended = await reply_to(
        bench, conversation, "Look", attached=await load_attached(ctx, LOCAL_OWNER, [photo.attachment.id])
    )

    assert ended.kinds[-1] == "done"
    assert SECRET.encode() not in photo.attachment.data


async def test_secrets_in_a_text_file_go_out_as_marks(ctx: AppContext) -> None:
    await set_preferences(ctx, LOCAL_OWNER, replace(await read_preferences(ctx, LOCAL_OWNER), redact=True))
    conversation = await a_conversation(ctx, model="offline:demo")
    kept = await upload(ctx, b"key=AKIAIOSFODNN7EXAMPLE", "env.txt")

    attached = await load_attached(ctx, LOCAL_OWNER, [kept.attachment.id])
    planned = await preview_send(ctx, LOCAL_OWNER, conversation, SendRequest("Look", ViewOptions(), attached=attached))

    assert planned.composed.secrets == ("AWS access key",)
    assert b"AKIA" not in planned.wire.body


async def test_an_image_of_an_earlier_message_can_be_attached_again(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx, model="offline:demo")
    photo, _ = await some_files(ctx)
    await reply_to(ctx, conversation, "Look", attached=await load_attached(ctx, LOCAL_OWNER, [photo]))
    await drop_upload(ctx, LOCAL_OWNER, photo)
    other = await a_conversation(ctx, model="offline:demo")

    attached = await load_attached(ctx, LOCAL_OWNER, [photo])
    await reply_to(ctx, other, "Again", attached=attached)

    assert attached.parts == (Image(photo, "image/jpeg", 40, 20),)
