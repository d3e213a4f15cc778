"""Views as programs read them in JSON: the names stay, whatever the fields are called."""

from gameserver.policies import Rules
from gameserver.read_model.live import match_replay_of
from gameserver.read_model.lobby_view import LobbyView
from gameserver.web.ui.json_views import lobby_json, match_json
from tests.support.games import Countdown, catalogue
from tests.support.lobbies import LobbyHarness


def test_a_room_is_still_called_a_table() -> None:
    harness = LobbyHarness(catalogue(Countdown()), Rules(room_count=2, room_game="Countdown", first_move_pause_ms=0))
    for session, name, number in ((1, "ann", 1), (2, "bob", 1), (3, "cyd", 0)):
        harness.enter_by_rooms(session, name)
        harness.sit(session, number)
        harness.ready(session)
    shown = lobby_json(LobbyView.of(harness.lobby, 0, harness.now_ms))
    assert shown["players"][0] == {"name": "ann", "protocol": "connect-four", "match": 1, "seeks": None, "table": 1}
    (offer,) = shown["offers"]
    assert offer == {"kind": "room", "game": "Countdown", "players": ["cyd"], "to": "", "room": 0}
    match = match_json(match_replay_of(harness.match()))
    assert match["table"] == 1
    assert "room" not in match
