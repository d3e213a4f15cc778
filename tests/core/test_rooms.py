"""The promise about rooms that is no conversation: the table of transitions."""

from gameserver.core.lobby import RoomPhase
from gameserver.core.rooms import TRANSITIONS


def test_the_table_of_transitions_is_whole() -> None:
    assert set(TRANSITIONS) == set(RoomPhase)
