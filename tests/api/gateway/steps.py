"""Steps that tests of the gateway share."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

from tests.api.served import Api

MODEL = "peer:m"


async def read_closed(api: Api, conversation_id: str) -> dict[str, Any]:
    """The conversation of a call once it is closed, which follows the end of its run."""
    async with asyncio.timeout(10):
        while True:
            kept = (await api.http.get(f"/conversations/{conversation_id}")).json()
            if kept["status"] != "active":
                return kept
            await asyncio.sleep(0.02)


async def spend_budget(api: Api) -> None:
    """Let the model be so expensive that no call is within the budget."""
    today = datetime.now(UTC).date().isoformat()
    prices = {"input": "1000", "output": "1000"}
    priced = await api.http.put(f"/prices/{today}", params={"model": MODEL}, json=prices)
    assert priced.status_code == 200, priced.text
    budget = await api.http.put("/budgets/all/ever", json={"amount": "0.0001"})
    assert budget.status_code == 200, budget.text
