"""The common part of all protocols of lines."""

from typing import get_args

import pytest

from gameserver.protocol import Context, Event, Peer
from protocols.lines import HELD_BACK, LineAdapter
from tests.support.own_plugins import OWN


def line_adapters():
    """An adapter of each protocol that has one for its own port and derives it from the base."""
    for protocol in OWN.protocols.values():
        if protocol.default_port is not None and not protocol.carries_others:
            adapter = protocol.adapter(Peer(7, "10.0.0.1"), Context(protocol.profiles[0], protocol.options_type(), ()))
            if isinstance(adapter, LineAdapter):
                yield pytest.param(adapter, id=protocol.name)


LINE_ADAPTERS = [*line_adapters()]


def test_these_are_protocols_of_lines():
    assert {param.id for param in LINE_ADAPTERS} == {"strategic", "connect-four", "mastermind"}


@pytest.mark.parametrize("adapter", LINE_ADAPTERS)
def test_every_event_has_its_line_or_its_silence(adapter):
    every = set(get_args(Event))
    assert {*adapter.LINES} | adapter.SILENT == every
    assert {*adapter.LINES} & adapter.SILENT == set()
    assert every.issuperset(adapter.UPDATES)


def test_events_with_a_release_time_are_delayed():
    assert {kind.__name__ for kind in HELD_BACK} == {"TurnStarted", "MovePlayed", "MoveRefused"}
