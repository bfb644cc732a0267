"""The simulation of many processes: it counts what it says, and costs grow as they do in `app/runs`."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from tests.bench.scale import COSTS, FULL, MENDED, Installation, simulate, take_turns

SMALL = Installation(processes=4, streams=80)


def test_replies_end_as_often_as_their_mean_says() -> None:
    figures = simulate(replace(SMALL, streams=3_000), seconds=20)

    assert figures.ended == pytest.approx(3_000 * 20 / SMALL.seconds, rel=0.1)
    assert (figures.lost, figures.found) == (0, 0)


def test_replies_of_processes_that_die_are_lost_and_found_by_their_leases() -> None:
    figures = simulate(replace(SMALL, lifetime=8.0), seconds=20)

    assert 0 < figures.lost < 80 * 20
    assert 15 < figures.found <= 18


@pytest.mark.parametrize(
    ("resource", "growth"),
    [("turn to write", 2), ("leases, in a process", 2), ("leases, in the database", 4), ("busiest process", 1)],
)
def test_twice_the_processes_with_twice_the_replies_cost_so_many_times_as_much(resource: str, growth: int) -> None:
    small = simulate(replace(SMALL, processes=20, streams=4_000))
    large = simulate(replace(SMALL, processes=40, streams=8_000))

    assert large.used[resource] / small.used[resource] == pytest.approx(growth, rel=0.25)


def test_messages_grow_with_the_square_of_the_processes_unless_those_alone_hear_who_show_something() -> None:
    sizes = [Installation(100, 1_000), Installation(200, 2_000)]
    few, many = (simulate(of).used["Redis"] for of in sizes)
    told_few, told_many = (simulate(replace(of, all_hear=False)).used["Redis"] for of in sizes)

    assert many / few == pytest.approx(4, rel=0.25)
    assert told_many / told_few == pytest.approx(2, rel=0.25)


def test_what_breaks_first_is_named_and_more_of_it_helps() -> None:
    large = Installation(40, 2_000)

    assert simulate(large).first == "turn to write"
    assert simulate(replace(MENDED, processes=40, streams=2_000)).used["turn to write"] < FULL
    assert simulate(Installation(2, 20)).first == ""


def test_costs_count_by_what_they_are() -> None:
    slow = replace(COSTS, save=10 * COSTS.save)

    assert simulate(SMALL, slow).used["turn to write"] > 2 * simulate(SMALL).used["turn to write"]
    assert simulate(SMALL, slow).used["Redis"] == simulate(SMALL).used["Redis"]


def test_who_wants_most_waits_and_others_hardly_do() -> None:
    others, heaviest = take_turns(Random(1), replace(SMALL, calls_at_once=0.9), rounds=5_000)

    assert others < 5
    assert heaviest > 5 * others
