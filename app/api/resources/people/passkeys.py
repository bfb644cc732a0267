"""Sign-in with a passkey: `/sign-in/passkey`, and the script that asks the browser for one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from app.api.http.sign_in_gate import SIGN_IN
from app.api.resources.people.forms import (
    device_of,
    hold,
    lead,
    let_in,
    passkey_place,
    remember,
    show,
    sign_in_form,
    step_in,
    texts,
)
from app.language.choice import reader_language
from app.language.translation import speaking
from app.runs.people.passkeys import PasskeyRefusedError, Refusal, begin_sign_in, finish_sign_in
from app.runs.people.throttle import TooManyAttemptsError
from app.runs.workbench import current
from app.views.passkey_pages import SCRIPT_TEXT, PasskeyQuestion, script_at, use_page

_REFUSED: Final[Mapping[Refusal, str]] = {
    Refusal.LATE: "sign_in.provider_late",
    Refusal.UNKNOWN: "sign_in.passkey_unknown",
    Refusal.UNPROVED: "sign_in.passkey_unproved",
    Refusal.COPIED: "sign_in.passkey_copied",
    Refusal.DISABLED: "sign_in.provider_disabled",
}


async def enter(request: Request) -> Response:
    """Ask the browser for a passkey; posted: check what it answered and begin a session."""
    place = passkey_place()
    if place is None or not current().settings.accounts:
        return lead(SIGN_IN)
    with speaking(reader_language(request.headers.get("accept-language", ""))):
        if request.method != "POST":
            asked = await begin_sign_in(current(), place)
            page = use_page(PasskeyQuestion(place, asked.options))
            return remember(show(page, script=script_at(place)), asked.token)
        (answer,) = await texts(request, "answer")
        try:
            return let_in(await finish_sign_in(current(), place, step_in(request), answer, device_of(request)))
        except PasskeyRefusedError as fault:
            return show(sign_in_form("", _REFUSED[fault.refusal]), 403)
        except TooManyAttemptsError:
            await hold()
            return show(sign_in_form("", "sign_in.too_many"), 429)


async def script(_request: Request) -> Response:
    """The script of the pages of passkeys."""
    return Response(SCRIPT_TEXT, media_type="text/javascript", headers={"Cache-Control": "no-cache"})
