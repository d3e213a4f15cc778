"""Matches of all halls in one list.

Every hall counts its matches from 1, so a page of the list ends at a number in each hall, and the address of the next
page has them all: `before=first.120,reversi.33`. Within a hall the order is that of its own list, so nothing is shown
twice or left out, whatever ends meanwhile.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import asdict

from gameserver.halls import hall_of_word, hall_title, hall_word
from gameserver.read_model.halls import records_at
from gameserver.read_model.lobby_view import RecordsModel
from gameserver.records.reader import MatchHead, Wanted
from gameserver.values import value

NUMBER_LENGTH_MAX = 15
Before = Mapping[str, int]
"""The number in each hall before which its matches are wanted; all of them in a hall that is missing."""


@value
class HallHead(MatchHead):
    """A finished match of one of several halls."""

    hall: str
    at: str
    """The beginning of the address of its page."""

    @property
    def title(self) -> str:
        """The hall as people read it."""
        return hall_title(self.hall)


def models_of(read_model: RecordsModel) -> Mapping[str, RecordsModel]:
    """The records of each hall by its name, this server's first."""
    others = ((name, read_model.of_hall(name)) for name in read_model.halls.others)
    return {read_model.halls.own: read_model} | {name: model for name, model in others if model is not None}


async def heads_of_all(
    read_model: RecordsModel, wanted: Wanted, before: Before | None = None
) -> tuple[tuple[HallHead, ...], Before]:
    """Matches of all halls, the latest first, and where the next page begins. Of `wanted`, `before` does not count."""
    found: dict[str, Sequence[HallHead]] = {}
    before = before or {}
    for hall, model in models_of(read_model).items():
        of_hall = Wanted(before.get(hall), wanted.player, wanted.game, wanted.count)
        heads = await model.read(lambda reader, of_hall=of_hall: reader.heads(of_hall))  # type: ignore[misc]
        at = "" if hall == read_model.halls.own else records_at(hall)
        found[hall] = [HallHead(**_fields_of(head), hall=hall, at=at) for head in heads]
    merged = latest_first(found, wanted.count)
    return merged, {**before, **{head.hall: head.match for head in merged}}


def latest_first(found: Mapping[str, Sequence[HallHead]], count: int) -> tuple[HallHead, ...]:
    """The first matches of the lists in one, by their ends; those of one hall stay in their order."""
    left = {hall: list(reversed(heads)) for hall, heads in found.items() if heads}
    merged: list[HallHead] = []
    while left and len(merged) < count:
        latest = max(left, key=lambda hall: left[hall][-1].ended_at)
        merged.append(left[latest].pop())
        if not left[latest]:
            del left[latest]
    return tuple(merged)


def before_in(text: str) -> Before:
    """The numbers in an address. What makes no sense is left out."""
    found = {}
    for part in text.split(","):
        word, _, number = part.rpartition(".")
        hall = hall_of_word(word)
        if hall is not None and number.isascii() and number.isdigit() and len(number) <= NUMBER_LENGTH_MAX:
            found[hall] = int(number)
    return found


def before_text(before: Before) -> str:
    """The numbers as an address has them."""
    return ",".join(f"{hall_word(hall)}.{number}" for hall, number in sorted(before.items()))


def _fields_of(head: MatchHead) -> dict[str, Any]:
    return asdict(head, recurse=False)
