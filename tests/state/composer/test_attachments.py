"""Files of the draft: uploads in progress, stored, refused, removed, restored, counted and sent."""

from __future__ import annotations

import json

import pytest

from app.domain.attachments.uploads import MAX_ATTACHED
from app.domain.conversation.parts import Image, Text, TextFile
from app.runs.app_context import AppContext
from app.runs.attachments.uploads import attach_file, drop_upload, load_attached
from app.runs.conversation.conversation_commands import create_conversation
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.composer.attachments import AttachmentState
from app.state.composer.files import TOO_MANY, WAITING, DraftFile
from app.state.composer.state import ComposerState
from app.state.composer.views import SendAnswer
from app.state.conversation.model import ModelState
from app.state.shell.viewer import ViewerState
from app.store.conversation.lists import list_conversations
from app.store.conversation.pairs import load_pairs
from tests.media.test_pictures import a_photo, a_picture
from tests.state.conftest import Tab


def files(tab: Tab) -> tuple[DraftFile, ...]:
    return tab.shows(ComposerState, "files") or ()


async def arrive(tab: Tab, ctx: AppContext, key: str, data: bytes, name: str = "photo.jpg") -> str:
    upload = await attach_file(ctx, LOCAL_OWNER, data, name)
    await tab.send(AttachmentState.begin, key=key, name=name, length=len(data))
    await tab.send(AttachmentState.finish, key=key, status=201, body=json.dumps({"upload_id": upload.id}))
    return upload.attachment.id


async def test_a_file_is_shown_from_its_beginning_to_its_arrival(tab: Tab, ctx: AppContext) -> None:
    await tab.send(AttachmentState.begin, key="a-1", name="C:\\me\\photo.jpg", length=4_000_000)
    assert files(tab) == (DraftFile("a-1", "photo.jpg", note="4.0 MB"),)
    await tab.send(AttachmentState.progress, key="a-1", percent=40)
    assert files(tab)[0].percent == 40

    upload = await attach_file(ctx, LOCAL_OWNER, a_picture("JPEG", (4_000, 3_000)), "photo.jpg")
    body = json.dumps({"upload_id": upload.id})
    await tab.send(AttachmentState.finish, key="a-1", status=201, body=body)

    (file,) = files(tab)
    assert (file.id, file.image, file.percent) == (upload.id, True, 100)
    assert file.note.endswith("· scaled down to 2,576 × 1,932")
    assert tab.shows(ComposerState, "file_ids") == upload.id


@pytest.mark.parametrize(
    ("status", "body", "notice"),
    [
        (0, "", "z.exe is not attached. The upload failed. Check the connection, then attach it again."),
        (413, "", "z.exe is not attached. It is larger than 20 MB."),
        (422, '{"errors": [{"reason": "z.exe is no file."}]}', "z.exe is no file."),
        (500, "<html>", "z.exe is not attached. The upload failed. Check the connection, then attach it again."),
        (201, '{"upload_id": "nothing"}', "z.exe is not attached. It has been removed. Attach it again."),
        (201, "[]", "z.exe is not attached. The upload failed. Check the connection, then attach it again."),
    ],
)
async def test_refused_file_drops_out_with_a_notice_and_holds_no_send_back(
    tab: Tab, status: int, body: str, notice: str
) -> None:
    await tab.send(AttachmentState.begin, key="a-1", name="z.exe", length=1)
    await tab.send(AttachmentState.finish, key="a-1", status=status, body=body)
    assert files(tab) == ()
    assert tab.shows(ComposerState, "refused") == (notice,)
    await tab.send(ComposerState.write, draft="Look", typed=True)
    assert tab.shows(ComposerState, "refused") == (notice,)  # further typing does not clear it

    await tab.send(ComposerState.send, send_id="1", text="Look", order_id="")
    await tab.send(ComposerState.deliver)

    assert tab.shows(ComposerState, "answers") == (SendAnswer("1", accepted=True),)
    assert tab.shows(ComposerState, "refused") == ()


async def test_each_refused_file_is_named_and_the_others_stay(tab: Tab, ctx: AppContext) -> None:
    for number in (1, 2):
        await tab.send(AttachmentState.begin, key=f"a-{number}", name=f"{number}.exe", length=1)
    await tab.send(ComposerState.send, send_id="1", text="Look", order_id="")
    assert tab.shows(ComposerState, "fault") == WAITING
    await tab.send(AttachmentState.finish, key="a-1", status=413, body="")
    photo = await arrive(tab, ctx, "a-3", a_photo())
    await tab.send(AttachmentState.finish, key="a-2", status=413, body="")

    assert [file.bytes_id for file in files(tab)] == [photo]
    assert [file.address for file in files(tab)] == [f"/api/v1/attachments/{photo}"], "the draft shows the picture"
    assert [notice.partition(" ")[0] for notice in tab.shows(ComposerState, "refused")] == ["1.exe", "2.exe"]
    assert tab.shows(ComposerState, "fault") == ""
    await tab.send(AttachmentState.begin, key="a-4", name="x", length=1)
    assert tab.shows(ComposerState, "refused") == ()


async def test_a_file_on_its_way_keeps_the_send_back(tab: Tab) -> None:
    await tab.send(AttachmentState.begin, key="a-1", name="x", length=1)
    await tab.send(ComposerState.send, send_id="1", text="Look", order_id="")

    assert tab.shows(ComposerState, "fault") == WAITING
    assert tab.shows(ComposerState, "answers") == (SendAnswer("1", accepted=False),)  # the text returns to the box
    assert len(files(tab)) == 1


async def test_files_are_sent_with_the_text_and_leave_the_draft(tab: Tab, ctx: AppContext) -> None:
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    tab.path = f"/c/{conversation.id}"
    photo = await arrive(tab, ctx, "a-1", a_photo())
    await arrive(tab, ctx, "a-2", b"a,b\n", "t.csv")

    await tab.send(ComposerState.send, send_id="1", text="Look", order_id="")
    await tab.send(ComposerState.deliver)

    async with ctx.store.read() as session:
        (pair,) = await load_pairs(session, LOCAL_OWNER, conversation.id)
    assert pair.request.parts == (Text("Look"), Image(photo, "image/jpeg", 40, 20), TextFile("t.csv", "a,b\n"))
    assert files(tab) == ()


async def test_second_enter_without_text_is_refused_after_the_first_took_the_files(tab: Tab, ctx: AppContext) -> None:
    await arrive(tab, ctx, "a-1", a_photo())

    await tab.send(ComposerState.send, send_id="1", text="/echo Look", order_id="")
    await tab.send(ComposerState.send, send_id="2", text="", order_id="")
    await tab.send(ComposerState.deliver)

    answers = tab.shows(ComposerState, "answers")
    assert set(answers) == {SendAnswer("1", accepted=True), SendAnswer("2", accepted=False)}


async def test_an_image_without_a_word_begins_a_conversation(tab: Tab, ctx: AppContext) -> None:
    photo = await arrive(tab, ctx, "a-1", a_photo())

    await tab.send(ComposerState.send, send_id="1", text="", order_id="")
    await tab.send(ComposerState.deliver)

    async with ctx.store.read() as session:
        (listed,) = await list_conversations(session, LOCAL_OWNER, limit=5)
        (pair,) = await load_pairs(session, LOCAL_OWNER, listed.conversation.id)
    assert pair.request.parts == (Image(photo, "image/jpeg", 40, 20),)


async def test_a_refused_send_gives_its_files_back(tab: Tab, ctx: AppContext) -> None:
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="offline:tiny")
    tab.path = f"/c/{conversation.id}"
    await tab.send(ModelState.load)
    photo = await arrive(tab, ctx, "a-1", a_photo())
    assert tab.shows(ModelState, "images") is False
    assert [one.model for one in tab.shows(ModelState, "capable")] == ["offline:demo"]
    assert tab.shows(ComposerState, "has_images") is True

    await tab.send(ComposerState.send, send_id="1", text="Look", order_id="")
    await tab.send(ComposerState.deliver)

    assert "does not support images. Choose a model that does" in tab.shows(ComposerState, "fault")
    assert [file.bytes_id for file in files(tab)] == [photo]
    await tab.send(ModelState.choose, model="offline:demo")
    assert tab.shows(ModelState, "images") is True


async def test_files_are_restored_with_the_draft_as_far_as_they_are_kept(tab: Tab, ctx: AppContext) -> None:
    photo = await attach_file(ctx, LOCAL_OWNER, a_photo(), "photo.jpg")
    gone = await attach_file(ctx, LOCAL_OWNER, b"gone", "gone.txt")
    await drop_upload(ctx, LOCAL_OWNER, gone.attachment.id)

    ids = f"{gone.id} {photo.id} nonsense"
    await tab.send(ComposerState.restore, draft="Look", schema="", files=ids)

    assert [(file.name, file.id) for file in files(tab)] == [("photo.jpg", photo.id)]


async def test_files_are_limited_per_message_and_added_once(tab: Tab, ctx: AppContext) -> None:
    await arrive(tab, ctx, "a-1", a_photo())
    await arrive(tab, ctx, "a-2", a_photo(), "again.jpg")
    assert len(files(tab)) == 1
    for number in range(MAX_ATTACHED):
        await tab.send(AttachmentState.begin, key=f"b-{number}", name="x", length=1)

    assert len(files(tab)) == MAX_ATTACHED
    assert tab.shows(ComposerState, "fault") == TOO_MANY


async def test_same_bytes_under_another_name_replace_the_first_with_a_note(tab: Tab, ctx: AppContext) -> None:
    await arrive(tab, ctx, "a-1", b"Hello", "a.txt")
    await arrive(tab, ctx, "a-2", b"Hello", "b.txt")

    (file,) = files(tab)
    assert (file.key, file.name) == ("a-1", "b.txt")
    assert tab.shows(ComposerState, "fault") == "b.txt has the same content as a.txt and replaces it."
    sent = await load_attached(ctx, LOCAL_OWNER, [file.id])
    assert sent.parts == (TextFile("b.txt", "Hello"),)


async def test_draft_sends_its_file_under_the_name_it_shows(tab: Tab, ctx: AppContext) -> None:
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    tab.path = f"/c/{conversation.id}"
    await arrive(tab, ctx, "a-1", b"Hello", "old.txt")
    await attach_file(ctx, LOCAL_OWNER, b"Hello", "new.txt")  # in a draft of another conversation
    await tab.send(ComposerState.restore, draft="Look", schema="", files=tab.shows(ComposerState, "file_ids"))
    assert [file.name for file in files(tab)] == ["old.txt"]

    await tab.send(ComposerState.send, send_id="1", text="Look", order_id="")
    await tab.send(ComposerState.deliver)

    async with ctx.store.read() as session:
        (pair,) = await load_pairs(session, LOCAL_OWNER, conversation.id)
    assert pair.request.parts == (Text("Look"), TextFile("old.txt", "Hello"))


@pytest.mark.parametrize("key", ["", 7, None, "a", "a-1" * 50, "../-1"])
async def test_what_is_no_key_is_no_file(tab: Tab, key: object) -> None:
    await tab.send(AttachmentState.begin, key=key, name="x", length=1)
    await tab.send(AttachmentState.progress, key=key, percent="all")
    await tab.send(AttachmentState.finish, key=key, status="ok", body=7)

    assert files(tab) == ()


async def test_the_viewer_shows_a_picture_in_steps(tab: Tab) -> None:
    address = f"/api/v1/attachments/{'a' * 64}"
    await tab.send(ViewerState.open, address="https://example.org/x.png", name="x", width=1, height=1)
    assert tab.shows(ViewerState, "picture") is None

    await tab.send(ViewerState.open, address=address, name="photo.jpg", width=800, height=600)
    assert (tab.shows(ViewerState, "wide"), tab.shows(ViewerState, "said")) == ("", "Fitted")
    for key, wide in (("+", "400px"), ("+", "800px"), ("x", "800px"), ("-", "400px"), ("-", ""), ("+", "400px")):
        await tab.send(ViewerState.press, key=key)
        assert tab.shows(ViewerState, "wide") == wide
    await tab.send(ViewerState.magnify)
    await tab.send(ViewerState.reduce)
    await tab.send(ViewerState.press, key="0")
    assert tab.shows(ViewerState, "said") == "Fitted"
    await tab.send(ViewerState.close)
    assert tab.shows(ViewerState, "picture") is None
