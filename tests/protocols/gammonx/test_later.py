"""The profile `2026`: how a match begins, and what else is otherwise than in the document."""

import pytest

from protocols.gammonx.profiles import PROFILES
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


@pytest.mark.parametrize(("method", "what"), [("StartGame", "game"), ("StartMatch", "match")])
def test_running_match_or_game_is_not_started_again(hub, method, what):
    _, second = hub.started()
    ((_, payload),) = second.ask(method)
    assert payload["message"] == (
        f"The given command '{method}' is not in the list of allowed commands. "
        f"The {what} has been started already. Possible now: ResignGame, ResignMatch."
    )
