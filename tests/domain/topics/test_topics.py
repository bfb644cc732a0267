from __future__ import annotations

import pytest

from app.domain.errors import InputError
from app.domain.topics.topics import Topic, build_topic_tree

TREE = build_topic_tree(
    [Topic("3", "Deep", "2"), Topic("2", "Planning", "1"), Topic("1", "AI"), Topic("4", "Ethics", "1")]
)


def test_a_topic_is_written_as_the_names_from_the_root() -> None:
    assert TREE.path_text("3") == "AI > Planning > Deep"
    assert TREE.path_text("1") == "AI"


def test_topics_keep_the_order_they_were_given_in() -> None:
    assert list(TREE.paths) == ["3", "2", "1", "4"]


def test_a_subtree_is_the_topic_and_everything_below_it() -> None:
    assert TREE.subtree("1") == ("1", "2", "4", "3")
    assert TREE.subtree("4") == ("4",)


def test_a_tree_may_be_deeper_than_python_can_recurse() -> None:
    chain = [Topic(str(n), f"T{n}", str(n - 1) if n else None) for n in range(1_500)]

    tree = build_topic_tree(reversed(chain))

    assert len(tree.paths["1499"]) == len(tree.subtree("0")) == 1_500


@pytest.mark.parametrize(
    ("topics", "reason"),
    [
        ([Topic("1", "AI", "2"), Topic("2", "ML", "1")], "is its own ancestor"),
        ([Topic("1", "AI", "1")], "is its own ancestor"),
        ([Topic("1", "AI", "9")], "a parent that does not exist: '9'"),
    ],
)
def test_topics_that_form_no_tree_are_refused(topics: list[Topic], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        build_topic_tree(topics)
