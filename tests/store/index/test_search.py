"""Search results: the current words of pairs and titles, updated in the transaction of each write."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import event, text, update

from app.domain.conversation.conversation import ConversationKind
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import Text, Thinking
from app.domain.text.search import parse_search
from app.store.conversation.conversations import delete_conversation_forever, insert_conversation, update_conversation
from app.store.conversation.lists import ListCriteria, list_named
from app.store.conversation.pairs import insert_pair
from app.store.conversation.rows import MESSAGE, PAIR
from app.store.database.database import Store
from app.store.database.parts_json import encode_parts
from app.store.index import search as module
from app.store.index.rows_search import PIECE
from app.store.index.search import Found, FoundPlaces, load_found, load_places, search
from app.store.trash.trash import delete_pairs, put_conversation
from tests.store.values import OWNER, START, a_conversation, a_pair_of

EVERYTHING = ListCriteria()


async def save(store: Store, conversation_id: str, *said: tuple[str, str], **fields: Any) -> None:
    """Store a conversation with pairs of these requests and replies."""
    async with store.write() as session:
        await insert_conversation(session, replace(a_conversation(conversation_id), **fields))
        for position, (request, reply) in enumerate(said, 1):
            owner = fields.get("owner", OWNER)
            await insert_pair(session, owner, a_pair_of(conversation_id, position, request, reply), 1)


async def find(store: Store, words: str, owner: str = OWNER, wanted: ListCriteria = EVERYTHING) -> list[str]:
    async with store.read() as session:
        found = await search(session, owner, wanted, parse_search(words))
    return [place.conversation_id for place in found.places]


async def find_all(store: Store, words: str) -> tuple[FoundPlaces, tuple[Found, ...]]:
    async with store.read() as session:
        found = await search(session, OWNER, EVERYTHING, parse_search(words))
        return found, await load_found(session, OWNER, parse_search(words), found.places)


async def check(store: Store) -> None:
    """Require that the index matches the texts, and the texts match the messages."""
    async with store.write() as session:
        await session.execute(text("INSERT INTO search_index (search_index) VALUES ('integrity-check')"))


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("garden bread", ["c1"]),
        ("GÁRDEN", ["c1"]),
        ("gard*", ["c1", "c2"]),
        ('"bread in the"', ["c1"]),
        ('"bread the"', []),
        ("gard", []),
        ("lighthouse", ["c2"]),
        ("garden gardening", []),
        ("OR", []),
        ("(((", []),
        ("庭のパン", ["c3"]),
        ("今日 fresh", ["c3"]),
    ],
)
async def test_words_beginnings_and_phrases_are_found_in_one_place(store: Store, words: str, found: list[str]) -> None:
    await save(store, "c1", ("We baked", "bread in the garden"), ("Other", "words"))
    await save(store, "c2", ("Gardening", "at night"), title="The Lighthouse")
    await save(store, "c3", ("今日は庭のパンを", "fresh"))

    assert sorted(await find(store, words)) == found


async def test_the_place_of_the_words_is_returned_with_the_text_around_them(store: Store) -> None:
    await save(store, "c1", ("One", "two"), ("A garden", "of bread"), ("Garden and", "bread again"))

    _, (one,) = await find_all(store, "bread garden")

    assert one.excerpt is not None
    assert one.place.others == 1
    assert (one.place.pair_id, one.excerpt.position) in {("c1-2", 2), ("c1-3", 3)}
    assert {piece.lower() for piece, found in one.excerpt.pieces if found} == {"garden", "bread"}


async def test_what_is_most_about_the_words_comes_first(store: Store) -> None:
    await save(store, "c1", ("a", "bread"))
    await save(store, "c2", ("a", "bread " + "and other things " * 50))
    await save(store, "c3", ("a", "bread bread " + "and other things " * 50))

    assert await find(store, "bread") == ["c1", "c3", "c2"]


async def test_words_with_very_many_places_are_reported_as_such(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_LOOKED_AT", 3)
    await save(store, "c1", ("bread", "1"), ("bread", "2"), ("bread", "3"))
    await save(store, "c2", ("bread", "1"), ("bread", "2"))

    found, shown = await find_all(store, "bread")

    assert not found.complete
    assert [(place.conversation_id, place.others) for place in found.places] == [("c2", 1), ("c1", 0)]
    assert len(shown) == 2


async def test_data_of_another_owner_in_the_trash_or_deleted_are_not_found(store: Store) -> None:
    await save(store, "c1", ("bread", "one"), owner="bob")
    await save(store, "c2", ("bread", "two"))
    await save(store, "c3", ("bread", "three"), title="Bread")
    async with store.write() as session:
        await put_conversation(session, OWNER, "c2", START)
        await session.execute(update(PAIR).where(PAIR.c.id == "c3-1").values(deleted_at=START))

    assert await find(store, "bread", "bob") == ["c1"]
    assert await find(store, "bread") == ["c3"]
    assert await find(store, "three") == []
    async with store.write() as session:
        await session.execute(update(PAIR).where(PAIR.c.id == "c3-1").values(deleted_at=None))
    assert await find(store, "three") == ["c3"]
    await check(store)


async def test_what_is_deleted_for_good_leaves_nothing_to_find(store: Store) -> None:
    await save(store, "c1", ("bread", "one"), ("cheese", "two"), title="Food")
    await save(store, "c2", ("bread", "two"))
    async with store.write() as session:
        await delete_conversation_forever(session, OWNER, "c2")
        await delete_pairs(session, ["c1-1"])

    assert await find(store, "bread") == []
    assert await find(store, "cheese") == ["c1"]
    await check(store)
    async with store.read() as session:
        assert (await session.execute(text("SELECT count(*) FROM search_text"))).scalar_one() == 2


async def test_titles_are_found_as_they_are_now(store: Store) -> None:
    await save(store, "c1", title="Bread")
    async with store.write() as session:
        await update_conversation(session, OWNER, "c1", {"title": "Cheese"})

    found, (one,) = await find_all(store, "cheese")

    assert await find(store, "bread") == []
    assert (found.places[0].pair_id, one.excerpt) == (None, None)
    async with store.write() as session:
        await update_conversation(session, OWNER, "c1", {"title": ""})
    assert await find(store, "cheese") == []
    await check(store)


async def test_a_reply_is_found_when_it_is_over_and_its_request_at_once(store: Store) -> None:
    await save(store, "c1")
    async with store.write() as session:
        await insert_pair(session, OWNER, replace(a_pair_of("c1", 1, "bread", "che"), lifecycle=Lifecycle.AWAITING), 1)
    async with store.write() as session:
        grown = encode_parts((Thinking("secret"), Text("cheese"), Text("wine")))
        await session.execute(update(MESSAGE).where(MESSAGE.c.id == "c1-1-answered").values(parts=grown))

    assert (await find(store, "bread"), await find(store, "cheese")) == (["c1"], [])
    async with store.write() as session:
        await session.execute(update(PAIR).where(PAIR.c.id == "c1-1").values(lifecycle=Lifecycle.SUCCEEDED))
    assert (await find(store, "bread cheese wine"), await find(store, "secret")) == (["c1"], [])
    await check(store)


async def test_only_the_current_version_is_found(store: Store) -> None:
    await save(store, "c1", ("bread", "cheese"))
    async with store.write() as session:
        other = {"owner": OWNER, "conversation_id": "c1", "pair_id": "c1-1", "role": "user", "created_at": START}
        parts = encode_parts((Text("butter"),))
        await session.execute(MESSAGE.insert().values(**other, id="new", parts=parts))
        await session.execute(update(PAIR).where(PAIR.c.id == "c1-1").values(request_id="new"))

    assert (await find(store, "butter cheese"), await find(store, "bread")) == (["c1"], [])
    await check(store)


FILLED = "Filler. " * (PIECE // 8)
"""As many characters as a row of the index has. No test searches for this word."""


@pytest.mark.parametrize(
    "words", ["bread cheese", "cheese bread", "bread wine", "cheese wine", "wine", '"fresh bread" wi*', "cheese 庭の"]
)
async def test_words_of_a_long_pair_are_found_whatever_rows_they_are_in(store: Store, words: str) -> None:
    await save(store, "c1", (f"Fresh bread. {FILLED}", f"Cheese. {FILLED}{FILLED}Wine. 庭のパン"), ("bread", "cheese"))
    await save(store, "c2", (f"Fresh bread. {FILLED}", "Other."), ("cheese", "wine"), owner="bob")

    found, shown = await find_all(store, words)

    assert found.complete
    ((place, listed),) = zip(found.places, shown, strict=True)
    assert place.conversation_id == "c1"
    assert listed.excerpt is not None
    assert any(is_word for _, is_word in listed.excerpt.pieces)


async def test_a_long_pair_counts_as_one_place(store: Store) -> None:
    await save(store, "c1", (f"Fresh bread. {FILLED}", f"Bread again. {FILLED}Wine and bread."))

    for words in ("bread", "bread wine", "wine bread"):
        found, _ = await find_all(store, words)
        assert [place.others for place in found.places] == [0]
        async with store.read() as session:
            excerpts = await load_places(session, OWNER, "c1", parse_search(words))
        assert [one.position for one in excerpts] == [1]


async def test_long_pairs_are_found_by_all_words_and_as_wanted_alone(store: Store) -> None:
    await save(store, "c1", (f"Fresh bread. {FILLED}", f"{FILLED}Wine."))
    await save(store, "c2", (f"Fresh bread. {FILLED}", f"{FILLED}Wine."), kind=ConversationKind.TOOL)
    async with store.write() as session:
        await put_conversation(session, OWNER, "c1", START)

    assert await find(store, "bread wine") == ["c2"]
    assert await find(store, "bread wine lantern") == []
    assert await find(store, "bread wine", "bob") == []
    assert await find(store, "bread wine", wanted=ListCriteria(kind=ConversationKind.TOOL)) == ["c2"]
    assert await find(store, "bread wine", wanted=ListCriteria(kind=ConversationKind.AGENT)) == []


@pytest.mark.parametrize("before", [PIECE - 12, PIECE - 6, PIECE - 1, PIECE])
async def test_a_phrase_at_the_end_of_a_row_is_found(store: Store, before: int) -> None:
    await save(store, "c1", (f"{FILLED[: before - 1]} what of the fresh bread of {FILLED}", "Other."))

    assert await find(store, '"what of the fresh bread of filler"') == ["c1"]
    assert await find(store, "fill") == []
    assert await find(store, "ler") == []


@pytest.mark.parametrize("lines", [20, 60, 150, 300])
async def test_no_row_of_a_long_pair_shows_the_rest_of_a_secret(store: Store, lines: int) -> None:
    """The row ends in the secret. The excerpt would be around the first word after it, or the beginning of the row."""
    key = "-----BEGIN PRIVATE KEY-----\n" + "MIIEvQIBADANBgkq" * 4 * lines + "\n-----END PRIVATE KEY-----"
    spread = "-----BEGIN PRIVATE KEY-----\n" + ("MIIEvQIBADANBgkq" * 4 + "\n") * lines + "-----END PRIVATE KEY-----"
    for number, secret in enumerate((key, spread)):
        filled = FILLED[: PIECE - len(secret) // 2]
        await save(store, f"c{number}", (f"Fresh. {filled} {secret} bread {FILLED[:-9_000]} wine", "Other."))

        for words in ("bread", "wine", "fresh bread"):
            async with store.read() as session:
                excerpts = await load_places(session, OWNER, f"c{number}", parse_search(words), redact=True)
            assert excerpts
            assert not [one.text for one in excerpts if "MIIE" in one.text or "ADANB" in one.text]


async def test_the_rows_of_a_long_pair_follow_its_words(store: Store) -> None:
    await save(store, "c1", (f"bread {FILLED}", f"{FILLED}cheese"))
    count = text("SELECT count(*) FROM search_text WHERE pair_id = 'c1-1'")
    for said, rows in (("wine", 1), (f"{FILLED} butter", 2), (f"{FILLED}{FILLED} garden", 3), ("wine", 1)):
        async with store.write() as session:
            for which in ("asked", "answered"):
                parts = encode_parts((Text(said if which == "asked" else "tea"),))
                await session.execute(update(MESSAGE).where(MESSAGE.c.id == f"c1-1-{which}").values(parts=parts))
            assert (await session.execute(count)).scalar_one() == rows
        assert await find(store, f"{said.split()[-1]} tea") == ["c1"]
        assert await find(store, "cheese") == []
        await check(store)

    async with store.write() as session:
        await session.execute(
            update(MESSAGE).where(MESSAGE.c.id == "c1-1-asked").values(parts=encode_parts((Text(FILLED * 2),)))
        )
        await session.execute(update(PAIR).where(PAIR.c.id == "c1-1").values(deleted_at=START))
        assert (await session.execute(count)).scalar_one() == 0
    await check(store)


async def test_only_conversations_as_wanted_are_found(store: Store) -> None:
    await save(store, "c1", ("bread", "one"))
    await save(store, "c2", ("bread", "two"), kind=ConversationKind.TOOL)

    assert await find(store, "bread", wanted=ListCriteria(kind=ConversationKind.TOOL)) == ["c2"]


async def test_the_index_is_gone_through_first_however_many_conversations_there_are(store: Store) -> None:
    query = module.select_places(OWNER, EVERYTHING, parse_search("garden bread"))
    async with store.read() as session:
        compiled = query.compile(dialect=session.get_bind().dialect)
        connection = await session.connection()
        values = tuple(compiled.params[name] for name in compiled.positiontup or ())
        plan = (await connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {compiled}", values)).all()

    assert "search_index VIRTUAL TABLE" in plan[0].detail
    assert not [step for step in plan if "TEMP B-TREE" in step.detail]


async def test_long_pairs_are_read_first_however_many_conversations_there_are(store: Store) -> None:
    query = module.select_long_pairs(OWNER, EVERYTHING, parse_search("garden bread 庭"))
    async with store.read() as session:
        compiled = query.compile(dialect=session.get_bind().dialect)
        connection = await session.connection()
        values = tuple(compiled.params[name] for name in compiled.positiontup or ())
        plan = [
            step.detail for step in (await connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {compiled}", values)).all()
        ]

    assert "search_text USING INDEX" in plan[0]
    assert "(pair_id=?)" in plan[0]
    assert any("ix_search_text_long_pairs" in step for step in plan)
    assert not [
        step for step in plan if step.startswith("SCAN") and "VIRTUAL TABLE" not in step and "second" not in step
    ]


async def test_the_conversations_of_a_page_are_found_by_their_ids_however_many_there_are(store: Store) -> None:
    asked: list[tuple[str, Any]] = []
    event.listen(store.engine.sync_engine, "before_cursor_execute", lambda *args: asked.append((args[2], args[3])))
    async with store.read() as session:
        await list_named(session, OWNER, [f"c{number}" for number in range(50)])
        ((query, values),) = asked
        connection = await session.connection()
        plan = (await connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}", values)).all()

    assert "(id=?)" in plan[0].detail
