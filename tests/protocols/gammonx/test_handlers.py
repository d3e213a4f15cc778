"""GammonX's hub: its table of methods, signed tokens, ids, and any bytes. Transcripts have its conversations."""

import jwt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.backgammon.fields import place_of
from games.backgammon.notation import write_hops
from gameserver.core.commands import Leave
from gameserver.journal.snapshot import digest
from gameserver.protocol import Handshake
from protocols.gammonx.handlers import ALLOWED, ALSO, TABLES
from protocols.gammonx.payloads import GammonXStage
from protocols.gammonx.profiles import PROFILES, WORDINGS
from protocols.gammonx.schema import LATER_METHODS, METHODS, modus_of, named_guid, player_name, read_guid
from protocols.gammonx.session import GammonXOptions, Identity, identity_of
from protocols.signalr.session import HubPeer
from tests.protocols.gammonx.calls import CALLS
from tests.support.examples import JSON, examples
from tests.support.gammonx_client import ANN, BOB, CYD, Hub, allowed, scripted, shut_out

NOWHERE = "00000000-0000-4000-8000-000000000000"


def error_of(heard):
    ((name, payload),) = heard
    assert (name, list(payload)) == ("error", ["code", "message", "stackTrace", "allowedCommands"])
    assert payload["allowedCommands"] == []
    return payload["code"], payload["message"]


def test_the_tables_are_whole():
    for profile in PROFILES.values():
        assert set(profile.wordings) == set(LATER_METHODS)
    assert set(TABLES) == set(PROFILES)
    for table in TABLES.values():
        assert set(table) == set(GammonXStage)
    assert {method.__name__ for method in METHODS} == {*CALLS, "JoinMatch"}
    for row in (*TABLES["document"].values(), *ALSO.values()):
        assert set(row) <= set(METHODS)


@pytest.mark.parametrize("method", CALLS)
@pytest.mark.parametrize("match_id", ["", "no guid", "x" * 500, NOWHERE])
def test_bad_and_unknown_matches(hub, method, match_id):
    ann, _ = hub.started()
    before = digest(hub.harness.lobby)
    code, message = error_of(ann.invoke(method, match_id, *CALLS[method]))
    assert code == WORDINGS[next(each for each in METHODS if each.__name__ == method)].code
    if match_id == NOWHERE:
        assert message == "No match session was found with the given matchId."
    else:
        assert message.startswith("The given matchId '")
        assert message.endswith("' is not a valid GUID.")
        assert len(message) < 200
    assert digest(hub.harness.lobby) == before


def standing_at(hub, monkeypatch, stage):
    """A client who stands there."""
    scripted(monkeypatch, [6, 1, 2, 1, *[3, 4] * 20])
    if stage is GammonXStage.STUCK:
        shut_out(monkeypatch)
    return (before_a_game if stage in BEFORE else in_a_game)(hub, stage)


BEFORE = {
    GammonXStage.OUTSIDE,
    GammonXStage.WAITING,
    GammonXStage.BEFORE_MATCH,
    GammonXStage.BEFORE_GAME,
    GammonXStage.STARTED,
}


def before_a_game(hub, stage):
    if stage in {GammonXStage.OUTSIDE, GammonXStage.WAITING}:
        client = hub.connect(ANN, hub.book(ANN))
        if stage is GammonXStage.WAITING:
            client.ask("JoinMatch", ANN)
        return client
    if stage is GammonXStage.BEFORE_GAME:
        client, _ = hub.started(length="5 points")
        client.ask("ResignGame")
        return client
    client, _ = hub.paired()
    if stage is GammonXStage.STARTED:
        client.ask("StartGame")
    return client


def in_a_game(hub, stage):
    game = "Backgammon" if stage in {GammonXStage.TO_ROLL_OR_DOUBLE, GammonXStage.DOUBLED} else "Tavla"
    ann, bob = hub.started(game=game)
    if stage is GammonXStage.DOUBLED:
        ann.ask("OfferDouble")
        return bob
    if stage is GammonXStage.OPPONENTS_TURN:
        return bob
    if stage is GammonXStage.OVER:
        ann.ask("ResignMatch")
        return ann
    if stage in {GammonXStage.ROLLED, GammonXStage.STUCK, GammonXStage.MOVED, GammonXStage.DONE}:
        ann.ask("Roll")
    if stage in {GammonXStage.MOVED, GammonXStage.DONE}:
        ann.ask("Move", 0, 2 if stage is GammonXStage.MOVED else 3)
    return ann


@pytest.mark.parametrize("stage", GammonXStage, ids=lambda each: each.name)
@pytest.mark.parametrize("method", CALLS)
def test_method_that_is_not_allowed_is_refused_and_changes_nothing(hub, monkeypatch, stage, method):
    client = standing_at(hub, monkeypatch, stage)
    client.forget()
    for other in hub.clients.values():
        other.forget()
    assert client.adapter._session.stage is stage
    before = digest(hub.harness.lobby)
    listed = method in ALLOWED["document"][stage]
    also = {each.__name__ for each in ALSO.get(stage, {})} or {"GameState", "MatchState"}
    heard = client.ask(method, *CALLS[method])
    if listed:
        assert all(name != "error" for name, _ in heard), heard
        assert digest(hub.harness.lobby) != before
    elif method == "ResignMatch" and "ResignMatch" in also:
        assert digest(hub.harness.lobby) != before
    else:
        assert digest(hub.harness.lobby) == before
        assert all(other.heard() == [] for other in hub.clients.values())
        if method not in also or stage in {GammonXStage.OUTSIDE, GammonXStage.WAITING}:
            code, message = error_of(heard)
            assert code.endswith("_ERROR")
            assert message


def test_fields_and_places_fit_the_lobbys_moves(hub, monkeypatch):
    client = standing_at(hub, monkeypatch, GammonXStage.ROLLED)
    variant = hub.harness.match().state.position.variant
    assert write_hops(((place_of(variant, 0, 0), place_of(variant, 0, 3)),)) == "24/21"
    client.ask("Move", 0, 3)
    assert hub.harness.match().moves[-1].text == "24/21"


def test_reconnecting_player_without_legal_moves_still_has_none(hub, monkeypatch):
    scripted(monkeypatch, [6, 1, 4, 2])
    shut_out(monkeypatch)
    ann, _ = hub.started()
    ann.ask("Roll")
    ann.drop()
    again = hub.connect(ANN, ann.match_id)
    assert allowed(again.ask("JoinMatch", ANN))[-1] == ("game-state", ["EndTurn", "ResignGame", "ResignMatch"])


def test_a_started_second_of_an_absence_counts(hub, monkeypatch):
    scripted(monkeypatch, [6, 1])
    ann, bob = hub.started()
    hub.harness.do(Leave(ann.session))
    hub.harness.now_ms += 40
    hub.deliver()
    (payload,) = (payload for name, payload in bob.heard() if name == "player-disconnected")
    assert (payload["gracePeriod"], payload["expiration"]) == ("00:00:30", "2026-01-01T00:00:31.000Z")


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


def test_guids():
    assert read_guid(ANN.upper()) == ANN
    for wrong in (ANN.replace("-", ""), f"{{{ANN}}}", ANN[:-1], ANN + "\n", 3, None):
        assert read_guid(wrong) is None
    assert named_guid("tim") == named_guid("tim") != named_guid("tom")
    assert read_guid(named_guid("tim"))
    assert modus_of(ANN) in {0, 1, 2}
    guids = [f"{str(first) * 8}-0000-4000-8000-{last:012}" for first in range(9) for last in range(9)]
    names = {player_name(guid) for guid in guids}
    assert len(names) == len(guids), "GUIDs that were made by hand are as different"
    assert all(len(name) == len("gx-") + 12 for name in names)


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(st.tuples(st.sampled_from([*CALLS, "JoinMatch", "Nope"]), st.lists(JSON, max_size=4)), max_size=8))
def test_whatever_is_sent_every_call_is_completed(calls):
    hub = Hub()
    ann = hub.join(ANN)
    hub.join(BOB)
    before = digest(hub.harness.lobby)
    for name, arguments in calls:
        ann.invoke(name, *arguments)
        if arguments:
            ann.ask(name, *arguments[1:])
        assert ann.ended is None
    wanted = {name for name, arguments in calls if len(arguments) == 1}
    if not wanted & {"StartGame", "ResignMatch"}:
        assert digest(hub.harness.lobby) == before
