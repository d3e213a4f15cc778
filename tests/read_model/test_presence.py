"""The place of each player of a tournament, as the lobby's rows tell."""

from attrs import evolve

from gameserver.core.messages.capabilities import Capability
from gameserver.core.messages.commands import Arrive, Book
from gameserver.core.messages.tournament_commands import EntryMode
from gameserver.core.organizer.availability import is_free
from gameserver.core.state.draft import Draft
from gameserver.core.state.lobby import At
from gameserver.read_model.lobby_view import LobbyView
from gameserver.read_model.presence import Presence
from gameserver.tournaments import acts
from tests.support.tournament_hall import GAMES, RULES, Hall

Places = dict[str, tuple[Presence, int | None]]


def places(hall: Hall) -> Places:
    shown = LobbyView.of(hall.lobby, 0, hall.now_ms).presence(1)
    draft = Draft(hall.lobby, At(hall.now_ms, hall.now_ms))
    for one in shown:
        # A match begins by the organizer's rule: the players shown as ready must be those whom it takes for free.
        assert (one.presence is Presence.READY) == is_free(draft, hall.row, one.player), one
    return {one.player: (one.presence, one.match) for one in shown}


def new_hall(*names: str, **changes: object) -> Hall:
    hall = Hall(GAMES, evolve(RULES, drop_grace_ms=60_000))
    hall.create(entry=EntryMode.ROSTER, roster=tuple(map(acts.RegisterEntrant, names)), **changes)
    return hall


def test_players_are_at_play_ready_or_away() -> None:
    hall = new_hall("ann", "bob", "cyd", "dan", "house-random")
    assert places(hall) == dict.fromkeys(("ann", "bob", "cyd", "dan"), (Presence.AWAY, None))
    hall.come("ann", "bob", "cyd")
    assert places(hall)["ann"] == (Presence.READY, None)
    hall.act(acts.WithdrawEntrant("dan"))
    hall.pairs = False
    hall.act(acts.StartTournament(0))
    assert "dan" not in places(hall), "out"
    hall.pair()
    assert {place for place, _ in places(hall).values()} == {Presence.PLAYING}
    hall.leave(hall.sessions["ann"])
    (match,) = (match for match in hall.matches if "ann" in match.players)
    assert places(hall)["ann"] == (Presence.AWAY, match.id), "the seat is kept"


def test_a_player_has_a_break_after_a_match() -> None:
    hall = new_hall("ann", "bob", "cyd", pause_ms=5_000)
    hall.come("ann", "bob", "cyd")
    hall.act(acts.StartTournament(0))
    match = hall.matches[0]
    hall.end(match, 0)
    assert {places(hall)[name] for name in match.players} == {(Presence.RESTING, None)}
    hall.now_ms += 5_001
    assert Presence.RESTING not in {place for place, _ in places(hall).values()}


def test_clients_that_have_to_ask_are_not_ready_before() -> None:
    hall = new_hall("ann", "gx-bob", "cyd")
    hall.act(acts.StartTournament(0))
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
