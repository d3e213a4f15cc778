"""The order of events through a match, as both players hear them."""

import pytest

from gameserver.core.messages.commands import Unbook
from tests.support.gammonx_client import ANN, BOB, Hub, allowed, scripted, shut_out

RESIGN = ["ResignGame", "ResignMatch"]


def test_a_turn(hub, monkeypatch):
    scripted(monkeypatch, [6, 1, 4, 2, 5, 5])
    ann, bob = hub.started()
    assert allowed(ann.ask("Roll")) == [("game-state", ["Move", *RESIGN])]
    assert allowed(bob.heard()) == [("game-state", RESIGN)]
    assert (ann.state["phase"], bob.state["phase"]) == (1, 3)
    assert ann.state["diceRolls"] == [{"roll": 4, "used": False}, {"roll": 2, "used": False}]
    assert allowed(ann.ask("Move", 0, 4)) == [("game-state", ["Move", "UndoMove", *RESIGN])]
    assert ann.state["phase"] == 2
    assert ann.state["diceRolls"] == [{"roll": 4, "used": True}, {"roll": 2, "used": False}]
    assert {move["to"] - move["from"] for each in ann.state["moveSequences"] for move in each["moves"]} == {2}
    assert allowed(ann.ask("UndoMove")) == [("game-state", ["Move", *RESIGN])]
    assert ann.state["boardState"]["pipCountWhite"] == 167
    assert allowed(ann.ask("Move", 0, 6)) == [("game-state", ["EndTurn", "UndoMove", *RESIGN])], "two steps at once"
    assert (ann.state["phase"], ann.state["moveSequences"]) == (5, [])
    assert [die["used"] for die in ann.state["diceRolls"]] == [True, True]
    bob.forget()
    assert allowed(ann.ask("EndTurn")) == [("game-state", RESIGN)]
    assert allowed(bob.heard()) == [("game-state", ["Roll", *RESIGN])]
    assert (ann.state["phase"], bob.state["phase"], bob.state["turnNumber"]) == (3, 0, 2)
    assert bob.state["activeTurn"] == BOB
    bob.ask("Roll")
    assert [die["roll"] for die in bob.state["diceRolls"]] == [5] * 4


def test_player_2_sees_the_board_as_player_1_does(hub, monkeypatch):
    scripted(monkeypatch, [1, 6, 3, 1, 3, 1])
    bob, ann = hub.started()
    assert bob.player == BOB
    start = [-2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2]
    assert ann.state["boardState"]["fields"] == bob.state["boardState"]["fields"] == start
    bob.ask("Roll")
    bob.ask("Move", 16, 19)
    bob.ask("Move", 18, 19)
    assert bob.state["boardState"]["fields"][16:20] == [-2, 0, -4, -2]
    assert ann.state["boardState"]["fields"][4:8] == [2, 4, 0, 2]
    assert (bob.state["boardState"]["pipCountWhite"], bob.state["boardState"]["pipCountBlack"]) == (163, 167)
    assert (ann.state["boardState"]["pipCountWhite"], ann.state["boardState"]["pipCountBlack"]) == (167, 163)
    bob.ask("EndTurn")
    ann.ask("Roll")
    moves = {(move["from"], move["to"]) for each in bob.state["moveSequences"] for move in each["moves"]}
    mirrored = {(23 - source, 23 - target) for source, target in moves}
    assert mirrored == {(move["from"], move["to"]) for each in ann.state["moveSequences"] for move in each["moves"]}


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


def test_doubles_are_offered_and_taken(hub, monkeypatch):
    scripted(monkeypatch, [6, 1, *[1, 2] * 10])
    ann, bob = hub.started(game="Backgammon", length="5 points")
    assert ann.state["allowedCommands"] == ["Roll", *RESIGN, "OfferDouble"]
    assert (ann.state["boardState"]["doublingCubeValue"], ann.state["boardState"]["doublingCubeOwner"]) == (1, False)
    assert allowed(ann.ask("OfferDouble")) == [("game-waiting", RESIGN)]
    assert allowed(bob.heard()) == [("double-offered", ["AcceptDouble", "DeclineDouble", *RESIGN])]
    assert ann.state["activeTurn"] == bob.state["activeTurn"] == BOB
    assert allowed(bob.ask("AcceptDouble")) == [("double-accepted", RESIGN), ("game-state", RESIGN)]
    assert allowed(ann.heard()) == [("double-accepted", ["Roll", *RESIGN]), ("game-state", ["Roll", *RESIGN])]
    boards = ann.state["boardState"], bob.state["boardState"]
    assert [(each["doublingCubeValue"], each["doublingCubeOwner"]) for each in boards] == [(2, False), (2, True)]


def test_a_double_is_declined(hub, monkeypatch):
    scripted(monkeypatch, [6, 1, *[1, 2] * 10])
    ann, bob = hub.started(game="Backgammon", length="5 points")
    ann.ask("OfferDouble")
    bob.forget()
    heard = bob.ask("DeclineDouble")
    assert [name for name, _ in heard] == ["double-declined", "game-ended"]
    assert heard[1][1]["player1"]["score"] == 1, "the value before the double"
    assert ann.names() == ["double-declined", "game-ended"]


def test_a_lost_connection_and_the_way_back(hub, monkeypatch):
    scripted(monkeypatch, [6, 1, *[1, 2] * 10])
    ann, bob = hub.started()
    ann.ask("Roll")
    ann.ask("Move", 0, 2)
    before = ann.state
    bob.forget()
    ann.drop()
    ((name, payload),) = bob.heard()
    assert name == "player-disconnected"
    assert payload == {
        "gracePeriod": "00:00:30",
        "expiration": "2026-01-01T00:00:31.000Z",
        "playerId": ANN,
        "allowedCommands": [],
    }
    again = hub.connect(ANN, ann.match_id)
    heard = again.ask("JoinMatch", ANN)
    assert [name for name, _ in heard] == ["match-lobby-found", "game-state"]
    assert again.state == before
    assert allowed(bob.heard()) == [("player-connected", ["GameState"])]
    assert again.ask("GameState") == [("game-state", before)]
    again.ask("Move", 0, 1)
    again.ask("EndTurn")
    assert bob.state is not None
    bob.forget()
    assert bob.state["allowedCommands"][0] == "Roll"


def test_the_token_takes_the_seat_from_a_connection_that_lives(hub):
    ann, _ = hub.paired()
    thief = hub.connect(ANN, ann.match_id)
    ((name, error),) = thief.ask("JoinMatch", ANN)
    assert (name, error["code"]) == ("error", "LOBBY_ERROR")
    assert ann.heard() == []
    again = hub.connect(ANN, ann.match_id, query={"token": f"gx.secret of {ANN}"}, address="10.9.9.9")
    assert [name for name, _ in again.ask("JoinMatch", ANN)] == ["match-lobby-found", "match-started"]
    assert ann.names() == ["force-disconnect"]
    assert ann.ended is not None


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
