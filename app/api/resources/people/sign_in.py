"""The pages `/sign-in`, `/sign-in/code`, `/welcome` and `/sign-out`: native forms, posted without a script.

The answer sets the cookie. That a form of another site is not posted here is the gate's business (`web/gate.py`
compares the Origin).
"""

from __future__ import annotations

from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from app.api.http.sign_in_gate import ENDED, SIGN_IN, SIGN_IN_CODE
from app.api.resources.people.forms import (
    device_of,
    forget,
    hold,
    know_again,
    lead,
    let_in,
    mark_in,
    provider_name,
    remember,
    show,
    sign_in_form,
    step_in,
    texts,
)
from app.domain.errors import ConflictError, InputError, NotFoundError
from app.language.choice import reader_language
from app.language.translation import speaking
from app.runs.people.hash_line import RETRY_SECONDS, TooBusyError
from app.runs.people.known_devices import mark_own_device
from app.runs.people.second_step import StepOverError, WrongCodeError, finish_sign_in
from app.runs.people.sessions import (
    SESSION_HEADER,
    CodeAsked,
    Credentials,
    WrongPasswordError,
    begin_session,
    revoke,
    sign_in,
)
from app.runs.people.throttle import TooManyAttemptsError
from app.runs.people.welcome import NewPerson, accept, has_owner, read_invitation
from app.runs.workbench import current
from app.views.sign_in_pages import (
    Typed,
    code_page,
    sign_out_page,
    unknown_link_page,
    welcome_page,
)


async def enter(request: Request) -> Response:
    """Show the form; posted: begin a session, or lead to the second step."""
    if not current().settings.accounts:
        return lead("/")
    with speaking(reader_language(request.headers.get("accept-language", ""))):
        if request.method != "POST":
            ended = ENDED in request.query_params
            answer = show(sign_in_form(ended=ended))
            return forget(answer) if ended else answer
        email, password = await texts(request, "email", "password")
        try:
            typed = Credentials(email, password, mark_in(request))
            entered = await sign_in(current(), typed, device_of(request))
        except WrongPasswordError:
            return show(sign_in_form(email, "sign_in.wrong"), 403)
        except TooManyAttemptsError:
            await hold()
            return show(sign_in_form(email, "sign_in.too_many"), 429)
        except TooBusyError:
            await hold()
            answer = show(sign_in_form(email, "sign_in.busy"), 503)
            answer.headers["Retry-After"] = str(RETRY_SECONDS)
            return answer
        if isinstance(entered, CodeAsked):
            return know_again(remember(lead(SIGN_IN_CODE), entered.token), entered.mark)
        return know_again(let_in(entered.token), entered.mark)


async def enter_code(request: Request) -> Response:
    """Show the form of the second step; posted: check the code and begin a session."""
    if not current().settings.accounts:
        return lead("/")
    with speaking(reader_language(request.headers.get("accept-language", ""))):
        if request.method != "POST":
            return show(code_page()) if step_in(request) else lead(SIGN_IN)
        (code,) = await texts(request, "code")
        try:
            return let_in(await finish_sign_in(current(), step_in(request), code, device_of(request)))
        except WrongCodeError:
            return show(code_page("sign_in.wrong_code"), 403)
        except TooManyAttemptsError:
            await hold()
            return show(code_page("sign_in.too_many"), 429)
        except (StepOverError, NotFoundError):
            return show(sign_in_form("", "sign_in.too_late"), 403)


async def leave(request: Request) -> Response:
    """Show the button; posted: end the session and forget its cookie."""
    if request.method != "POST":
        with speaking(reader_language(request.headers.get("accept-language", ""))):
            return show(sign_out_page())
    session_id = request.headers.get(SESSION_HEADER)
    if session_id is not None:
        await revoke(current(), session_id)
    answer = forget(lead(SIGN_IN))
    answer.headers["Clear-Site-Data"] = '"storage"'
    return answer


async def welcome(request: Request) -> Response:
    """Show the form of a one-time link; posted: carry it out and begin a session."""
    key, wb = request.query_params.get("key", ""), current()
    with speaking(reader_language(request.headers.get("accept-language", ""))):
        typed = Typed()
        provider = provider_name() if await has_owner(wb) else ""  # the first owner needs no provider to come in
        try:
            resets = (await read_invitation(wb, key)).person_id is not None
        except NotFoundError:
            return show(unknown_link_page(), 404)
        page = partial(welcome_page, resets=resets, provider=provider, key=key)
        try:
            if request.method != "POST":
                return show(page(typed))
            name, email, password = await texts(request, "name", "email", "password")
            typed = Typed(name, email)
            person = await accept(wb, key, NewPerson(name, email, password))
        except NotFoundError:
            return show(unknown_link_page(), 404)
        except InputError as fault:
            return show(
                welcome_page(typed, f"sign_in.bad_{fault.field}", resets=resets, provider=provider, key=key), 422
            )
        except ConflictError:
            return show(page(typed, "sign_in.taken"), 409)
        entered = let_in(await begin_session(wb, person, device_of(request)))
        return know_again(entered, await mark_own_device(wb, person))
