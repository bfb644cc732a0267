"""Route of exact token counts. The provider counts the tokens, so the route needs its key and takes some time."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import WITH_BODY, answer, says
from app.api.http.bodies import DraftToPreview
from app.api.http.negotiation import HasBody, ReadsJson
from app.api.resources.conversation.conversations import ConversationId
from app.runs.send.exact_counts import count_exactly
from app.views.request.count import CountView

router = APIRouter(prefix="/conversations", tags=["sending"], dependencies=[HasBody])


@router.post(
    "/{conversation_id}/count",
    summary="Count the tokens of a send exactly",
    description="The body is that of a preview. The provider counts the tokens of the exact request that would be "
    "sent, free of charge and without a reply. Anthropic, OpenAI and llama.cpp support this; for other "
    "providers the response is `invalid-input` for `model`, and only the estimate is available.",
    dependencies=[ReadsJson],
    responses=says(
        CountView,
        *WITH_BODY,
        "not-found",
        "conflict",
        "provider-refused",
    ),
)
async def count(ctx: Ctx, owner: Owner, conversation_id: ConversationId, body: DraftToPreview) -> Response:
    counted = await count_exactly(ctx, owner, conversation_id, await body.request(owner))
    return answer(CountView(counted.model, counted.tokens, counted.estimated_tokens))
