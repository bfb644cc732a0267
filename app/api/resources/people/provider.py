"""Sign-in by a provider: `/sign-in/provider` leads to it, `/sign-in/provider/back` is where the browser returns.

Where it goes next is never in the address: to the page, or to `/security` after an account was linked.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from app.api.http.sign_in_gate import SECURITY
from app.api.resources.people.forms import (
    NOT_STORED,
    device_of,
    lead,
    let_in,
    provider_name,
    remember,
    show,
    sign_in_form,
    step_in,
)
from app.domain.errors import NotFoundError
from app.language.choice import reader_language
from app.language.translation import speaking
from app.runs.people.oidc import ProviderError
from app.runs.people.provider_sign_in import Answer, Purpose, RefusedError, begin, come_back
from app.runs.people.sessions import SESSION_HEADER, read_session
from app.runs.workbench import current
from app.views.security_pages import fault_page
from app.views.sign_in_pages import unknown_link_page


async def go(request: Request) -> Response:
    """Lead the browser to the provider."""
    with speaking(reader_language(request.headers.get("accept-language", ""))):
        try:
            address, step = await begin(current(), Purpose(request.query_params.get("key", "")))
        except (ProviderError, RefusedError) as fault:
            return _refuse(fault, signed_in=False)
        return remember(RedirectResponse(address, 303, NOT_STORED), step)


async def come_in(request: Request, answer: Answer, person_id: str | None) -> Response:
    """Let in who came back, or say that the account is linked."""
    try:
        came = await come_back(current(), step_in(request), answer, device_of(request), person_id)
    except (ProviderError, RefusedError) as fault:
        return _refuse(fault, signed_in=person_id is not None)
    except NotFoundError:
        return show(unknown_link_page(), 404)
    return lead(SECURITY) if came.token is None else let_in(came.token)


async def back(request: Request) -> Response:
    """Take what the provider answered."""
    asked = request.query_params
    session_id = request.headers.get(SESSION_HEADER)
    signed_in = None if session_id is None else await read_session(current(), session_id)
    answer = Answer(asked.get("state", ""), asked.get("code", ""), asked.get("iss"))
    with speaking(reader_language(request.headers.get("accept-language", ""))):
        return await come_in(request, answer, None if signed_in is None else signed_in.person.id)


def _refuse(fault: ProviderError | RefusedError, *, signed_in: bool) -> Response:
    down = isinstance(fault, ProviderError)
    key = f"sign_in.provider_{fault.fault}" if isinstance(fault, ProviderError) else _key(fault)
    name = provider_name()
    return show(fault_page(key, name) if signed_in else sign_in_form("", key), 502 if down else 403)


def _key(fault: RefusedError) -> str:
    here = {"linked_elsewhere", "only_way"}
    return f"security.{fault.refusal}" if fault.refusal in here else f"sign_in.provider_{fault.refusal}"
