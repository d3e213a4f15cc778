"""The order of events through a match, as both players hear them."""

import pytest

from gameserver.core.messages.capabilities import Capability
from gameserver.core.messages.commands import Enter, Play, Seek, Unbook
from tests.support.gammonx_client import ANN, BOB, Hub, allowed, scripted, shut_out

RESIGN = ["ResignGame", "ResignMatch"]


def test_the_way_to_the_first_roll(hub, monkeypatch):
    scripted(monkeypatch, [3, 3, 5, 2])
    ann = hub.connect(ANN, hub.book(ANN))
    bob = hub.connect(BOB, hub.book(BOB))
    ((name, lobby),) = ann.ask("JoinMatch", ANN)
    assert (name, lobby) == (
        "match-lobby-waiting",
        {
            "id": ann.match_id,
            "groupName": f"match_{ann.match_id}",
            "player1": ANN,
            "player2": None,
            "matchFound": False,
            "allowedCommands": [],
        },
    )
    assert allowed(bob.ask("JoinMatch", BOB)) == [("match-lobby-found", []), ("match-started", ["StartGame"])]
    (found, lobby), (started, state) = ann.heard()
    assert (found, started) == ("match-lobby-found", "match-started")
    assert (lobby["player1"], lobby["player2"], lobby["matchFound"]) == (ANN, BOB, True)
    assert state == {
        "id": ann.match_id,
        "groupName": f"match_{ann.match_id}",
        "gameRound": 1,
        "gameRounds": [],
        "variant": 1,
        "modus": 0,
        "type": 2,
        "player1": {"id": ANN, "userName": None, "score": 0, "points": 0, "startDiceRoll": None},
        "player2": {"id": BOB, "userName": None, "score": 0, "points": 0, "startDiceRoll": None},
        "winner": None,
        "winnerPoints": None,
        "loser": None,
        "loserPoints": None,
        "allowedCommands": ["StartGame"],
    }
    assert bob.match["id"] == ann.match["id"] == ann.match_id, "the pair has one public id"
    assert allowed(bob.ask("StartGame")) == [("game-waiting", [])]
    assert ann.heard() == []
    assert allowed(ann.ask("StartGame")) == [("game-started", ["Roll", *RESIGN])]
    assert allowed(bob.heard()) == [("game-started", RESIGN)]
    assert (ann.state["phase"], bob.state["phase"]) == (0, 3)
    assert ann.state["activeTurn"] == bob.state["activeTurn"] == ANN, "the higher die starts, ties are rolled again"
    assert ann.state["diceRolls"] == ann.state["moveSequences"] == []


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


def test_a_game_ends_and_the_next_begins(hub, monkeypatch):
    scripted(monkeypatch, [6, 1, *[1, 2] * 10])
    ann, bob = hub.started(length="5 points")
    heard = ann.ask("ResignGame")
    assert allowed(heard) == [("game-ended", ["StartGame"])]
    assert heard[0][1]["gameRounds"] == [
        {"gameRoundIndex": 0, "modus": 1, "phase": 6, "winner": BOB, "score": 2, "points": 2}
    ]
    assert heard[0][1]["player2"] == {"id": BOB, "userName": None, "score": 2, "points": 2, "startDiceRoll": 1}
    assert allowed(bob.heard()) == [("game-ended", ["StartGame"])]
    ann.ask("StartGame")
    assert (ann.match["gameRound"], len(ann.match["gameRounds"])) == (1, 1)
    bob.ask("StartGame")
    assert bob.state["activeTurn"] == BOB, "who won the last game begins"
    assert bob.state["allowedCommands"] == ["Roll", *RESIGN]
    bob.ask("MatchState")
    assert bob.match["gameRound"] == 2
    assert bob.match["gameRounds"][1] == {
        "gameRoundIndex": 1,
        "modus": 1,
        "phase": 0,
        "winner": None,
        "score": None,
        "points": None,
    }


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


def test_a_match_of_tavli_resigned_between_its_games_counts_all_three(hub):
    first, second = hub.started(game="Tavli")
    first.ask("ResignGame")
    second.forget()
    heard = second.ask("ResignMatch")
    assert [name for name, _ in heard] == ["match-ended", "force-disconnect"]
    rounds = heard[0][1]["gameRounds"]
    assert [each["modus"] for each in rounds] == [2, 3, 4]
    assert [each["winner"] for each in rounds] == [second.player, first.player, first.player]


def test_the_last_game_of_a_match_ends_it_by_resigning(hub):
    first, second = hub.started(game="Backgammon", length="cash")
    heard = first.ask("ResignGame")
    assert [name for name, _ in heard] == ["match-ended", "force-disconnect"]
    assert heard[0][1]["gameRounds"][0]["score"] == 3
    assert second.names() == ["match-ended", "force-disconnect"]


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


@pytest.mark.parametrize("ready", [False, True])
def test_the_way_back_between_games(hub, ready):
    ann, bob = hub.paired(length="5 points")
    if ready:
        ann.ask("StartGame")
    ann.drop()
    again = hub.connect(ANN, ann.match_id)
    heard = again.ask("JoinMatch", ANN)
    expected = ("game-waiting", []) if ready else ("match-started", ["StartGame"])
    assert allowed(heard) == [("match-lobby-found", []), expected]
    bob.ask("StartGame")
    if not ready:
        again.ask("StartGame")
    again.heard()
    assert again.state["turnNumber"] == 1


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


def test_nobody_comes_back_in_time(hub):
    ann, bob = hub.started()
    loser, winner = (ann, bob)
    loser.drop()
    winner.forget()
    hub.harness.now_ms += 30_000
    hub.harness.time_up()
    hub.deliver()
    heard = winner.heard()
    assert [name for name, _ in heard] == ["match-ended", "force-disconnect"]
    assert {each["winner"] for each in heard[0][1]["gameRounds"]} == {winner.player}


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


@pytest.mark.parametrize("whole", [True, False])
def test_moves_that_are_not_made_by_hand_are_told_step_by_step(hub, monkeypatch, whole):
    scripted(monkeypatch, [6, 1, 4, 2, 3, 1, 5, 3])
    tim = 5
    hub.harness.do(Enter(tim, "tim", "strategic", "10.0.0.2", (Capability.CHAT, Capability.CHALLENGE)))
    hub.harness.do(Seek(tim, "Tavla"))
    ann = hub.join(ANN, open_to_queue=True)
    ann.ask("StartGame")
    assert ann.state["diceRolls"] == [{"roll": 4, "used": False}, {"roll": 2, "used": False}], "tim's, at once"
    ann.forget()
    for move in ["24/20 13/11"] if whole else ["24/20", "13/11"]:
        hub.harness.do(Play(tim, move))
        hub.deliver()
    heard = ann.heard()
    assert [name for name, _ in heard] == ["game-state"] * 3
    assert [sum(die["used"] for die in state["diceRolls"]) for _, state in heard] == [1, 2, 0]
    assert [state["phase"] for _, state in heard] == [3, 3, 0]
    pips = [state["boardState"]["pipCountBlack"] for _, state in heard]
    assert pips in ([163, 161, 161], [165, 161, 161]), "the order of the dice is the lobby's"
    assert [state["turnNumber"] for _, state in heard] == [1, 1, 2]


def test_dice_that_cannot_be_played(hub, monkeypatch):
    scripted(monkeypatch, [6, 1, 4, 2, 3, 3])
    shut_out(monkeypatch)
    ann, bob = hub.started()
    assert allowed(ann.ask("Roll")) == [("game-state", ["EndTurn", *RESIGN])]
    assert allowed(bob.heard()) == [("game-state", RESIGN)]
    assert (ann.state["phase"], bob.state["phase"]) == (5, 3)
    assert ann.state["diceRolls"] == [{"roll": 4, "used": False}, {"roll": 2, "used": False}]
    assert ann.state["moveSequences"] == bob.state["moveSequences"] == []
    assert ann.state["boardState"]["homeBarCountWhite"] == bob.state["boardState"]["homeBarCountBlack"] == 1
    for call in (("Move", -1, 3), ("UndoMove",), ("Roll",)):
        ((name, _),) = ann.ask(*call)
        assert name == "error"
    assert allowed(ann.ask("EndTurn")) == [("game-state", RESIGN)]
    assert allowed(bob.heard()) == [("game-state", ["Roll", *RESIGN])]
    assert (bob.state["turnNumber"], bob.state["diceRolls"]) == (2, [])
    assert hub.harness.match().moves[-1].text == "end", "the pass is on record"


def test_opening_dice_that_cannot_be_played(monkeypatch):
    scripted(monkeypatch, [4, 2])
    shut_out(monkeypatch)
    ann, bob = Hub(profile="2026").started()
    stuck = ["EndTurn", *RESIGN]
    assert (ann.match["allowedCommands"], ann.state["allowedCommands"], ann.state["phase"]) == (stuck, stuck, 5)
    ann.ask("EndTurn")
    assert bob.heard()[-1][1]["allowedCommands"] == ["Roll", *RESIGN]


def test_reconnecting_player_without_legal_moves_still_has_none(hub, monkeypatch):
    scripted(monkeypatch, [6, 1, 4, 2])
    shut_out(monkeypatch)
    ann, _ = hub.started()
    ann.ask("Roll")
    ann.drop()
    again = hub.connect(ANN, ann.match_id)
    assert allowed(again.ask("JoinMatch", ANN))[-1] == ("game-state", ["EndTurn", *RESIGN])
