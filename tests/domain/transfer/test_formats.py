"""What is read of exports of other applications, and that nothing in such a file makes reading it fail.

The files are written from public descriptions: see `tests/foreign.py`.
"""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from app.domain.conversation.parts import Text, TextFile, Thinking, ToolCall, ToolResult
from app.domain.transfer.foreign import Asset, ForeignConversation, UnreadableError
from app.domain.transfer.formats import FORMATS, detect
from app.domain.transfer.tree import MAX_BRANCHES, ForeignVersion, arrange
from tests import foreign


def read(item: dict[str, Any]) -> ForeignConversation:
    return detect(item).read(item)


def words(version: ForeignVersion) -> tuple[str, str]:
    def said(messages: Any) -> str:
        return "|".join(part.text for one in messages if one for part in one.parts if isinstance(part, Text))

    return said([version.request]), said(version.replies)


def standing(item: dict[str, Any]) -> list[tuple[str, str]]:
    return [words(pair.versions[pair.standing]) for pair in arrange(read(item)).main]


def test_each_format_is_told_from_the_others() -> None:
    items = (
        foreign.chatgpt_with_branches(),
        foreign.claude(foreign.claude_message("1", None, "human", "Hi")),
        foreign.maichat(),
        foreign.open_webui(foreign.open_webui_message("1", None, "user", "Hi")),
    )

    assert [detect(item).key for item in items] == [one.key for one in FORMATS]


def test_chatgpt_contents_become_parts() -> None:
    thoughts = {"content_type": "thoughts", "thoughts": [{"summary": "Plan", "content": "Count."}]}
    call = {"content_type": "code", "language": "unknown", "text": "print(1)"}
    output = {"content_type": "execution_output", "text": "1"}
    said = {"content_type": "text", "parts": ["One\ue200cite\ue202turn0search1\ue201."]}
    item = foreign.chatgpt(
        foreign.chatgpt_node("s", "root", "system", "Hidden", weight=0.0),
        foreign.chatgpt_node("q", "s", text="Count"),
        foreign.chatgpt_node("t", "q", "assistant", content=thoughts),
        foreign.chatgpt_node("c", "t", "assistant", content=call, recipient="python"),
        foreign.chatgpt_node("o", "c", "tool", content=output),
        foreign.chatgpt_node("x", "o", "assistant", content={"content_type": "hologram", "data": 1}),
        foreign.chatgpt_node("a", "x", "assistant", content=said),
    )

    conversation = read(item)
    (pair,) = arrange(conversation).main

    assert [part for one in pair.versions[0].replies for part in one.parts] == [
        Thinking("**Plan**\n\nCount."),
        ToolCall("", "python", '{"code": "print(1)"}', complete=True),
        ToolResult("", (Text("1"),)),
        Text("One."),
    ]
    assert conversation.lacking == {"citations": 1, "contents of the type “hologram”": 1}
    assert arrange(conversation).system_prompt == ""


def test_claude_branches_files_and_tools_are_read() -> None:
    blocks = [
        {"type": "thinking", "thinking": "Hm."},
        {"type": "tool_use", "id": "t1", "name": "search", "input": {"q": "x"}},
        {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "found"}], "is_error": False},
        {"type": "text", "text": "There."},
    ]
    attached = [{"file_name": "a.txt", "file_type": "txt", "extracted_content": "words"}]
    item = foreign.claude(
        foreign.claude_message("1", None, "human", "Where?", attachments=attached, files=[{"file_name": "b.png"}]),
        foreign.claude_message("2", "1", "assistant", "", content=blocks),
        foreign.claude_message("1b", None, "human", "Where then?"),
        foreign.claude_message("2b", "1b", "assistant", "Here."),
        current_leaf_message_uuid="2b",
    )

    (pair,) = arrange(read(item)).main

    assert [words(one) for one in pair.versions] == [("Where?", "There."), ("Where then?", "Here.")]
    assert pair.standing == 1
    first = pair.versions[0]
    assert first.request is not None
    assert first.request.parts == (TextFile("a.txt", "words"), Asset("", "b.png"), Text("Where?"))
    assert [type(part) for part in first.replies[0].parts] == [Thinking, ToolCall, ToolResult, Text]


def test_claude_without_parents_is_read_in_its_order() -> None:
    messages = [foreign.claude_message(str(n), None, who, who) for n, who in enumerate(("human", "assistant") * 2)]
    for one in messages:
        del one["parent_message_uuid"]

    assert standing(foreign.claude(*messages)) == [("human", "assistant"), ("human", "assistant")]


def test_open_webui_reasoning_images_and_system_prompt_are_read() -> None:
    text = '<details type="reasoning" done="true" duration="3">\n<summary>Thought</summary>\n&gt; Hm.\n</details>\nYes.'
    image = {"type": "image", "url": "data:image/png;base64,aGk="}
    item = foreign.open_webui(
        foreign.open_webui_message("1", None, "user", "Is it?", files=[image, {"type": "image", "url": "/files/1"}]),
        foreign.open_webui_message("2", "1", "assistant", text),
        foreign.open_webui_message("3", "1", "assistant", "", error={"content": "Out of memory"}),
    )

    conversation = read(item)
    (pair,) = arrange(conversation).main

    assert conversation.system_prompt == "Be brief."
    assert pair.versions[0].request is not None
    assert pair.versions[0].request.parts == (Asset("", "image", b"hi"), Asset("", "image"), Text("Is it?"))
    assert pair.versions[0].replies[0].parts == (Thinking("Hm."), Text("Yes."))
    assert [one.failure for one in pair.versions[1].replies] == ["Out of memory"]


def test_maichat_file_is_one_conversation_with_its_ratings() -> None:
    conversation = read(foreign.maichat())
    first, second = arrange(conversation).main

    assert conversation.title == "MaiChat · t'AI...' & o5 · 2025-09-16"
    assert words(first.versions[0]) == ("How should the plan look?", "Like this.")
    assert first.versions[0].request is not None
    rating = first.versions[0].request.rating
    assert (rating.stars, rating.flagged, rating.topic) == (2, True, "AI > Planning")
    assert second.versions[0].replies[0].failure == "Timeout contacting provider"


def test_a_sender_that_is_no_text_is_the_assistant() -> None:
    assert standing(foreign.claude(foreign.claude_message("1", None, [], "x"))) == [("", "x")]  # pyright: ignore[reportArgumentType]


def test_circles_and_deep_trees_end() -> None:
    circle = foreign.chatgpt(foreign.chatgpt_node("a", "b", text="x"), foreign.chatgpt_node("b", "a", text="y"))
    deep = [foreign.chatgpt_node(str(n), str(n - 1) if n else "root", "user" if n % 2 == 0 else "assistant", str(n))
            for n in range(5_000)]  # fmt: skip

    assert len(standing(circle)) == 2
    assert len(standing(foreign.chatgpt(*deep))) == 2_500


def test_branches_are_bounded_and_what_is_beyond_is_counted() -> None:
    nodes = [foreign.chatgpt_node("q", "root", text="q"), foreign.chatgpt_node("a", "q", "assistant", "a")]
    for n in range(MAX_BRANCHES + 5):
        nodes += [
            foreign.chatgpt_node(f"u{n}", "a", text="u"),
            foreign.chatgpt_node(f"r{n}", f"u{n}", "assistant", "r"),
        ]
        nodes += [foreign.chatgpt_node(f"v{n}", f"r{n}", text="v")]

    arranged = arrange(read(foreign.chatgpt(*nodes)))

    assert len(arranged.branches) == MAX_BRANCHES
    assert arranged.left_out == 4


NAMES = st.sampled_from(
    [
        "id",
        "title",
        "mapping",
        "message",
        "parent",
        "children",
        "author",
        "role",
        "user",
        "assistant",
        "tool",
        "content",
        "content_type",
        "text",
        "parts",
        "code",
        "thoughts",
        "metadata",
        "weight",
        "recipient",
        "chat_messages",
        "uuid",
        "sender",
        "human",
        "parent_message_uuid",
        "type",
        "tool_use",
        "tool_result",
        "input",
        "attachments",
        "files",
        "file_name",
        "extracted_content",
        "chat",
        "history",
        "messages",
        "currentId",
        "parentId",
        "timestamp",
        "error",
        "url",
        "image",
        "data:image/png;base64,x",
        "pairs",
        "userText",
        "assistantText",
        "stars",
        "schemaVersion",
        "create_time",
        "current_node",
        "a",
        "b",
    ]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | NAMES | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=6),
    max_leaves=40,
)
WHOLE = [
    foreign.chatgpt_with_branches(),
    foreign.maichat(),
    foreign.claude(foreign.claude_message("1", None, "human", "x")),
    foreign.open_webui(foreign.open_webui_message("1", None, "user", "x")),
]


@st.composite
def damaged(draw: st.DrawFn) -> dict[str, Any]:
    """A good file of which any value may be anything."""

    def spoil(value: Any) -> Any:
        if draw(st.integers(0, 14)) == 0:
            return draw(JSON)
        if isinstance(value, dict):
            return {key: spoil(inner) for key, inner in value.items()}  # pyright: ignore[reportUnknownVariableType]
        return [spoil(inner) for inner in value] if isinstance(value, list) else value  # pyright: ignore[reportUnknownVariableType]

    return {key: spoil(value) for key, value in draw(st.sampled_from(WHOLE)).items()}


@given(damaged() | st.dictionaries(NAMES, JSON, max_size=8))
def test_whatever_a_file_says_it_is_read_or_refused(item: dict[str, Any]) -> None:
    for format_ in FORMATS:
        try:
            conversation = format_.read(item)
        except UnreadableError:
            continue
        arranged = arrange(conversation)
        assert len(arranged.branches) <= MAX_BRANCHES
        for pair in arranged.main:
            assert 0 <= pair.standing < len(pair.versions)
