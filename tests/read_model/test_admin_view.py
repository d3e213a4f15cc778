"""What the teacher sees of the lobby beside what everybody sees, and that nobody else is shown it."""

import re
from pathlib import Path

from gameserver.admin.api_responses import CONVERTER
from gameserver.policies import Rules
from gameserver.read_model.lobby_view import LobbyView
from gameserver.read_model.views import AdminLobbyView, AdminMatchView, AdminPlayerView, AdminRoomView, AdminTicketView
from tests.support.games import Countdown, catalogue
from tests.support.lobbies import LobbyHarness
from tests.support.tickets import GAMES as TICKET_GAMES
from tests.support.tickets import RULES, arrive, book

ROOT = Path(__file__).parents[2]
FOR_EVERYBODY = [
    *(ROOT / "gameserver/web/pages").glob("*.py"),
    *(ROOT / "gameserver/web/ui").glob("*.py"),
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
    assert shown == AdminMatchView(
        match=1,
        game="Countdown",
        players=match.players,
        phase="playing",
        moves=1,
        awaited=(other,),
        away=(other,),
        room=None,
        opened_wall_ms=0,
    )


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
    assert list(shown) == ["players", "matches", "tables", "queues", "tickets", "house", "drains"]
    player, match = shown["players"][0], shown["matches"][0]
    assert " ".join(player) == "name protocol address match seeks table is_proven is_callable"
    assert " ".join(match) == "match game players phase moves awaited away table opened_wall_ms"
    assert player["table"] == match["table"] == shown["tables"][0]["number"] == 0
