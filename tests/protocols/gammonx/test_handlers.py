"""The hub's table of methods: what is refused, and that nothing changes by it. Transcripts have the words."""

import pytest

from games.backgammon.fields import place_of
from games.backgammon.notation import write_hops
from gameserver.core.commands import Leave
from gameserver.journal.snapshot import digest
from protocols.gammonx.handlers import ALLOWED, ALSO, TABLES
from protocols.gammonx.payloads import GammonXStage
from protocols.gammonx.profiles import PROFILES, WORDINGS
from protocols.gammonx.schema import LATER_METHODS, METHODS
from tests.protocols.gammonx.calls import CALLS
from tests.support.gammonx_client import ANN, allowed, scripted, shut_out

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
