"""Commands of every profile; `transcripts/` has the conversations of the originals."""

import pytest

from gameserver.protocol import (
    Accept,
    Challenge,
    ListPlayers,
    Play,
    Resign,
    Say,
    Seek,
    Withdraw,
)
from gameserver.time_control import TimeControl
from protocols.strategic.profiles import PROFILES
from tests.protocols.strategic.answers import OK
from tests.support.strategic_client import StrategicClient


@pytest.mark.parametrize("profile", PROFILES)
def test_every_profile_understands_what_any_client_sends(profile):
    client = StrategicClient(profile).login()
    for line, command in {
        "GET PLAYERLIST": ListPlayers(7),
        "SUBSCRIBE tic-tac-toe": Seek(7, "Tic-tac-toe"),
        "UNSUBSCRIBE ": Withdraw(7),
        "challenge bob Reversi": Challenge(7, "bob", "Reversi"),
        'challenge "bob" "reversi" 30': Challenge(7, "bob", "Reversi", TimeControl(30_000)),
        'challenge accept "3"': Accept(7, 3),
        "challenge accept": Accept(7, None),
        "challenge forfeit": Resign(7, match=0),
        'msg "bob" hi': Say(7, "bob", "hi"),
        "MOVE 4 ": Play(7, "4", 0),
    }.items():
        assert client.send(line) == command
        assert client.hears(answer=OK) == ["OK"]
    assert client.told("help LOGIN")[0] == "OK"
