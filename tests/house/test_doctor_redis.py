"""The doctor and the settings of several processes: whether Redis answers, and what is no address of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.cli.checks import Status
from app.cli.doctor_redis import check_redis
from app.domain.errors import SettingsError, StoreError
from app.runs.wiring import open_workbench
from app.settings import load_settings
from tests.redis_server import PROGRAM, redis_serving
from tests.runs.steps import settings_of
from tests.serving import free_port


async def test_nothing_is_asked_where_there_is_one_process() -> None:
    assert await check_redis(load_settings({})) == []


@pytest.mark.skipif(PROGRAM is None, reason="No server of Redis is installed.")
async def test_the_doctor_says_that_redis_answers() -> None:
    with redis_serving() as server:
        (check,) = await check_redis(load_settings({"INVIEW_REDIS_URL": server.url}))

    assert (check.status, check.name) == (Status.OK, "redis")


async def test_redis_that_does_not_answer_is_a_fault_and_refuses_the_start(tmp_path: Path) -> None:
    url = f"redis://127.0.0.1:{free_port()}/0"

    (check,) = await check_redis(load_settings({"INVIEW_REDIS_URL": url}))
    assert check.status is Status.FAULT
    assert "Redis cannot be reached" in check.message

    with pytest.raises(StoreError, match="Redis cannot be reached"):
        async with open_workbench(settings_of(tmp_path, INVIEW_REDIS_URL=url)):
            pass


@pytest.mark.parametrize("text", ["localhost:6379", "http://127.0.0.1:6379", "redis://", "unix:///tmp/redis"])
def test_what_is_no_address_of_redis_is_refused(text: str) -> None:
    with pytest.raises(SettingsError, match="INVIEW_REDIS_URL is no address of Redis"):
        load_settings({"INVIEW_REDIS_URL": text})


def test_the_password_is_shown_nowhere() -> None:
    settings = load_settings({"INVIEW_REDIS_URL": "redis://:s3cret@127.0.0.1:6379/0"})

    assert "s3cret" not in repr(settings)
    assert settings.describe()["INVIEW_REDIS_URL"] == "redis://:•••@127.0.0.1:6379/0"
