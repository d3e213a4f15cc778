"""`gameserver.protocol`, the one file of a protocol author: it has everything, and explains it."""

from typing import get_args

import pytest

from gameserver import protocol
from gameserver.core.commands import Command, Query
from gameserver.protocol import Capability, Event

ASKED = [kind.__name__ for kind in get_args(Command | Query) if kind.__name__ in protocol.__all__]
TOLD = [kind.__name__ for kind in get_args(Event)]
EXPLAINED = (protocol.__doc__ or "").replace("`", " ").replace(":", " ").replace(",", " ").replace(".", " ").split()


@pytest.mark.parametrize("name", TOLD)
def test_every_event_can_be_imported_and_is_explained(name: str) -> None:
    assert name in protocol.__all__
    assert name in EXPLAINED


@pytest.mark.parametrize("name", ASKED)
def test_every_command_and_query_is_explained(name: str) -> None:
    assert name in EXPLAINED


@pytest.mark.parametrize("capability", Capability)
def test_every_capability_is_explained(capability: Capability) -> None:
    assert capability.name in EXPLAINED
