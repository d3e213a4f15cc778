"""Rows in a new version."""

import attrs
import pytest

from gameserver.core.messages.capabilities import Capability
from gameserver.core.state.lobby import Player
from gameserver.values import evolved

ANN = Player("ann", 1, "strategic", "::1", (Capability.CHAT,))


def test_a_row_evolves_as_attrs_has_it():
    changes = {"match": 7, "name": "bob", "room": None}
    assert evolved(ANN, **changes) == attrs.evolve(ANN, **changes)
    assert evolved(ANN) == ANN


def test_a_row_gets_no_field_that_it_has_not():
    with pytest.raises(AssertionError):
        evolved(ANN, colour="red")
