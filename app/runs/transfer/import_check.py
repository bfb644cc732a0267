"""Checks across a whole file to be imported, for example that ids and positions are unique.

    checked = check_file(read_file(body, rest), owner, now)     # stores nothing, and keeps no pair
    records = checked.read_pairs(0, range(50), conversation_id, NewIds(new_id))

Each pair is read twice, here and when it is stored, because all pairs in memory would take many times the size of the
file.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise

from app.domain.attachments.attachments import Attachment
from app.domain.conversation.conversation import Conversation
from app.domain.conversation.parts import File, Image
from app.domain.errors import ConflictError
from app.domain.filters.saved_rules import MAX_SAVED
from app.domain.topics.topic_rules import MAX_TOPICS, TopicNames
from app.domain.transfer.records import NewIds, NodeRecord, PairRecord, list_attachments, relabel, renew
from app.runs.transfer.import_file import ImportFile
from app.runs.transfer.import_ids import Ids
from app.runs.transfer.import_records import read_conversation, read_node, read_pair, read_topic_path
from app.runs.transfer.import_scan import FaultError
from app.runs.transfer.import_tools import read_attachment


@dataclass(frozen=True, slots=True)
class CheckedConversation:
    """A conversation of an import file.

    - `positions`: the position of each pair, in the order of the file.
    - `order`: the indexes of the pairs in the file, from 0, sorted by the positions of the pairs.
    - `named`: the ids of the images and files that its messages name and that the file contains.
    """

    conversation: Conversation
    positions: array[int]
    order: array[int]
    named: tuple[str, ...]
    node_count: int


@dataclass(frozen=True, slots=True)
class ReadPair:
    """A pair of an import file, ready to be stored. `topic` is the path of its topic, or None."""

    record: PairRecord
    topic: TopicNames | None


@dataclass(frozen=True)
class CheckedFile:
    """An import file without faults, which can be stored.

    - `topics`: the topic paths that its pairs name.
    - `ids`: all ids in the file.
    - `attachments`: the index of each image or file in the file's list of attachments, by its id.
    - `labels`: the message part (`Image` or `File`) that names each image or file, by its id.
    """

    file: ImportFile
    conversations: tuple[CheckedConversation, ...]
    topics: tuple[TopicNames, ...]
    ids: set[str]
    attachments: dict[str, int]
    labels: dict[str, Image | File]

    @property
    def pair_count(self) -> int:
        return sum(len(one.positions) for one in self.conversations)

    def read_pairs(self, number: int, indexes: Iterable[int], conversation_id: str, fresh: NewIds) -> list[ReadPair]:
        """Read some pairs of a conversation from the import file, and give them new ids.

        `number` is the number of the conversation in the file, `indexes` has the places of the pairs in its list, from
        0. `fresh` makes the new ids and remembers the new id of each id in the file.
        """
        one, ids, read = self.conversations[number], Ids(), list[ReadPair]()
        for index in indexes:
            place = f"$.conversations[{number}].pairs[{index}]"
            shape = self.file.read_pair(number, index)
            record = read_pair(shape, place, one.conversation, one.positions[index], ids)
            topic = None if shape.topic is None else read_topic_path(shape.topic, f"{place}.topic")
            read.append(ReadPair(renew(relabel(record, self.labels), conversation_id, fresh), topic))
        for each in ids.made:
            fresh.known.pop(each, None)
        return read

    def read_nodes(self, number: int, indexes: Iterable[int], fresh: NewIds) -> list[NodeRecord]:
        """Read nodes (entries between the pairs) of a conversation from the import file, and give them new ids.

        The parameters are those of `read_pairs`: `indexes` has the places of the nodes in the conversation's list, from
        0.
        """
        ids = Ids()
        nodes = [read_node(self.file.read_node(number, index), "$", ids) for index in indexes]
        return [replace(node, id=fresh(node.id)) for node in nodes]

    def read_attachment(self, attachment_id: str) -> Attachment:
        """Read the attachment (an image or a file) with this id from the import file."""
        index = self.attachments[attachment_id]
        return read_attachment(self.file.read_attachment(index), f"$.attachments[{index}]")


def check_file(file: ImportFile, owner: str, now: datetime) -> CheckedFile:
    """Read a whole import file once and check it.

    Raises:
        FaultError: a value is wrong, or contradicts another.
        ConflictError: the file has more than the maximum number of topics or saved filters.
    """
    ids, topics = Ids(), dict[TopicNames, None]()
    _require_most(len(file.shape.filters), MAX_SAVED, "saved filters")
    _require_most(len(file.shape.topics), MAX_TOPICS, "topics")
    checked = [_check(file, number, owner, now, ids, topics) for number in range(len(file.shape.conversations))]
    attachments, labels = _check_attachments(file, frozenset[str]().union(*(one.named for one in checked)))
    conversations = tuple(replace(one, named=tuple(sorted(attachments.keys() & one.named))) for one in checked)
    return CheckedFile(file, conversations, tuple(topics), ids.seen, attachments, labels)


def _check(  # noqa: PLR0913, PLR0917 - the values collected from the whole file
    file: ImportFile, number: int, owner: str, now: datetime, ids: Ids, topics: dict[TopicNames, None]
) -> CheckedConversation:
    place = f"$.conversations[{number}]"
    conversation = read_conversation(file.shape.conversations[number], place, owner, now, ids)
    positions, seen, position, named = array("Q"), dict[int, int](), 0, set[str]()
    for index in range(file.count("pairs", number)):
        here = f"{place}.pairs[{index}]"
        pair = file.read_pair(number, index)
        position = position + 1 if pair.position is None else pair.position
        if position in seen:
            other = f"{place}.pairs[{seen[position]}]"
            raise FaultError(
                f"{here}.position", f"is {position}, like that of {other}. Give each a different position."
            )
        seen[position] = index
        positions.append(position)
        named.update(list_attachments(read_pair(pair, here, conversation, position, ids)))
        ids.made.clear()
        if pair.topic is not None:
            topics[read_topic_path(pair.topic, f"{here}.topic")] = None
            _require_most(len(topics), MAX_TOPICS, "topics")
    node_count = file.count("nodes", number)
    for index in range(node_count):
        read_node(file.read_node(number, index), f"{place}.nodes[{index}]", ids)
    return CheckedConversation(conversation, positions, _order(positions), tuple(named), node_count)


def _require_most(count: int, most: int, what: str) -> None:
    if count > most:
        raise ConflictError(f"The file has more than {most:,} {what}, which is the maximum.")


def _order(positions: array[int]) -> array[int]:
    numbers = range(len(positions))
    ordered = all(first < second for first, second in pairwise(positions))
    return array("Q", numbers if ordered else sorted(numbers, key=positions.__getitem__))


def _check_attachments(file: ImportFile, named: frozenset[str]) -> tuple[dict[str, int], dict[str, Image | File]]:
    found: dict[str, int] = {}
    labels: dict[str, Image | File] = {}
    for index in range(file.count("attachments")):
        place = f"$.attachments[{index}]"
        attachment = read_attachment(file.read_attachment(index), place)
        if attachment.id in found:
            raise FaultError(f"{place}.id", "occurs twice.")
        if attachment.id not in named:
            raise FaultError(f"{place}.id", "is not used by any message of this file.")
        found[attachment.id] = index
        labels[attachment.id] = attachment.part()
    return found, labels
