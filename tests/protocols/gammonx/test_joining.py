"""Joining: the claims of a new connection, and the seat that it is given back for them."""

import jwt
import pytest

from gameserver.protocol import Handshake
from protocols.gammonx.profiles import PROFILES
from protocols.gammonx.session import GammonXOptions, Identity, identity_of
from protocols.signalr.session import HubPeer
from tests.support.gammonx_client import ANN, BOB, CYD, Hub, allowed, scripted

EVERY_PROFILE = pytest.mark.parametrize("profile", PROFILES)

SECRET = "a secret of more than thirty-two bytes, for tests"

NAME_IDENTIFIER = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/nameidentifier"


def saying(client, **more):
    return {"matchId": client.match_id, "playerId": client.player, **more}


def signed(secret=SECRET, **claims):
    return jwt.encode(claims, secret, algorithm="HS256")


@EVERY_PROFILE
def test_reconnecting_client_is_seated_without_a_call(monkeypatch, profile):
    scripted(monkeypatch, [6, 1, *[1, 2] * 10])
    hub = Hub(profile=profile)
    ann, bob = hub.started()
    ann.drop()
    bob.forget()
    again = hub.connect(ANN, ann.match_id, query=saying(ann))
    assert allowed(again.heard()) == [("player-connected", ["GameState"])]
    assert allowed(bob.heard()) == [("player-connected", ["GameState"])]
    before = ann.state
    assert again.ask("GameState") == [("game-state", before)]
    assert again.ask("JoinMatch", ANN)[0][0] == "match-lobby-found", "saying it too does no harm"
    first = again.state["allowedCommands"][0]
    assert again.ask(*(("Move", 0, 1) if first == "Move" else (first,)))[0][0] == "game-state"


@EVERY_PROFILE
def test_a_connection_that_is_alive_keeps_its_seat(profile):
    hub = Hub(profile=profile)
    ann, _ = hub.paired()
    second = hub.connect(ANN, ann.match_id, query=saying(ann))
    heard = second.heard()
    assert ann.heard() == []
    if profile == "document":
        assert heard == []
    else:
        ((name, payload),) = heard
        assert (name, payload["code"]) == ("error", "LOBBY_ERROR")
    assert second.ask("JoinMatch", ANN)[0][0] == "error"


def test_searching_client_is_told_so_in_2026():
    hub = Hub(profile="2026")
    match_id = hub.book(ANN)
    ann = hub.connect(ANN, match_id, query={"matchId": match_id, "playerId": ANN.upper()})
    ((name, payload),) = ann.heard()
    assert (name, payload["allowedCommands"]) == ("player-connected", ["JoinMatch"])
    assert (payload["player1"], payload["player2"], payload["matchFound"]) == (ANN, None, False)
    assert [name for name, _ in ann.ask("JoinMatch", ANN)] == ["match-lobby-waiting"]


@EVERY_PROFILE
@pytest.mark.parametrize("way", ["token", "address"])
def test_a_client_that_lost_the_id_of_its_match_names_itself_and_is_told(profile, way):
    hub = Hub(profile=profile)
    ann, _ = hub.paired()
    ann.drop()
    query = {"playerId": ANN} | ({"access_token": f"gx.secret of {ANN}"} if way == "token" else {})
    address = "10.0.0.1" if way == "address" else "10.9.9.9"
    again = hub.connect(ANN, "", query=query, address=address)
    ((name, payload),) = again.heard()
    assert (name, payload["id"], payload["allowedCommands"]) == ("player-connected", ann.match_id, ["MatchState"])
    again.match_id = payload["id"]
    assert [name for name, _ in again.ask("MatchState")] == ["match-state"]


def test_a_client_of_2026_that_lost_the_id_of_its_search_is_told():
    hub = Hub(profile="2026")
    ann = hub.join(ANN)
    ann.drop()
    again = hub.connect(ANN, "", query={"playerId": ANN})
    ((name, payload),) = again.heard()
    assert (name, payload["id"], payload["allowedCommands"]) == ("player-connected", ann.match_id, ["JoinMatch"])


@EVERY_PROFILE
def test_client_from_another_address_learns_nothing_by_naming_a_player(profile):
    hub = Hub(profile=profile)
    ann, _ = hub.paired()
    ann.drop()
    for address, query in (("10.9.9.9", {}), ("10.9.9.9", {"access_token": "gx.guessed"})):
        stranger = hub.connect(ANN, "", query={"playerId": ANN, **query}, address=address)
        assert stranger.heard() == []
        assert allowed(stranger.invoke("JoinMatch", ann.match_id, BOB))[0][0] == "error"


def test_client_without_match_or_search_is_told_so_in_2026():
    hub = Hub(profile="2026")
    ann = hub.connect(ANN, BOB, query={"matchId": BOB, "playerId": ANN})
    assert ann.names() == ["force-disconnect"]
    nameless = hub.connect(ANN, BOB, query={"matchId": BOB})
    assert nameless.names() == []


def test_the_document_is_told_nothing_of_a_search():
    hub = Hub()
    match_id = hub.book(ANN)
    assert hub.connect(ANN, match_id, query={"matchId": match_id, "playerId": ANN}).names() == []
    assert hub.connect(ANN, BOB, query={"matchId": BOB, "playerId": ANN}).names() == []


@pytest.mark.parametrize("where", ["token", "access_token", "header"])
@pytest.mark.parametrize("claim", ["playerId", NAME_IDENTIFIER, "sub"])
def test_a_signed_token_takes_the_seat_from_a_connection_that_lives(where, claim):
    hub = Hub(profile="2026", options={"jwt_secret": SECRET})
    ann, bob = hub.paired()
    token = signed(matchId=ann.match_id, **{claim: ANN})
    query = {} if where == "header" else {where: token}
    headers = {"authorization": f"Bearer {token}"} if where == "header" else {}
    again = hub.connect(ANN, ann.match_id, query=query, headers=headers, address="10.9.9.9")
    assert allowed(again.heard()) == [("player-connected", ["MatchState"])]
    assert ann.names() == ["force-disconnect"]
    assert ann.ended is not None
    assert bob.names() == ["player-connected"]


@pytest.mark.parametrize(
    "token",
    [
        signed("another secret of more than thirty-two bytes", playerId=ANN),
        signed(playerId=ANN, exp=1),
        signed(playerId=CYD),
        jwt.encode({"playerId": ANN}, "", algorithm="none"),
        "a.b.c",
        "\x00",
    ],
    ids=["another secret", "expired", "another player", "unsigned", "nonsense", "NUL"],
)
def test_a_token_that_proves_nothing_opens_nothing(token):
    hub = Hub(profile="2026", options={"jwt_secret": SECRET})
    ann, _ = hub.paired()
    thief = hub.connect(ANN, ann.match_id, query=saying(ann, token=token), address="10.9.9.9")
    assert thief.names() in (["error"], ["force-disconnect"])
    assert thief.ask("JoinMatch", ANN)[0][0] == "error"
    assert ann.names() == []


def test_without_a_secret_a_token_says_who_and_proves_nothing():
    hub = Hub(profile="2026")
    ann, _ = hub.paired()
    token = signed("whatever the client's own server signs with", matchId=ann.match_id, sub=ANN)
    assert hub.connect(ANN, ann.match_id, query={"token": token}).names() == ["error"], "it lives"
    ann.drop()
    assert hub.connect(ANN, ann.match_id, query={"token": token}).names() == ["player-connected"]


def test_identity_is_read_from_query_and_tokens():
    def said(query, headers, secret=SECRET):
        handshake = Handshake("/matchhub", query, headers)
        return identity_of(HubPeer("", handshake, None, None), secret)

    assert identity_of(HubPeer("", None, None, None), SECRET) == Identity()
    assert said({"token": "gx.own"}, {}) == Identity(token="gx.own")
    assert said({"matchId": "x", "playerId": "y"}, {}) == Identity()
    own_and_other = said({"token": "gx.own", "playerId": BOB}, {"authorization": f"Bearer {signed(playerId=ANN)}"})
    assert own_and_other == Identity(None, ANN, True, "gx.own"), "the proof counts more than the query"
    deep = jwt.api_jws.base64url_encode(b"[" * 9_000).decode()
    assert said({"token": f"{deep}.{deep}."}, {}) == Identity()


def test_a_secret_that_is_too_short_is_refused():
    with pytest.raises(ValueError, match="jwt_secret must have 32 bytes or more"):
        GammonXOptions(jwt_secret="short")
