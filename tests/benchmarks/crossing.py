"""How a batch crosses from one process to another: ways to make bytes of commands, answers and events, and back.

    pickle      protocol 5, as attrs has slotted classes pickled: by a dict of names
    positions   the same, but each command, answer and event as its class and a tuple
    json        as the journal writes commands: cattrs and orjson, with tags. The options of a game, which an
                event has as `Any`, come back as plain values: games would have to bring a reader of theirs

Tried besides: tuples in marshal, made by hand for the classes of the hot path, cost the same as `positions`. Numbers in
the place of class names (`copyreg.add_extension`) cost more, and so does a pickler without a memo, because
both players of a match are told the same event.
"""

import copyreg
import io
import pickle
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import attrgetter, or_
from typing import Any, get_args

import attrs
from attrs import frozen
from cattrs.preconf.orjson import make_converter
from cattrs.strategies import configure_tagged_union

from gameserver.core.messages.commands import Command, Query
from gameserver.core.messages.events import Answer, Event
from gameserver.tournaments.acts import Act
from gameserver.tournaments.lifecycle.act_table import ACTS

Asked = Sequence[tuple[int, int, Command | Query]]
"""Session, stamp, command."""
Told = Sequence[tuple[int | None, Answer, Sequence[tuple[int, Event]], Sequence[tuple[int, str]]]]
"""Session, answer, deliveries, dismissed."""


@frozen
class Encoding:
    """How batches become bytes, and bytes batches."""

    write_asked: Callable[[Asked], bytes]
    read_asked: Callable[[bytes], Asked]
    write_told: Callable[[Told], bytes]
    read_told: Callable[[bytes], Told]


def by_pickle() -> Encoding:
    """Names and values, as attrs has it."""
    return Encoding(pickle.dumps, pickle.loads, pickle.dumps, pickle.loads)


def by_positions() -> Encoding:
    """Classes and tuples of values; what is none of ours is pickled as it is."""

    class Pickler(pickle.Pickler):
        dispatch_table = copyreg.dispatch_table | {each: _by_position(each) for each in _classes()}

    def write(batch: Asked | Told) -> bytes:
        written = io.BytesIO()
        Pickler(written, pickle.HIGHEST_PROTOCOL).dump(batch)
        return written.getvalue()

    return Encoding(write, pickle.loads, write, pickle.loads)


def _classes() -> Sequence[type]:
    return [each for union in (Command, Query, Answer, Event) for each in get_args(union)]


def _by_position(value_type: Any) -> Callable[[Any], tuple[type, tuple[Any, ...]]]:
    names = [field.name for field in attrs.fields(value_type)]
    if len(names) > 1:
        values = attrgetter(*names)
        return lambda value: (value_type, values(value))
    return lambda value: (value_type, tuple(getattr(value, name) for name in names))


def by_json() -> Encoding:
    """Objects with tags."""
    converter = make_converter()
    acts: Any = reduce(or_, (spec.type for spec in ACTS.values()))
    configure_tagged_union(acts, converter)
    converter.register_unstructure_hook_func(lambda kind: kind is Act, lambda act: converter.unstructure(act, acts))
    converter.register_structure_hook_func(lambda kind: kind is Act, lambda raw, _: converter.structure(raw, acts))
    for union in (Command | Query, Event, Answer):
        configure_tagged_union(union, converter)
    asked = list[tuple[int, int, Command | Query]]
    told = list[tuple[int | None, Answer, tuple[tuple[int, Event], ...], tuple[tuple[int, str], ...]]]
    return Encoding(
        lambda batch: converter.dumps(batch, unstructure_as=asked),
        lambda data: converter.loads(data, asked),
        lambda batch: converter.dumps(batch, unstructure_as=told),
        lambda data: converter.loads(data, told),
    )


ENCODINGS: Mapping[str, Callable[[], Encoding]] = {"pickle": by_pickle, "positions": by_positions, "json": by_json}
