"""The addresses of the gateway: `/v1/chat/completions`, `/v1/messages` with `count_tokens`, and `/v1/models`.

They are described by their vendors, not by Inview's OpenAPI document.
"""

from __future__ import annotations

from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from app.api.gateway.answers import answer_call, answer_count
from app.api.gateway.anthropic_messages import AnthropicMessages
from app.api.gateway.dialect import Dialect, answer_json
from app.api.gateway.faults import Fault
from app.api.gateway.openai_chat import OpenAiChat
from app.api.http.access import owner_of
from app.api.http.audit import audited
from app.runs.gateway.calls import AGENT
from app.runs.library.provider_commands import list_models
from app.runs.workbench import current
from app.store.settings.agents import load_usable_agents

CHAT: Final = "/v1/chat/completions"
MESSAGES: Final = "/v1/messages"
COUNT: Final = "/v1/messages/count_tokens"
MODELS: Final = "/v1/models"
NO_STORE: Final = {"Cache-Control": "no-store"}


def add_gateway(app: FastAPI) -> None:
    """Put the gateway beside Inview's own API."""
    app.add_route(CHAT, audited(CHAT, _complete), methods=["POST"], include_in_schema=False)
    app.add_route(MESSAGES, audited(MESSAGES, _message), methods=["POST"], include_in_schema=False)
    app.add_route(COUNT, audited(COUNT, _count), methods=["POST"], include_in_schema=False)
    app.add_route(MODELS, _list, methods=["GET"], include_in_schema=False)
    app.add_route(MODELS + "/{model:path}", _show, methods=["GET"], include_in_schema=False)


async def _complete(request: Request) -> Response:
    return await answer_call(request, OpenAiChat())


async def _message(request: Request) -> Response:
    return await answer_call(request, AnthropicMessages())


async def _count(request: Request) -> Response:
    """The tokens that a call would send: what Inview estimates, which asks no provider and costs nothing."""
    return await answer_count(request, AnthropicMessages())


async def _list(request: Request) -> Response:
    """All models and agents, in the form of the vendor whose client asks."""
    models = await _offered(request)
    if isinstance(_dialect_of(request), AnthropicMessages):
        ends = {"first_id": next(iter(models), None), "last_id": next(reversed(models), None)}
        listed = [_as_anthropic(name, shown) for name, shown in models.items()]
        return answer_json({"data": listed, "has_more": False, **ends}, HTTPStatus.OK, NO_STORE)
    return answer_json({"object": "list", "data": [_as_openai(name) for name in models]}, HTTPStatus.OK, NO_STORE)


async def _show(request: Request) -> Response:
    name, models, dialect = request.path_params["model"], await _offered(request), _dialect_of(request)
    if name not in models:
        said = f"There is no model {name!r} here. GET {MODELS} lists those there are."
        return dialect.refuse(Fault(HTTPStatus.NOT_FOUND, "model_not_found", said, "model"))
    shown = _as_anthropic(name, models[name]) if isinstance(dialect, AnthropicMessages) else _as_openai(name)
    return answer_json(shown, HTTPStatus.OK, NO_STORE)


async def _offered(request: Request) -> dict[str, str]:
    """What can be asked, by the name to ask for, with the name to show."""
    wb, owner = current(), await owner_of(request)
    found = {model.model: model.name for offer in await list_models(wb, owner) for model in offer.models}
    async with wb.store.read() as session:
        agents = await load_usable_agents(session, owner)
    return found | {AGENT + agent.id: agent.name for agent in agents}


def _dialect_of(request: Request) -> Dialect:
    """Anthropic's clients say their version; OpenAI's say nothing."""
    return AnthropicMessages() if "anthropic-version" in request.headers else OpenAiChat()


def _as_openai(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": name.partition(":")[0]}


def _as_anthropic(name: str, shown: str) -> dict[str, Any]:
    created = datetime.fromtimestamp(0, UTC).isoformat()
    return {"type": "model", "id": name, "display_name": shown, "created_at": created}
