"""Exports of other applications, written from public descriptions of them; nobody's data.

Sources, as read in November 2026:
- ChatGPT: "ChatGPT conversations.json Format" (whychose.com), "ChatGPT Export Format" and "Data Models" of
  difegam/chatgpt-to-markdown, "ChatGPT Data Export Format and Parsing" of mitkury/chatgpt-export-parser.
- Claude: "Claude Conversation Export Format" (whychose.com), "Anthropic / Claude" (portable-ai-memory.org),
  docs/providers/claude-ai.md of Sinity/polylogue.
- Open WebUI: "Import & Export" in its documentation (docs.openwebui.com).
- MaiChat: docs/history_export_spec.md of ebuyakin/maichat, schema version 1.
"""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

Json = dict[str, Any]

START = 1_736_209_400.0


def chatgpt_node(key: str, parent: str | None, role: str = "user", text: str = "", **more: Any) -> Json:
    """A node of a mapping. `content`, `metadata`, `weight` and `recipient` replace the usual ones."""
    message: Json = {
        "id": key,
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": START + len(key),
        "update_time": None,
        "content": {"content_type": "text", "parts": [text]},
        "status": "finished_successfully",
        "end_turn": True,
        "weight": 1.0,
        "metadata": {"model_slug": "gpt-4o"} if role == "assistant" else {},
        "recipient": "all",
        "channel": None,
    }
    return {"id": key, "message": {**message, **more}, "parent": parent, "children": []}


def chatgpt(*nodes: Json, key: str = "8f3a2b1c", title: str = "Postgres or MongoDB", current: str = "") -> Json:
    """A conversation. `current`: the node shown last, by default the last one."""
    mapping: Json = {"root": {"id": "root", "message": None, "parent": None, "children": []}}
    mapping |= {node["id"]: node for node in nodes}
    for node in nodes:
        if node["parent"] in mapping:
            mapping[node["parent"]]["children"].append(node["id"])
    return {
        "title": title,
        "create_time": START,
        "update_time": START + 400,
        "mapping": mapping,
        "moderation_results": [],
        "current_node": current or (nodes[-1]["id"] if nodes else "root"),
        "plugin_ids": None,
        "conversation_id": key,
        "default_model_slug": "gpt-4o",
        "is_archived": False,
        "voice": None,
        "id": key,
    }


def chatgpt_with_branches() -> Json:
    """Asked, answered twice; then a request that was edited, and the first form of which went on."""
    return chatgpt(
        chatgpt_node("q1", "root", text="Which database?"),
        chatgpt_node("a1", "q1", "assistant", "Postgres."),
        chatgpt_node("a1b", "q1", "assistant", "MongoDB."),
        chatgpt_node("q2", "a1b", text="Why?"),
        chatgpt_node("a2", "q2", "assistant", "Schemas."),
        chatgpt_node("q3", "a2", text="Go on"),
        chatgpt_node("a3", "q3", "assistant", "And scale."),
        chatgpt_node("q2b", "a1b", text="Why not Postgres?"),
        chatgpt_node("a2b", "q2b", "assistant", "It would do."),
    )


def claude_message(key: str, parent: str | None, sender: str, text: str, **more: Any) -> Json:
    """A message of claude.ai."""
    return {
        "uuid": key,
        "text": text,
        "content": [{"type": "text", "text": text, "start_timestamp": None, "stop_timestamp": None, "citations": []}],
        "sender": sender,
        "created_at": "2026-02-14T10:04:22.000Z",
        "updated_at": "2026-02-14T10:04:22.000Z",
        "attachments": [],
        "files": [],
        "parent_message_uuid": parent or "00000000-0000-4000-8000-000000000000",
        **more,
    }


def claude(*messages: Json, key: str = "c-1", name: str = "Metrics", **more: Any) -> Json:
    """A conversation of claude.ai."""
    return {
        "uuid": key,
        "name": name,
        "summary": "",
        "created_at": "2026-02-14T10:04:22.000Z",
        "updated_at": "2026-02-14T10:22:41.000Z",
        "account": {"uuid": "a-1"},
        "chat_messages": list(messages),
        **more,
    }


def open_webui_message(key: str, parent: str | None, role: str, content: Any, **more: Any) -> Json:
    """A message of Open WebUI."""
    usual: Json = {"id": key, "parentId": parent, "childrenIds": [], "role": role, "content": content}
    return {
        **usual,
        "timestamp": 1_700_000_000,
        **({"model": "llama3.2", "done": True} if role == "assistant" else {}),
        **more,
    }


def open_webui(*messages: Json, key: str = "w-1", title: str = "My Conversation", **more: Any) -> Json:
    """A chat of Open WebUI."""
    return {
        "id": key,
        "user_id": "u-1",
        "title": title,
        "chat": {
            "title": title,
            "models": ["llama3.2"],
            "params": {"system": "Be brief."},
            "history": {"currentId": messages[-1]["id"], "messages": {one["id"]: one for one in messages}},
            "messages": [],
        },
        "created_at": 1_700_000_000,
        "updated_at": 1_700_000_100,
        "archived": False,
        "meta": {"tags": []},
        **more,
    }


def maichat() -> Json:
    """A file of MaiChat with one answered and one failed pair."""
    return {
        "schemaVersion": "1",
        "app": "MaiChat v0.4.1",
        "generatedAt": "2025-09-16T10:11:12Z",
        "filterInput": "t'AI...' & o5 :export",
        "orderApplied": "time",
        "count": 2,
        "pairs": [
            {
                "id": "p_1",
                "createdAt": "2025-09-16T13:44:00+03:00",
                "topicPath": "AI > Planning",
                "topicId": "t-1",
                "model": "gpt-4o",
                "stars": 2,
                "flagColor": "blue",
                "userText": "How should the plan look?",
                "assistantText": "Like this.",
                "errorState": False,
            },
            {
                "id": "p_2",
                "createdAt": "2025-09-16T13:48:00+03:00",
                "topicPath": "AI > Planning",
                "topicId": "t-1",
                "model": "gpt-4o",
                "stars": 1,
                "flagColor": "grey",
                "userText": "And then?",
                "assistantText": "",
                "errorState": True,
                "errorMessage": "Timeout contacting provider",
            },
        ],
    }


def written(*conversations: Json) -> bytes:
    """A file of these conversations."""
    return json.dumps(list(conversations)).encode()


def packed(conversations: bytes, **files: bytes) -> bytes:
    """An archive with these conversations and files; `__` in a name stands for a dot."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("user.json", "{}")
        archive.writestr("conversations.json", conversations)
        for name, data in files.items():
            archive.writestr(name.replace("__", "."), data)
    return made.getvalue()
