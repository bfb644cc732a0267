"""Routes of comparisons: send a new request, or a pair's request, to several models, and keep one of their replies."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import IN_PLACE, WITH_BODY, answer, says
from app.api.http.bodies import Attaching, Body, ModelName, OverBudgetWord, SeenBefore, SendOptions, choice_of
from app.api.http.negotiation import HasBody, ReadsJson
from app.api.http.patterns import NOT_BLANK
from app.api.resources.conversation.conversations import ConversationId
from app.api.resources.conversation.marks import PairId
from app.domain.compare.comparisons import LEAST_MODELS, MAX_MODELS, Comparison
from app.domain.conversation.parameters import NO_PARAMETERS
from app.domain.costs.costs import price_pair
from app.domain.errors import InputError
from app.domain.settings.preferences import OverBudget
from app.runs.child_calls.titles import keep_reply_and_title
from app.runs.compare import comparisons
from app.runs.compare.pair_comparisons import compare_again
from app.runs.resend.resend import Later, ResendOptions
from app.runs.send.send_request import SendRequest
from app.runs.watch.facts import learn_prices
from app.views.compare.comparison import (
    ComparisonNowView,
    ComparisonView,
    KeptView,
    describe_comparison,
    describe_comparison_now,
)
from app.views.conversation.marks import describe_changes
from app.views.conversation.pair import PairFacts, describe_pair

router = APIRouter(tags=["comparisons"], dependencies=[ReadsJson])
Models = Annotated[
    list[ModelName],
    Field(
        min_length=LEAST_MODELS,
        max_length=MAX_MODELS,
        description="The models, each once, in the order in which they are shown.",
    ),
]


Selections = Annotated[
    dict[ModelName, Annotated[str, Field(max_length=200)]] | None,
    Field(
        max_length=MAX_MODELS + 1,
        description="By model: the `selection` of a preview, a list of pairs or a problem. If the pairs to send to a "
        "model have changed since then, nothing is sent, and the problem `selection-changed` has the new "
        "numbers and the `model`.",
    ),
]


class Comparing(SendOptions):
    """The models of a comparison, and the options of the send. `model` is ignored."""

    models: Models
    over_budget: Annotated[
        dict[ModelName, OverBudgetWord] | None,
        Field(
            max_length=MAX_MODELS + 1,
            description="By model: the action if pairs in view do not fit: send nothing, leave pairs out, or send all "
            "anyway. Default for each model: the value in the preferences. If pairs do not fit for a model without a "
            "choice, nothing is sent to any model, and the problem `over-budget` has the options and the `model`.",
        ),
    ] = None
    selections: Selections = None

    def compared(self) -> comparisons.ComparedModels:
        """Return the models with the user's choice and the counted pairs for each.

        Raises:
            InputError: a choice is for a model that is not compared.
        """
        return comparisons.ComparedModels(self.models, self.choices(), self.selections or {})

    def choices(self) -> dict[str, OverBudget]:
        """Return the user's choices by model.

        Raises:
            InputError: a choice is for a model that is not compared.
        """
        unknown = sorted((self.over_budget or {}).keys() - {*self.models})
        if unknown:
            raise InputError("over_budget", f"names {unknown[0]!r}, which is not one of the compared models.")
        return {model: choice_of(word) for model, word in (self.over_budget or {}).items()}


class DraftToCompare(Comparing, Attaching):
    """A request for several models, with its options. `model` is ignored."""

    text: str = Field(pattern=NOT_BLANK, description="The text, sent unchanged. Not blank.")


class PairToCompare(Comparing, SeenBefore):
    """The models that answer a pair again, and the options of the send. `model` is ignored.

    Without `later`, the pair must be the newest one of its conversation.
    """

    later: Later | None = Field(
        None,
        strict=False,
        description="The action for the later pairs: keep them, delete them when a reply is kept (`undo` restores "
        "them), or compare in a new conversation with copies of the earlier pairs.",
    )


class ReplyToKeep(Body):
    """The model whose reply becomes part of the conversation."""

    model: ModelName


@router.post(
    "/conversations/{conversation_id}/compare",
    summary="Send a request to several models side by side",
    description="Starts one run per model, each in a `tool` conversation. Follow a run at `events`; stop it with `POST "
    "/runs/{id}/cancel`. Until you keep or discard the replies, the conversation does not change and you "
    "cannot send in it.",
    dependencies=[HasBody],
    responses=says(
        ComparisonView,
        *WITH_BODY,
        "not-found",
        "conflict",
        "send-locked",
        "over-budget",
        "selection-changed",
        "budget-spent",
        "rate-limited",
        "provider-refused",
        status=202,
        description="All runs have started.",
    ),
)
async def compare(ctx: Ctx, owner: Owner, conversation_id: ConversationId, body: DraftToCompare) -> Response:
    parameters, compared = await body.send_parameters() or NO_PARAMETERS, body.compared()
    request = SendRequest(body.text, body.options(), parameters, attached=await body.attached(owner))
    comparison = await comparisons.start_comparison(ctx, owner, conversation_id, request, compared)
    return _answer_begun(comparison)


@router.post(
    "/pairs/{pair_id}/compare",
    summary="Answer a pair again with several models side by side",
    description="Like `compare` of a conversation; each model gets the request that `resend` would send. The pair does "
    "not change until you keep a reply. That reply then becomes the current version of the pair; the "
    "previous and the other replies become versions.",
    dependencies=[HasBody],
    responses=says(
        ComparisonView,
        *IN_PLACE,
        "over-budget",
        "selection-changed",
        status=202,
        description=(
            "All runs have started. `conversation_id` names their conversation, which is new if you chose to branch."
        ),
    ),
)
async def compare_pair(ctx: Ctx, owner: Owner, pair_id: PairId, body: PairToCompare) -> Response:
    resend = ResendOptions(body.options(), await body.send_parameters(), body.later, seen=body.seen())
    return _answer_begun(await compare_again(ctx, owner, pair_id, body.compared(), resend))


def _answer_begun(comparison: Comparison) -> Response:
    place = f"/api/v1/conversations/{comparison.conversation_id}/comparison"
    return answer(describe_comparison(comparison), 202, {"Location": place})


@router.get(
    "/conversations/{conversation_id}/comparison",
    summary="Read the open comparison",
    description=(
        "Returns the replies as they are stored now: a running reply is up to a second behind. 404: no "
        "comparison is open."
    ),
    responses=says(ComparisonNowView, "not-found"),
)
async def read(ctx: Ctx, owner: Owner, conversation_id: ConversationId) -> Response:
    comparison, pairs = await comparisons.read_comparison(ctx, owner, conversation_id)
    tariffs = await learn_prices(ctx, owner, pairs)
    facts = [PairFacts(cost=price_pair(pair, tariffs.get(pair.model))) for pair in pairs]
    return answer(describe_comparison_now(comparison, tuple(map(describe_pair, pairs, facts))))


@router.post(
    "/conversations/{conversation_id}/comparison/keep",
    summary="Keep one of the compared replies",
    description="The reply becomes a pair of the conversation, or the current version of the pair that is answered "
    "again. The other replies become versions of it. Running replies are stopped.",
    dependencies=[HasBody],
    responses=says(KeptView, *WITH_BODY, "not-found", "conflict"),
)
async def keep(ctx: Ctx, owner: Owner, conversation_id: ConversationId, body: ReplyToKeep) -> Response:
    kept = await keep_reply_and_title(ctx, owner, conversation_id, body.model)
    return answer(KeptView(kept.pair_id, kept.replaced, describe_changes(kept.undo)))


@router.delete(
    "/conversations/{conversation_id}/comparison",
    summary="Discard the comparison",
    description="Running replies are stopped. `POST …/comparison/reopen` opens the comparison again.",
    responses=says(ComparisonView, "not-found", description="The discarded comparison."),
)
async def discard(ctx: Ctx, owner: Owner, conversation_id: ConversationId) -> Response:
    return answer(describe_comparison(await comparisons.discard_comparison(ctx, owner, conversation_id)))


@router.post(
    "/conversations/{conversation_id}/comparison/reopen",
    summary="Open the last discarded comparison again",
    responses=says(ComparisonView, "not-found", "conflict"),
)
async def reopen(ctx: Ctx, owner: Owner, conversation_id: ConversationId) -> Response:
    return answer(describe_comparison(await comparisons.reopen_comparison(ctx, owner, conversation_id)))
