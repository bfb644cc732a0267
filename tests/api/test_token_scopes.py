"""Every route there is has a scope in the table, or stands here as one that no token opens."""

from __future__ import annotations

import pytest

from app.api.gateway.routes import CHAT, MESSAGES, MODELS
from app.domain.people.tokens import TokenScope, needed_scope
from tests.api.served import api_document

NO_TOKEN = {("GET", "/api/v1/tokens"), ("POST", "/api/v1/tokens"), ("DELETE", "/api/v1/tokens/{token_id}")}
ROUTES = [(method.upper(), path) for path, methods in api_document()["paths"].items() for method in methods]


@pytest.mark.parametrize(("method", "path"), ROUTES, ids=[" ".join(route) for route in ROUTES])
def test_route_has_a_scope_or_is_closed_to_tokens_on_purpose(method: str, path: str):
    assert (needed_scope(method, path) is None) == ((method, path) in NO_TOKEN)


@pytest.mark.parametrize(("method", "path"), [route for route in ROUTES if route[0] in {"PUT", "PATCH", "DELETE"}])
def test_reading_never_suffices_to_change(method: str, path: str):
    assert needed_scope(method, path) is not TokenScope.READ


@pytest.mark.parametrize("path", [CHAT, MESSAGES, MODELS, MODELS + "/offline:demo"])
def test_gateway_has_a_scope_of_its_own(path: str):
    assert needed_scope("POST", path) is TokenScope.GATEWAY


@pytest.mark.parametrize(
    "path", ["/", "/settings", "/_event/", "/sign-in", "/s/x", "/api/v1/", "/api/v2/x", "/api/v1/new"]
)
def test_what_no_table_names_is_closed_to_tokens(path: str):
    assert needed_scope("GET", path) is None
