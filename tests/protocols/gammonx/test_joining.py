"""Signed tokens, which prove who a new connection is. Claims without one are in transcripts, `gammonx_claims`."""

import jwt
import pytest

from gameserver.protocol import Handshake
from protocols.gammonx.session import GammonXOptions, Identity, identity_of
from protocols.signalr.session import HubPeer
from tests.support.gammonx_client import ANN, BOB, CYD, Hub, allowed

SECRET = "a secret of more than thirty-two bytes, for tests"

NAME_IDENTIFIER = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/nameidentifier"


def saying(client, **more):
    return {"matchId": client.match_id, "playerId": client.player, **more}


def signed(secret=SECRET, **claims):
    return jwt.encode(claims, secret, algorithm="HS256")


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
