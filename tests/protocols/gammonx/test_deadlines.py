"""Warnings by the clock: a client is told when half of its time is over."""

import pytest

from gameserver.core.commands import Leave
from gameserver.policies import Rules
from gameserver.time_control import TimeControl
from protocols.gammonx.profiles import PROFILES
from tests.support.gammonx_client import ANN, BOB, GAMES, Hub, scripted
from tests.support.lobbies import LobbyHarness

EVERY_PROFILE = pytest.mark.parametrize("profile", PROFILES)


def warnings(client):
    return [payload for name, payload in client.heard() if name == "turn-timer"]


def pass_ms(hub, passed_ms):
    hub.tick(hub.harness.now_ms + passed_ms)


@EVERY_PROFILE
def test_player_to_act_is_told_once_per_turn(monkeypatch, profile):
    hub = Hub(profile=profile)
    scripted(monkeypatch, [6, 1, 2, 1, 3, 1, 4, 1])
    ann, bob = hub.started()
    pass_ms(hub, 29_999)
    assert warnings(ann) == warnings(bob) == []
    pass_ms(hub, 1)
    (warning,) = warnings(ann)
    assert list(warning) == ["activePlayer", "turnExpiration", "allowedCommands"]
    assert warning == {"activePlayer": ANN, "turnExpiration": "2026-01-01T00:01:01.000Z", "allowedCommands": []}
    if profile == "document":
        ann.ask("Roll")
    ann.ask("Move", 0, 1)
    pass_ms(hub, 15_000)
    assert warnings(ann) == [], "the clock of a turn does not start again with a move"
    while "Move" in ann.state["allowedCommands"]:
        first = ann.state["moveSequences"][0]["moves"][0]
        ann.ask("Move", first["from"], first["to"])
    ann.ask("EndTurn")
    ann.forget()
    bob.ask("Roll")
    pass_ms(hub, 30_000)
    assert warnings(ann) == []
    (warning,) = warnings(bob)
    assert (warning["activePlayer"], warning["turnExpiration"]) == (BOB, "2026-01-01T00:01:46.000Z")


@EVERY_PROFILE
def test_player_who_has_to_start_is_told(profile):
    hub = Hub(profile=profile)
    ann, bob = hub.paired()
    ann.ask("StartGame" if profile == "document" else "StartMatch")
    pass_ms(hub, 30_000)
    assert warnings(ann) == [], "who has started is not waited for"
    (warning,) = warnings(bob)
    assert (warning["activePlayer"], warning["turnExpiration"]) == (BOB, "2026-01-01T00:01:01.000Z")


def test_bank_that_ends_before_the_turn_is_warned_of():
    rules = Rules(first_move_pause_ms=0, ticket_clock=TimeControl.read("40s+1s, turn 60s"))
    hub = Hub(LobbyHarness(GAMES, rules))
    ann, _ = hub.started()
    pass_ms(hub, 9_999)
    assert warnings(ann) == []
    pass_ms(hub, 1)
    (warning,) = warnings(ann)
    assert warning["turnExpiration"] == "2026-01-01T00:00:41.000Z"


def test_while_the_clock_stands_nobody_is_told():
    hub = Hub()
    ann, bob = hub.paired()
    pass_ms(hub, 20_000)
    bob.drop()
    pass_ms(hub, 15_000)
    assert [name for name in ann.names() if name != "player-disconnected"] == []
    again = hub.connect(BOB, bob.match_id)
    again.ask("JoinMatch", BOB)
    pass_ms(hub, 9_999)
    assert warnings(ann) == warnings(again) == []
    pass_ms(hub, 1)
    (warning,) = warnings(ann)
    assert warning["turnExpiration"] == "2026-01-01T00:01:16.000Z", "fifteen seconds were nobody's"
    assert len(warnings(again)) == 1


def test_a_turn_that_was_half_over_before_a_drop_is_told_of_at_the_return(monkeypatch):
    hub = Hub()
    scripted(monkeypatch, [6, 1, 2, 1])
    ann, _ = hub.started()
    pass_ms(hub, 29_000)
    ann.drop()
    pass_ms(hub, 10_000)
    again = hub.connect(ANN, ann.match_id)
    again.ask("JoinMatch", ANN)
    pass_ms(hub, 1_000)
    (warning,) = warnings(again)
    assert warning["turnExpiration"] == "2026-01-01T00:01:11.000Z"


def test_a_started_second_of_an_absence_counts(monkeypatch):
    hub = Hub()
    scripted(monkeypatch, [6, 1])
    ann, bob = hub.started()
    hub.harness.do(Leave(ann.session))
    hub.harness.now_ms += 40
    hub.deliver()
    (payload,) = (payload for name, payload in bob.heard() if name == "player-disconnected")
    assert (payload["gracePeriod"], payload["expiration"]) == ("00:00:30", "2026-01-01T00:00:31.000Z")
