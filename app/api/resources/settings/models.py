"""Route of the available models."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import answer, says
from app.api.http.negotiation import ReadsJson
from app.runs.settings.provider_commands import list_models
from app.views.conversation.pair import FailureView, describe_failure
from app.views.settings.model import ModelView, describe_model

router = APIRouter(tags=["models"], dependencies=[ReadsJson])


@dataclass(frozen=True, slots=True)
class UnavailableView:
    """A configured provider whose list of models failed or has not arrived yet."""

    provider: str
    error: FailureView


@dataclass(frozen=True, slots=True)
class SkippedView:
    """A provider whose list has invalid entries, with the reasons."""

    provider: str
    entries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ModelList:
    """Every available model, by provider; the providers without a list; and the entries that were left out."""

    items: tuple[ModelView, ...]
    unavailable: tuple[UnavailableView, ...]
    skipped: tuple[SkippedView, ...]


@router.get(
    "/models",
    summary="List the available models",
    description="Requests the list of each configured provider, at most every few minutes. If a provider does not "
    "respond within three seconds, the list has its previously known models, `unavailable` names it, and the "
    "request continues in the background.",
    responses=says(ModelList),
)
async def list_them(ctx: Ctx, owner: Owner) -> Response:
    offered = await list_models(ctx, owner)
    return answer(
        ModelList(
            items=tuple(describe_model(profile) for offer in offered for profile in offer.models),
            unavailable=tuple(
                UnavailableView(offer.provider.name, describe_failure(offer.failure))
                for offer in offered
                if offer.failure is not None
            ),
            skipped=tuple(SkippedView(offer.provider.name, offer.skipped) for offer in offered if offer.skipped),
        )
    )
