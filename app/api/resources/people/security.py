"""The page `/security`: passkeys, second steps and linked accounts of the person signed in. Native forms; each names
its action in `do`.

It asks for the password first, and again after ten minutes (`runs/people/proof.py`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from app.api.http.sign_in_gate import SECURITY, SIGN_IN
from app.api.resources.people.forms import (
    device_of,
    lead,
    passkey_place,
    provider_name,
    remember,
    show,
    step_in,
    texts,
)
from app.domain.errors import InputError
from app.domain.people.people import Person
from app.language.choice import reader_language
from app.language.translation import speaking
from app.runs.people import passkeys, provider_sign_in, second_step
from app.runs.people.oidc import ProviderError
from app.runs.people.passkeys import NewPasskey, PasskeyRefusedError, Refusal
from app.runs.people.proof import NotProvedError, prove, require_proof
from app.runs.people.second_step import StepOverError, WrongCodeError
from app.runs.people.sessions import SESSION_HEADER, WrongPasswordError
from app.runs.people.throttle import TooManyAttemptsError
from app.runs.workbench import current
from app.views.passkey_pages import PasskeyQuestion, make_page, script_at
from app.views.security_pages import (
    Ways,
    codes_page,
    enrolment_page,
    leave_page,
    proof_page,
    security_page,
    sign_in_again_page,
)
from app.views.user_agent import describe_agent

Command = Callable[[Request, Person], Awaitable[Response]]


async def security(request: Request) -> Response:
    """Show how this person signs in; posted: change it."""
    session_id = request.headers.get(SESSION_HEADER)
    if session_id is None:
        return lead(SIGN_IN if current().settings.accounts else "/")
    with speaking(reader_language(request.headers.get("accept-language", ""))):
        (wanted,) = await texts(request, "do") if request.method == "POST" else ("",)
        try:
            if wanted == "prove":
                return await _prove(request, session_id)
            person = await require_proof(current(), session_id)
        except NotProvedError as fault:
            return show(proof_page() if fault.has_password else sign_in_again_page(), 200 if wanted == "" else 403)
        command = COMMANDS.get(wanted)
        return await _overview(person) if command is None else await _carry_out(command, request, person)


async def _carry_out(command: Command, request: Request, person: Person) -> Response:
    try:
        return await command(request, person)
    except StepOverError:
        return await _overview(person, "security.too_late", 409)
    except TooManyAttemptsError:
        return await _overview(person, "sign_in.too_many", 429)
    except ProviderError as fault:
        return await _overview(person, f"sign_in.provider_{fault.fault}", 502)
    except provider_sign_in.RefusedError as fault:
        return await _overview(person, f"security.{fault.refusal}", 409)
    except PasskeyRefusedError as fault:
        return await _overview(person, _REFUSED[fault.refusal], 409)
    except InputError as fault:
        return await _overview(person, f"sign_in.bad_{fault.field}", 422)


async def _overview(person: Person, fault: str = "", status: int = 200) -> Response:
    wb = current()
    codes, linked = await second_step.count_codes(wb, person), await provider_sign_in.list_linked(wb, person)
    own = await passkeys.list_passkeys(wb, person)
    return show(security_page(Ways(codes, provider_name(), linked, passkey_place(), own), fault), status)


async def _prove(request: Request, session_id: str) -> Response:
    (password,) = await texts(request, "password")
    try:
        await prove(current(), session_id, password)
    except WrongPasswordError:
        return show(proof_page("settings.account.wrong_password"), 403)
    except TooManyAttemptsError:
        return show(proof_page("sign_in.too_many"), 429)
    return lead(SECURITY)


async def _begin_code(_request: Request, person: Person) -> Response:
    enrolment = await second_step.begin_enrolment(current(), person)
    return remember(show(enrolment_page(enrolment.secret, enrolment.uri)), enrolment.token)


async def _finish_code(request: Request, person: Person) -> Response:
    (code,) = await texts(request, "code")
    token = step_in(request)
    try:
        codes = await second_step.finish_enrolment(current(), person, token, code)
    except WrongCodeError:
        enrolment = await second_step.read_enrolment(current(), person, token)
        return show(enrolment_page(enrolment.secret, enrolment.uri, "security.wrong_code"), 422)
    return show(codes_page(codes))


async def _renew_codes(_request: Request, person: Person) -> Response:
    return show(codes_page(await second_step.renew_recovery_codes(current(), person)))


async def _stop_code(_request: Request, person: Person) -> Response:
    await second_step.turn_off(current(), person)
    return lead(SECURITY)


async def _link(_request: Request, person: Person) -> Response:
    address, step = await provider_sign_in.begin(current(), provider_sign_in.Purpose(link_to=person.id))
    return remember(show(leave_page(provider_name(), address)), step)


async def _unlink(request: Request, person: Person) -> Response:
    (which,) = await texts(request, "which")
    issuer, _, subject = which.partition(" ")
    await provider_sign_in.unlink(current(), person, issuer, subject)
    return lead(SECURITY)


async def _begin_passkey(request: Request, person: Person) -> Response:
    place = passkey_place()
    if place is None:
        return await _overview(person, status=409)
    asked = await passkeys.begin_adding(current(), place, person)
    name = describe_agent(device_of(request).agent)
    page = make_page(PasskeyQuestion(place, asked.options), name)
    return remember(show(page, script=script_at(place)), asked.token)


async def _finish_passkey(request: Request, person: Person) -> Response:
    place = passkey_place()
    if place is None:
        return await _overview(person, status=409)
    name, answer = await texts(request, "name", "answer")
    await passkeys.finish_adding(current(), place, person, step_in(request), NewPasskey(name, answer))
    return lead(SECURITY)


async def _rename_passkey(request: Request, person: Person) -> Response:
    which, name = await texts(request, "which", "name")
    await passkeys.rename(current(), person, which, name)
    return lead(SECURITY)


async def _remove_passkey(request: Request, person: Person) -> Response:
    (which,) = await texts(request, "which")
    await passkeys.remove(current(), person, which)
    return lead(SECURITY)


_REFUSED: Final[Mapping[Refusal, str]] = {
    Refusal.LATE: "security.too_late",
    Refusal.UNPROVED: "security.passkey_unproved",
    Refusal.TAKEN: "security.passkey_taken",
    Refusal.TOO_MANY: "security.passkey_too_many",
}
COMMANDS: Final[Mapping[str, Command]] = {
    "begin_code": _begin_code,
    "finish_code": _finish_code,
    "renew_codes": _renew_codes,
    "stop_code": _stop_code,
    "link": _link,
    "unlink": _unlink,
    "begin_passkey": _begin_passkey,
    "finish_passkey": _finish_passkey,
    "rename_passkey": _rename_passkey,
    "remove_passkey": _remove_passkey,
}
