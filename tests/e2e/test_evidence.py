from __future__ import annotations

from tests.e2e.evidence import gather
from tests.e2e.screen import Screen
from tests.serving import Served


def test_report_of_a_failed_story_has_the_frames_of_the_page_and_the_tasks_of_the_server(
    screen: Screen, server: Served
) -> None:
    screen.start("/echo one").wait_for_reply()
    conversation = screen.path.rpartition("/")[2]

    (_, page), (_, tasks), (_, output) = list(gather([screen.page.context], [server]))[-3:]

    assert "> 42" in page  # an event that the page sent
    assert f"'{conversation}'" in tasks.split("tabs", 1)[1]
    assert "transcript_state.follow" in tasks
    assert conversation in output  # the line of the send
