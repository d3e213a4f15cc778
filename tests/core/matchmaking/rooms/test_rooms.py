"""What is no conversation about rooms: the table of transitions."""

from gameserver.core.matchmaking.room_commands import TRANSITIONS
from gameserver.core.state.room import RoomPhase


def test_the_table_of_transitions_is_whole() -> None:
    assert set(TRANSITIONS) == set(RoomPhase)
