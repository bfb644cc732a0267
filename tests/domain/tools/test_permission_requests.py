"""No call without permission, whatever happens in any order.

The machine below simulates calls, people in several tabs, the clock, stops and restarts against the pure rules, in the
way `runs/tools/permissions.py` does. It keeps a separate list of the permissions that people really gave.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from app.domain.tools.arguments import read_arguments
from app.domain.tools.permission_requests import (
    ANSWER_TIME,
    Allowed,
    Denied,
    Ended,
    Event,
    ExpiryReason,
    PermissionRequest,
    PermissionStatus,
    PersonAllowed,
    PersonDenied,
    RuleCovered,
    SettledError,
    describe_standing,
    permission_of,
    settle,
)
from app.domain.tools.permissions import Allow, AllowedTool, Ask, PermissionQuery, PermissionScope, Refuse, Rule, decide
from tests.effort import examples

AT = datetime(2026, 1, 31, 12, tzinfo=UTC)
PENDING = PermissionRequest(
    id="q1",
    conversation_id="c1",
    shown_in="c1",
    run_id="run1",
    pair_id="p1",
    tool_call_id="t1",
    server_id="files",
    server_name="files",
    tool_name="write",
    name="files__write",
    title="Write",
    description="",
    input_schema_json="{}",
    fingerprint="f1",
    input_json='{"path":"/a"}',
    asked_at=AT,
    expires_at=AT + ANSWER_TIME,
)
EVENTS: tuple[Event, ...] = (
    PersonAllowed(PermissionScope.ONCE),
    PersonAllowed(PermissionScope.ALWAYS, '{"path":"/b"}'),
    PersonDenied(),
    RuleCovered("r1"),
    Ended(ExpiryReason.STOPPED),
    Ended(ExpiryReason.INTERRUPTED),
)


@pytest.mark.parametrize("first", EVENTS)
@pytest.mark.parametrize("second", EVENTS)
def test_what_is_settled_stays_settled(first: Event, second: Event) -> None:
    settled = settle(PENDING, first, AT)

    with pytest.raises(SettledError) as refused:
        settle(settled, second, AT + timedelta(seconds=1))

    assert refused.value.request is settled
    assert describe_standing(settled) in str(refused.value)


@pytest.mark.parametrize("event", EVENTS)
def test_an_answer_after_the_time_limit_finds_the_request_expired(event: Event) -> None:
    settled = settle(PENDING, event, PENDING.expires_at)

    assert settled.standing is PermissionStatus.EXPIRED
    assert settled.run_json is None
    assert isinstance(permission_of(settled), Denied)


def test_until_the_last_moment_an_answer_counts() -> None:
    settled = settle(PENDING, PersonAllowed(PermissionScope.ONCE), PENDING.expires_at - timedelta(microseconds=1))

    assert permission_of(settled) == Allowed(PENDING.input_json)


def test_edited_arguments_are_what_runs() -> None:
    settled = settle(PENDING, PersonAllowed(PermissionScope.ONCE, '{"path":"/b"}'), AT)

    assert permission_of(settled) == Allowed('{"path":"/b"}')
    assert settled.input_json == '{"path":"/a"}'


def test_a_pending_request_permits_nothing() -> None:
    assert permission_of(PENDING) is None


def test_a_model_receives_the_reason_in_a_text_for_models() -> None:
    told = {permission_of(settle(PENDING, event, AT)) for event in EVENTS[2:]} - {Allowed(PENDING.input_json)}

    assert len(told) == 3
    assert all(isinstance(one, Denied) and "call" in one.reason for one in told)


TOOLS = ("read", "write")
SERVERS = ("files", "evil")
INPUTS = ('{"path":"/notes/a"}', '{"path":"/etc/passwd"}')
LISTS: tuple[tuple[AllowedTool, ...] | None, ...] = (
    None,
    None,
    (AllowedTool("files", "*"),),
    (AllowedTool("files", "read", ask=False), AllowedTool("files", "write")),
)


class Interleavings(RuleBasedStateMachine):
    """Calls that request permission, people who answer, and time. `said`: the permissions as people gave them."""

    def __init__(self) -> None:
        super().__init__()
        self.now = AT
        self.requests: dict[str, PermissionRequest] = {}
        self.lists: dict[str, tuple[AllowedTool, ...] | None] = {}
        self.standing: dict[str, Rule] = {}
        self.waiting: set[str] = set()
        self.made: dict[str, str] = {}
        self.said: dict[str, str] = {}
        self.count = 0

    def a_name(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    def in_view(self) -> list[str]:
        """Return the requests whose button a person may press: mostly pending ones, or one in an outdated tab."""
        pending = [each for each, request in self.requests.items() if request.standing is PermissionStatus.PENDING]
        return [*pending * 3, *self.requests]

    def asked(self, request: PermissionRequest) -> PermissionQuery:
        arguments = read_arguments(request.input_json)
        return PermissionQuery(request.server_id, request.tool_name, request.fingerprint, arguments, request.shown_in)

    def require_spoken_of(self, request: PermissionRequest, rule_id: str | None) -> None:
        spoken = self.standing[rule_id or ""]
        assert (spoken.server_id, spoken.tool_name) == (request.server_id, request.tool_name)
        assert spoken.fingerprint == request.fingerprint
        assert spoken.conversation_id in {None, request.shown_in}

    def make(self, request_id: str, input_json: str) -> None:
        assert request_id not in self.made, "called twice"
        self.made[request_id] = input_json

    def happen(self, request_id: str, event: Event) -> None:
        try:
            self.requests[request_id] = settle(self.requests[request_id], event, self.now)
        except SettledError:
            return
        if isinstance(event, PersonAllowed) and self.requests[request_id].standing is PermissionStatus.ALLOWED:
            request = self.requests[request_id]
            self.said[request_id] = event.edited_json or request.input_json
            if event.scope is not PermissionScope.ONCE:
                here = request.shown_in if event.scope is PermissionScope.CONVERSATION else None
                made = Rule(self.a_name("r"), request.server_id, request.tool_name, request.fingerprint, (), here)
                self.standing[made.id] = made

    @rule(
        server=st.sampled_from(SERVERS),
        tool=st.sampled_from(TOOLS),
        input_json=st.sampled_from(INPUTS),
        conversation=st.sampled_from(("c1", "c2")),
        allowed=st.sampled_from(LISTS),
        version=st.sampled_from(("f1", "f1", "f2")),
    )
    def a_model_calls(  # noqa: PLR0917 - what a call is
        self,
        server: str,
        tool: str,
        input_json: str,
        conversation: str,
        allowed: tuple[AllowedTool, ...] | None,
        version: str,
    ) -> None:
        self.call(server, tool, input_json, conversation, allowed, version)

    @rule(conversation=st.sampled_from(("c1", "c2")), input_json=st.sampled_from(INPUTS))
    def a_model_calls_everything_at_once(self, conversation: str, input_json: str) -> None:
        for server, tool, version in itertools.product(SERVERS, TOOLS, ("f1", "f2")):
            self.call(server, tool, input_json, conversation, None, version)

    def call(  # noqa: PLR0917 - what a call is
        self,
        server: str,
        tool: str,
        input_json: str,
        conversation: str,
        allowed: tuple[AllowedTool, ...] | None,
        version: str,
    ) -> None:
        request = replace(
            PENDING,
            id=self.a_name("q"),
            server_id=server,
            tool_name=tool,
            shown_in=conversation,
            fingerprint=version,
            input_json=input_json,
            asked_at=self.now,
            expires_at=self.now + ANSWER_TIME,
        )
        match decide(self.asked(request), allowed, self.standing.values()):
            case Allow(by="agent"):
                assert allowed is not None
                assert (server, tool) == ("files", "read")
            case Allow(rule_id=rule_id):
                self.require_spoken_of(request, rule_id)
            case Refuse():
                assert allowed is not None
                assert server == "evil"
            case Ask():
                self.requests[request.id] = request
                self.lists[request.id] = allowed
                self.waiting.add(request.id)

    @precondition(lambda self: self.requests)
    @rule(
        data=st.data(),
        scope=st.sampled_from(PermissionScope),
        edited=st.sampled_from((None, '{"path":"/edited"}')),
        after=st.sampled_from((0, 1, 150, 299, 300)),
    )
    def somebody_allows(self, data: st.DataObject, scope: PermissionScope, edited: str | None, after: int) -> None:
        self.now += timedelta(seconds=after)
        self.happen(data.draw(st.sampled_from(self.in_view())), PersonAllowed(scope, edited))

    @precondition(lambda self: self.requests)
    @rule(data=st.data())
    def somebody_denies(self, data: st.DataObject) -> None:
        self.happen(data.draw(st.sampled_from(self.in_view())), PersonDenied())

    @precondition(lambda self: self.standing)
    @rule(data=st.data())
    def somebody_revokes(self, data: st.DataObject) -> None:
        del self.standing[data.draw(st.sampled_from(sorted(self.standing)))]

    @rule(seconds=st.sampled_from((1, 60, 299)))
    def time_passes(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)

    @precondition(lambda self: self.waiting)
    @rule(data=st.data())
    def a_waiter_looks(self, data: st.DataObject) -> None:
        request_id = data.draw(st.sampled_from(sorted(self.waiting)))
        request = self.requests[request_id]
        if request.standing is PermissionStatus.PENDING:
            decision = decide(self.asked(request), self.lists[request_id], self.standing.values())
            if isinstance(decision, Allow) and decision.rule_id is not None:
                self.require_spoken_of(request, decision.rule_id)
                self.happen(request_id, RuleCovered(decision.rule_id))
                if self.requests[request_id].standing is PermissionStatus.ALLOWED:
                    self.said[request_id] = request.input_json  # by a rule that a person made and that is not revoked
            elif self.now >= request.expires_at:
                self.happen(request_id, Ended(ExpiryReason.TIME))
        permission = permission_of(self.requests[request_id])
        if permission is not None:
            self.waiting.discard(request_id)
        if isinstance(permission, Allowed):
            self.make(request_id, permission.input_json)

    @precondition(lambda self: self.waiting)
    @rule(data=st.data())
    def the_reply_is_stopped(self, data: st.DataObject) -> None:
        request_id = data.draw(st.sampled_from(sorted(self.waiting)))
        self.waiting.discard(request_id)
        self.happen(request_id, Ended(ExpiryReason.STOPPED))

    @precondition(lambda self: self.waiting)
    @rule(really=st.sampled_from((True, False, False)))
    def inview_starts_again(self, really: bool) -> None:
        if not really:  # rarely, so that requests can expire before it
            return
        self.waiting.clear()
        for request_id in self.requests:
            self.happen(request_id, Ended(ExpiryReason.INTERRUPTED))

    @invariant()
    def every_call_had_its_permission(self) -> None:
        for request_id, input_json in self.made.items():
            assert self.said[request_id] == input_json
            assert self.requests[request_id].standing is PermissionStatus.ALLOWED
        for request in self.requests.values():
            assert (request.run_json is not None) == (request.standing is PermissionStatus.ALLOWED)
            assert request.settled_at is None or request.standing is not PermissionStatus.PENDING
            if request.standing is PermissionStatus.ALLOWED:
                assert request.settled_at is not None
                assert request.settled_at < request.expires_at


Interleavings.TestCase.settings = settings(
    max_examples=examples(120), stateful_step_count=40, deadline=None, derandomize=True, database=None
)
test_no_call_is_made_without_permission = Interleavings.TestCase
