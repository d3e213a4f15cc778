"""The profile `2026`: how a match begins, and what else is otherwise than in the document."""

import random

import pytest

from protocols.gammonx.profiles import PROFILES
from tests.protocols.gammonx.moves_and_views import any_move, compare_views
from tests.support.gammonx_client import ANN, BOB, Hub, allowed, scripted

RESIGN = ["ResignGame", "ResignMatch"]


def start_dice(client, method=""):
    """The dice that a client was told last of both, or is told if it asks."""
    if method:
        client.ask(method)
    return [client.match[each]["startDiceRoll"] for each in ("player1", "player2")]


@pytest.fixture
def hub() -> Hub:
    return Hub(profile="2026")


def test_the_match_begins_with_a_die_each(hub, monkeypatch):
    scripted(monkeypatch, [2, 5, 1, 2])
    ann, bob = hub.join(ANN), hub.join(BOB)
    waiting = ("match-waiting-for-start", ["StartMatch", *RESIGN])
    assert allowed(bob.heard()) == []
    assert bob.log == ["match-lobby-found", "match-waiting-for-start"]
    assert (ann.match["allowedCommands"], ann.match["player1"]["startDiceRoll"]) == (waiting[1], None)
    ann.forget()
    assert allowed(ann.ask("StartMatch")) == [("match-waiting", RESIGN)]
    assert start_dice(ann) == [2, None], "its own die, and not the opponent's"
    assert start_dice(ann, "MatchState") == [2, None]
    assert start_dice(bob, "MatchState") == [None, None], "nothing shows to the opponent"
    bob.forget()
    ann.forget()
    turn = ["Move", *RESIGN]
    assert allowed(bob.ask("StartMatch")) == [("match-started", turn), ("game-started", turn)]
    assert allowed(ann.heard()) == [("match-started", RESIGN), ("game-started", RESIGN)]
    assert [ann.match[each]["startDiceRoll"] for each in ("player1", "player2")] == [2, 5]
    assert [die["roll"] for die in ann.state["diceRolls"]] == [2, 5], "the starter plays the dice of both"
    assert (ann.state["phase"], bob.state["phase"], ann.state["activeTurn"]) == (3, 1, BOB)


def test_a_tie_is_told_and_both_roll_again(hub, monkeypatch):
    scripted(monkeypatch, [4, 4, 3, 3, 2, 5, 1, 2])
    ann, bob = hub.paired()
    for tie, following in ((4, 3), (3, 2)):
        if tie == 4:
            ann.ask("StartMatch")
        ann.forget()
        heard = bob.ask("StartMatch")
        assert allowed(heard) == [("match-waiting-for-start", ["StartMatch", *RESIGN])] == allowed(ann.heard())
        assert [ann.match[each]["startDiceRoll"] for each in ("player1", "player2")] == [tie, tie]
        assert ann.match["gameRounds"] == []
        ((name, payload),) = ann.ask("GameState")
        assert (name, payload["code"]) == ("error", "GET_GAME_STATE_ERROR")
        assert allowed(ann.ask("StartMatch")) == [("match-waiting", RESIGN)]
        assert start_dice(ann) == [following, None], "both are rolled anew"
        assert start_dice(bob, "MatchState") == [None, None]
        bob.forget()
        ((name, payload),) = ann.ask("StartMatch")
        assert (name, payload["code"]) == ("error", "START_MATCH_ERROR"), "once each"
        assert bob.heard() == []
    turn = ["Move", *RESIGN]
    assert allowed(bob.ask("StartMatch")) == [("match-started", turn), ("game-started", turn)]
    assert allowed(ann.heard()) == [("match-started", RESIGN), ("game-started", RESIGN)]
    assert [bob.match[each]["startDiceRoll"] for each in ("player1", "player2")] == [2, 5]


@pytest.mark.parametrize("rolled", [False, True])
def test_the_way_back_after_a_tie(hub, monkeypatch, rolled):
    scripted(monkeypatch, [4, 4, 6, 1, 1, 2])
    ann, bob = hub.paired()
    ann.ask("StartMatch")
    bob.ask("StartMatch")
    if rolled:
        ann.ask("StartMatch")
    bob.forget()
    ann.drop()
    again = hub.connect(ANN, ann.match_id)
    names = [name for name, _ in again.ask("JoinMatch", ANN)]
    assert names == ["match-lobby-found", "match-waiting" if rolled else "match-waiting-for-start"]
    assert start_dice(again) == ([6, None] if rolled else [4, 4])
    assert allowed(bob.heard())[-1] == ("player-connected", ["MatchState"])
    bob.ask("StartMatch")
    if not rolled:
        again.ask("StartMatch")
    assert again.state["allowedCommands"] == ["Move", *RESIGN]


def test_later_games_are_rolled_for(hub, monkeypatch):
    scripted(monkeypatch, [6, 1, *[1, 2] * 10])
    ann, bob = hub.started(length="5 points")
    assert allowed(ann.ask("ResignGame")) == [("game-ended", ["StartGame", *RESIGN])]
    bob.forget()
    assert allowed(bob.ask("StartGame")) == [("game-waiting", RESIGN)]
    assert allowed(ann.ask("StartGame")) == [("game-started", RESIGN)]
    assert bob.state["allowedCommands"] == ["Roll", *RESIGN]


def test_a_double_is_told_to_both_and_its_answer_once(hub, monkeypatch):
    scripted(monkeypatch, [6, 1, *[1, 2] * 10])
    ann, bob = hub.started(game="Backgammon", length="5 points")
    assert ann.state["boardState"]["doublingCubeOwner"] is None
    bob.ask("ResignGame")
    ann.ask("StartGame")
    bob.ask("StartGame")
    ann.forget()
    bob.forget()
    assert allowed(ann.ask("OfferDouble")) == [("double-offered", RESIGN)]
    assert allowed(bob.heard()) == [("double-offered", ["AcceptDouble", "DeclineDouble", *RESIGN])]
    assert [name for name, _ in bob.ask("AcceptDouble")] == ["double-accepted"]
    assert ann.names() == ["double-accepted"]
    assert (ann.state["boardState"]["doublingCubeOwner"], bob.state["boardState"]["doublingCubeOwner"]) == (False, True)


@pytest.mark.parametrize("ready", [False, True])
def test_the_way_back_before_the_match(hub, monkeypatch, ready):
    scripted(monkeypatch, [2, 5])
    ann, bob = hub.paired()
    if ready:
        ann.ask("StartMatch")
    ann.drop()
    again = hub.connect(ANN, ann.match_id)
    names = [name for name, _ in again.ask("JoinMatch", ANN)]
    assert names == ["match-lobby-found", "match-waiting" if ready else "match-waiting-for-start"]
    assert start_dice(again) == [2 if ready else None, None]
    bob.drop()
    bob = hub.connect(BOB, bob.match_id)
    bob.ask("JoinMatch", BOB)
    assert start_dice(bob) == [None, None], "who is not ready learns nothing by coming back"


def test_a_client_of_the_document_sees_no_die_before_the_match():
    ann, _ = Hub().paired()
    ((name, payload),) = ann.ask("StartGame")
    assert (name, payload["player1"]["startDiceRoll"]) == ("game-waiting", None)


def test_errors_name_what_can_be_asked_after_them(hub):
    ann, _ = hub.paired()
    ((name, payload),) = ann.ask("StartGame")
    assert (name, payload["code"]) == ("error", "START_GAME_ERROR")
    assert payload["allowedCommands"] == ["GameState", "MatchState"]
    assert payload["message"].startswith("The given command 'StartGame' is not in the list of allowed commands.")
    ann.ask("StartMatch")
    ((_, payload),) = ann.ask("StartMatch")
    assert payload["code"] == "START_MATCH_ERROR"
    ((_, payload),) = ann.ask("ResignGame")
    assert payload["code"] == "RESIGN_GAME_ERROR", "listed, and yet there is no game"
    assert hub.harness.match().ready == (0,)


def test_the_document_has_no_start_match():
    ann, _ = Hub().paired()
    ann.ask("StartMatch")
    assert "Method does not exist" in ann.client.failure


@pytest.mark.parametrize("first", PROFILES)
def test_the_generations_meet_and_roll_for_the_first_turn(monkeypatch, first):
    scripted(monkeypatch, [4, 4, 6, 1, 3, 1])
    hub = Hub(profile=first)
    ann = hub.join(ANN)
    hub.profile = next(name for name in PROFILES if name != first)
    bob = hub.join(BOB)
    old, new = (ann, bob) if first == "document" else (bob, ann)
    old.forget()
    new.forget()
    assert (old.log[-1], new.log[-1]) == ("match-started", "match-waiting-for-start")
    assert new.ask("StartMatch")[-1][0] == "match-waiting"
    assert start_dice(new) == ([None, 1] if new is bob else [6, None]), "of the roll that counts, not of the tie"
    assert old.ask("StartGame")[-1][0] == "game-started", "ties are rolled again at once"
    assert new.names() == ["match-started", "game-started"]
    assert new.match["player1"]["startDiceRoll"] == 6
    assert ann.state["allowedCommands"] == ["Roll", *RESIGN]
    assert ann.ask("Roll")[-1][1]["allowedCommands"] == ["Move", *RESIGN]


def test_whole_match(hub):
    chance = random.Random(3)
    ann, bob = hub.started(game="Tavli")
    while hub.harness.lobby.matches:
        acting = next(each for each in (ann, bob) if set(each.adapter._session.allowed) - set(RESIGN))
        first = acting.adapter._session.allowed[0]
        heard = acting.ask(*(any_move(acting, chance) if first == "Move" else (first,)))
        assert all(name != "error" for name, _ in heard), heard
        compare_views(ann, bob)
    for client in (ann, bob):
        client.heard()
        assert client.log[-2:] == ["match-ended", "force-disconnect"]


def test_the_profiles_differ_in_their_paths():
    assert [profile.prefix for profile in PROFILES.values()] == ["", "/game"]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("game", ["Backgammon", "Tavla", "Tavli"])
def test_allowed_commands_to_roll_between_games_and_after(monkeypatch, profile, game):
    """As the tests of the GammonX server have it (Apache-2.0), but for what the document allows between games."""
    scripted(monkeypatch, [6, 1, *[1, 2] * 10])
    hub = Hub(profile=profile)
    ann, bob = hub.started(game=game, length="5 points")
    ann.ask("ResignGame")
    between = ["StartGame"] if profile == "document" else ["StartGame", *RESIGN]
    assert [ann.match["allowedCommands"], bob.match["allowedCommands"]] == [between, between]
    bob.ask("StartGame")
    ann.ask("StartGame")
    to_roll = ["Roll", *RESIGN, "OfferDouble"] if game == "Backgammon" else ["Roll", *RESIGN]
    assert (bob.state["phase"], bob.state["allowedCommands"]) == (0, to_roll)
    assert (ann.state["phase"], ann.state["allowedCommands"]) == (3, RESIGN)
    ann.ask("ResignMatch")
    assert [ann.match["allowedCommands"], bob.match["allowedCommands"]] == [[], []]


def test_after_the_match_nothing_is_waited_for(hub):
    ann, _ = hub.started()
    ann.ask("ResignMatch")
    ((_, payload),) = ann.ask("StartGame")
    assert payload["message"].endswith("is not in the list of allowed commands. The match is over.")


@pytest.mark.parametrize("method", ["StartGame", "StartMatch", "Roll"])
def test_waiting_client_is_told_that_the_opponent_has_not_come(hub, method):
    ann = hub.join(ANN)
    ann.forget()
    ((name, payload),) = ann.ask(method)
    assert (name, payload["message"]) == (
        "error",
        "The opponent has not come yet. Wait for match-lobby-found.",
    )
    ((_, payload),) = ann.invoke(method, BOB)
    assert payload["message"] == "No match session was found with the given matchId."


@pytest.mark.parametrize(("method", "what"), [("StartGame", "game"), ("StartMatch", "match")])
def test_running_match_or_game_is_not_started_again(hub, method, what):
    _, second = hub.started()
    ((_, payload),) = second.ask(method)
    assert payload["message"] == (
        f"The given command '{method}' is not in the list of allowed commands. "
        f"The {what} has been started already. Possible now: ResignGame, ResignMatch."
    )
