"""The lobby as the teacher sees it, beside the one that everybody is shown."""

import re
from pathlib import Path

import pytest
from attrs import evolve

from gameserver.admin.api import CONVERTER
from gameserver.core.commands import Against, Arrive, Book, Capability, EntryMode, Resign, Scope
from gameserver.core.draft import Draft
from gameserver.core.events import TournamentCreated
from gameserver.core.lobby import At
from gameserver.core.organizer import is_free
from gameserver.exports.matches import match_rows
from gameserver.policies import Rules
from gameserver.read_model.live import bank_warnings, match_replay_of
from gameserver.read_model.read_model import LobbyView
from gameserver.read_model.replay import recorded_replay
from gameserver.read_model.troubles import Presence
from gameserver.read_model.views import AdminLobbyView, AdminMatchView, AdminPlayerView, AdminRoomView, AdminTicketView
from gameserver.time_control import TimeControl
from gameserver.tournaments import model
from gameserver.web.match import match_page
from gameserver.web.responses import lobby_json, match_json
from tests.support.games import Countdown, catalogue
from tests.support.lobbies import LobbyHarness
from tests.support.tickets import GAMES as TICKET_GAMES
from tests.support.tickets import RULES, arrive, book, paired
from tests.support.tournament_hall import GAMES as HALL_GAMES
from tests.support.tournament_hall import RULES as HALL_RULES
from tests.support.tournament_hall import Hall

ROOT = Path(__file__).parents[2]
FOR_EVERYBODY = [
    *(path for path in (ROOT / "gameserver/web").glob("*.py") if not path.name.startswith("teacher")),
    *(ROOT / "protocols").rglob("*.py"),
    *(path for path in (ROOT / "gameserver/web/templates").glob("*.html") if not path.name.startswith("teacher")),
]


def seen(harness: LobbyHarness) -> AdminLobbyView:
    return LobbyView.of(harness.lobby, 0, harness.now_ms).admin


def test_players_are_shown_with_their_addresses_and_who_can_be_called() -> None:
    harness = LobbyHarness(catalogue(Countdown()))
    harness.enter(1, "ann", "10.0.0.7")
    harness.enter_by_rooms(2, "bob")
    harness.enter_anonymously(3)
    harness.seek(1, "Countdown")
    ann, bob, anonymous = seen(harness).players
    assert ann == AdminPlayerView("ann", "strategic", "10.0.0.7", None, "Countdown", None, is_proven=False)
    assert [player.is_callable for player in (ann, bob, anonymous)] == [True, True, False]


def test_a_match_tells_whom_it_waits_for_and_who_is_away() -> None:
    harness = LobbyHarness(catalogue(Countdown()), Rules(first_move_pause_ms=0, drop_grace_ms=60_000))
    match, first, second = harness.opened()
    harness.play(first, "1")
    harness.leave(second)
    other = match.players[1]
    (shown,) = seen(harness).matches
    assert shown == AdminMatchView(1, "Countdown", match.players, "playing", 1, (other,), (other,), None, 0)


def test_a_room_is_shown_with_everybody_in_it() -> None:
    harness = LobbyHarness(catalogue(Countdown()), Rules(room_count=3, room_game="Countdown"))
    harness.enter_by_rooms(1, "ann")
    harness.sit(1, 2)
    assert seen(harness).rooms == (AdminRoomView(2, "gathering", ("ann",), None),)


def test_a_ticket_is_shown_with_its_opponent_and_without_its_id() -> None:
    harness = LobbyHarness(TICKET_GAMES, RULES)
    book(harness, "secret-1", "ann")
    book(harness, "secret-2", "bob")
    arrive(harness, 1, "secret-1", "ann")
    shown = seen(harness)
    assert shown.tickets == (
        AdminTicketView("gx-ann", "Hands", is_here=True, opponent="gx-bob"),
        AdminTicketView("gx-bob", "Hands", is_here=False, opponent="gx-ann"),
    )
    assert "secret" not in repr(shown)


def test_nothing_for_everybody_looks_at_it() -> None:
    assert FOR_EVERYBODY
    assert [path for path in FOR_EVERYBODY if re.search(r"\.(admin|tournament_file\w*)\b", path.read_text())] == []


def test_the_status_keeps_its_keys() -> None:
    """Programs of teachers read them."""
    harness = LobbyHarness(catalogue(Countdown()), Rules(room_count=1, room_game="Countdown", first_move_pause_ms=0))
    for session, name in ((1, "ann"), (2, "bob")):
        harness.enter_by_rooms(session, name)
        harness.sit(session)
        harness.ready(session)
    shown = CONVERTER.unstructure(seen(harness))
    assert list(shown) == ["players", "matches", "rooms", "queues", "tickets", "house", "drains"]
    player, match = shown["players"][0], shown["matches"][0]
    assert " ".join(player) == "name protocol address match seeks room is_proven is_callable"
    assert " ".join(match) == "match game players phase moves awaited away room opened_wall_ms"
    assert player["room"] == match["room"] == shown["rooms"][0]["number"] == 0


def with_house(harness: LobbyHarness) -> None:
    book(harness, "t1", "ann", against=Against.HOUSE)
    arrive(harness, 1, "t1", "ann")


def with_text_player(harness: LobbyHarness) -> None:
    harness.enter(9, "cyd")
    harness.seek(9, "Hands")
    book(harness, "t1", "ann", open_to_queue=True, options={})
    arrive(harness, 1, "t1", "ann")


@pytest.mark.parametrize(
    ("begin", "live_id", "session"), [(paired, "t1", 2), (with_house, "", 1), (with_text_player, "", 1)]
)
def test_a_live_match_shows_an_id_that_both_know_and_a_record_any(begin, live_id, session):
    harness = LobbyHarness(TICKET_GAMES, RULES)
    begin(harness)
    live = match_replay_of(harness.match())
    assert match_json(live)["public_id"] == live_id
    assert ("Match id <code>t1</code>" in match_page(live, 0)) is bool(live_id)
    assert ("t1" in match_page(live, 0)) is bool(live_id)
    harness.do(Resign(session, Scope.MATCH))
    (record,) = harness.records
    over = recorded_replay(record, TICKET_GAMES)
    assert (record.public_id, match_json(over)["public_id"]) == ("t1", "t1")
    assert "Match id <code>t1</code>" in match_page(over, 0)
    assert [row["public_id"] for row in match_rows([record])] == ["t1"]


def test_a_room_is_shown_by_its_number() -> None:
    harness = LobbyHarness(catalogue(Countdown()), Rules(room_count=2, room_game="Countdown", first_move_pause_ms=0))
    for session, name, number in ((1, "ann", 1), (2, "bob", 1), (3, "cyd", 0)):
        harness.enter_by_rooms(session, name)
        harness.sit(session, number)
        harness.ready(session)
    shown = lobby_json(LobbyView.of(harness.lobby, 0, harness.now_ms))
    assert shown["players"][0] == {"name": "ann", "protocol": "connect-four", "match": 1, "seeks": None, "room": 1}
    (offer,) = shown["offers"]
    assert offer == {"kind": "room", "game": "Countdown", "players": ["cyd"], "to": "", "room": 0}
    assert match_json(match_replay_of(harness.match()))["room"] == 1


Places = dict[str, tuple[Presence, int | None]]


def places(hall: Hall) -> Places:
    shown = LobbyView.of(hall.lobby, 0, hall.now_ms).presence(1)
    draft = Draft(hall.lobby, At(hall.now_ms, hall.now_ms))
    for one in shown:
        # A match begins by the organizer's rule: the players shown as ready must be those whom it takes for free.
        assert (one.presence is Presence.READY) == is_free(draft, hall.row, one.player), one
    return {one.player: (one.presence, one.match) for one in shown}


def new_hall(*names: str, **changes: object) -> Hall:
    hall = Hall(HALL_GAMES, evolve(HALL_RULES, drop_grace_ms=60_000))
    hall.create(entry=EntryMode.ROSTER, roster=tuple(map(model.RegisterEntrant, names)), **changes)
    return hall


def test_players_are_at_play_ready_or_away() -> None:
    hall = new_hall("ann", "bob", "cyd", "dan", "house-random")
    assert places(hall) == dict.fromkeys(("ann", "bob", "cyd", "dan"), (Presence.AWAY, None))
    hall.come("ann", "bob", "cyd")
    assert places(hall)["ann"] == (Presence.READY, None)
    hall.act(model.WithdrawEntrant("dan"))
    hall.pairs = False
    hall.act(model.StartTournament(0))
    assert "dan" not in places(hall), "out"
    hall.pair()
    assert {place for place, _ in places(hall).values()} == {Presence.PLAYING}
    hall.leave(hall.sessions["ann"])
    (match,) = (match for match in hall.matches if "ann" in match.players)
    assert places(hall)["ann"] == (Presence.AWAY, match.id), "the seat is kept"


def test_banks_bound_what_is_left_of_a_match() -> None:
    hall = new_hall("ann", "bob", clock="3m+2s")
    hall.come("ann", "bob")
    hall.act(model.StartTournament(0))
    for _ in range(2):
        hall.now_ms += 10_000
        match = hall.matches[0]
        hall.play(match.seats[match.turn.seats[0]].session, "1")
    (match,) = hall.matches
    timing = LobbyView.of(hall.lobby, 0, hall.now_ms).timing(hall.row, hall.now_ms)
    # Each has used 10 s and got 2; one more move, half of the two that were made, adds 2 s.
    assert timing.rest_max_ms == {1: 2 * 172_000 + 2_000}


def test_a_player_has_a_break_after_a_match() -> None:
    hall = new_hall("ann", "bob", "cyd", pause_ms=5_000)
    hall.come("ann", "bob", "cyd")
    hall.act(model.StartTournament(0))
    match = hall.matches[0]
    hall.end(match, 0)
    assert {places(hall)[name] for name in match.players} == {(Presence.RESTING, None)}
    hall.now_ms += 5_001
    assert Presence.RESTING not in {place for place, _ in places(hall).values()}


def test_clients_that_have_to_ask_are_not_ready_before() -> None:
    hall = new_hall("ann", "gx-bob", "cyd")
    hall.act(model.StartTournament(0))
    hall.enter_by_rooms(1, "ann")
    assert places(hall)["ann"] == (Presence.NOT_READY, None)
    hall.sit(1, 0)
    assert places(hall)["ann"] == (Presence.NOT_READY, None)
    hall.ready(1)
    assert places(hall)["ann"] == (Presence.READY, None)
    hall.pairs = False
    hall.do(Book(90, "t1", "gx-bob", "gx-bob", "10.0.0.1", "Countdown", open_to_queue=True))
    assert places(hall)["gx-bob"] == (Presence.AWAY, None)
    hall.do(Arrive(2, "t1", "gx-bob", "gammonx", "10.0.0.1", (Capability.READY,)))
    assert places(hall)["gx-bob"][0] in {Presence.READY, Presence.PLAYING}


def test_clocks_of_rooms_are_among_those_whose_bank_is_not_seen() -> None:
    rules = Rules(room_game="Countdown", room_clock=TimeControl.read("5m"), ticket_clock=TimeControl.read("3m"))
    hall = Hall(catalogue(Countdown()), rules)
    hall.come("ann")
    assert isinstance(hall.create(clock=None), TournamentCreated)
    assert bank_warnings(hall.row, hall.lobby.players.values(), rules) == ()
    hall.enter_by_rooms(2, "bob")
    hall.sit(2)
    (told,) = bank_warnings(hall.row, hall.lobby.players.values(), rules)
    assert told.startswith("the clients of ann, bob cannot see the bank of rooms.clock: in their matches")
