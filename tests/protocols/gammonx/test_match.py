"""The order of events through a match, as both players hear them."""

import pytest

from gameserver.core.commands import Unbook
from tests.support.gammonx_client import ANN, BOB, Hub, allowed, scripted, shut_out

RESIGN = ["ResignGame", "ResignMatch"]


@pytest.mark.parametrize(
    ("length", "rounds"), [("cash", [(BOB, 2)]), ("5 points", [(BOB, 5)]), ("7 points", [(BOB, 7)])]
)
def test_a_match_is_resigned(hub, length, rounds):
    first, second = hub.started(length=length)
    ann, bob = (first, second) if first.player == ANN else (second, first)
    heard = ann.ask("ResignMatch")
    assert allowed(heard) == [("match-ended", []), ("force-disconnect", [])]
    assert [(each["winner"], each["score"]) for each in heard[0][1]["gameRounds"]] == rounds
    assert heard[0][1]["player2"]["score"] == sum(points for _, points in rounds)
    assert (heard[0][1]["winner"], heard[0][1]["loser"], heard[0][1]["loserPoints"]) == (BOB, ANN, 0)
    assert bob.names() == ["match-ended", "force-disconnect"]


def test_connection_left_over_from_a_match_keeps_nobody_out_of_the_next_one(hub):
    """Behind a proxy that goes on acknowledging, a connection whose client is gone lasts for ever."""
    ann, bob = hub.started()
    ann.ask("ResignMatch")
    for client in (ann, bob):
        client.forget()
    matches = [hub.book(client.player) for client in (ann, bob)]
    again = [hub.connect(client.player, match_id) for client, match_id in zip((ann, bob), matches, strict=True)]
    for client in again:
        client.ask("JoinMatch", client.player)
    assert again[0].names() == ["match-lobby-found", "match-started"]
    for client in (ann, bob):
        assert client.names() == ["force-disconnect"]
        assert client.ended is not None


def test_a_ticket_that_lapses(hub):
    ann = hub.join(ANN)
    ann.forget()
    hub.harness.do(Unbook(90, ann.match_id, ANN))
    hub.deliver()
    assert ann.names() == ["force-disconnect"]
    again = hub.book(ANN)
    ann.match_id = again
    assert [name for name, _ in ann.ask("JoinMatch", ANN)] == ["match-lobby-waiting"], "on the same connection"


def test_the_next_match_on_the_same_connection(hub):
    first, second = hub.started()
    first.ask("ResignMatch")
    for client in (first, second):
        client.forget()
        client.match_id = hub.book(client.player)
        client.ask("JoinMatch", client.player)
    first.ask("StartGame")
    second.ask("StartGame")
    assert first.state["matchId"] == first.match_id


def test_joining_twice_does_no_harm(hub):
    ann = hub.join(ANN)
    ann.forget()
    assert [name for name, _ in ann.ask("JoinMatch", ANN)] == ["match-lobby-waiting"]
    hub.join(BOB)
    ann.forget()
    assert [name for name, _ in ann.ask("JoinMatch", ANN)] == ["match-lobby-found", "match-started"]


START = [-2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2]


def test_moves_of_player_2_can_be_left_on_player_1s_board(monkeypatch):
    scripted(monkeypatch, [1, 6, 3, 1, 3, 1])
    hub = Hub(options={"maps_moves": False})
    bob, ann = hub.started()
    bob.ask("Roll")
    assert bob.state["boardState"]["fields"] == START, "the board is turned all the same"
    assert bob.state["moveSequences"] == ann.state["moveSequences"]
    assert {move["from"] - move["to"] for each in bob.state["moveSequences"] for move in each["moves"]} == {3, 1}
    assert bob.ask("Move", 16, 19)[0][0] == "error"
    assert bob.ask("Move", 7, 4)[0][0] == "game-state"
    assert bob.ask("Move", 5, 4)[0][0] == "game-state"
    assert bob.state["boardState"]["fields"][16:20] == [-2, 0, -4, -2]
    bob.ask("EndTurn")
    ann.ask("Roll")
    assert ann.ask("Move", 0, 3)[0][0] == "game-state", "player 1's moves are as ever"


def test_in_2026_moves_are_always_on_ones_own_board(monkeypatch):
    scripted(monkeypatch, [1, 3])
    bob, _ = Hub(profile="2026", options={"maps_moves": False}).started()
    assert bob.player == BOB
    assert bob.ask("Move", 16, 19)[0][0] == "game-state"


def test_reconnecting_player_without_legal_moves_still_has_none(hub, monkeypatch):
    scripted(monkeypatch, [6, 1, 4, 2])
    shut_out(monkeypatch)
    ann, _ = hub.started()
    ann.ask("Roll")
    ann.drop()
    again = hub.connect(ANN, ann.match_id)
    assert allowed(again.ask("JoinMatch", ANN))[-1] == ("game-state", ["EndTurn", *RESIGN])
