"""The troubles that a teacher is told, as `troubles.txt` has them, and the rare ones, of games that wait."""

from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from gameserver.core.commands import EntryMode
from gameserver.core.events import Accepted
from gameserver.core.lobby import TournamentRow
from gameserver.core.match import Match
from gameserver.read_model.read_model import LobbyView
from gameserver.read_model.troubles import Hold, Presence, TroubleKind, WaitingView, awaits_teacher, waiting_for
from gameserver.tournaments.model import PairingStatus, RegisterEntrant, StartTournament, TournamentPhase, Verdict
from tests.core.conversing import Conversation, conversations
from tests.support.tournament_hall import GAMES, RULES, Hall

CONVERSATIONS = list(conversations(Path(__file__).with_name("troubles.txt").read_text("utf-8")))


@pytest.mark.parametrize("conversation", CONVERSATIONS, ids=attrgetter("title"))
def test_it_goes_as_written(conversation: Conversation) -> None:
    conversation.perform()


def hall_of(*names: str, **changes: Any) -> Hall:
    """A tournament of these players that has begun."""
    hall = Hall(GAMES, evolve(RULES, drop_grace_ms=60_000))
    hall.run(*names, **changes)
    return hall


def hall_of_four(**changes: Any) -> Hall:
    """A tournament of four that has begun."""
    return hall_of("ann", "bob", "cyd", "dan", **changes)


def changed(row: TournamentRow, match: Match, **changes: Any) -> TournamentRow:
    """The tournament with the game of this match changed."""
    (pairing,) = (one for one in row.state.pairings if one.match == match.id)
    return evolve(row, state=row.state.with_pairing(evolve(pairing, **changes)))


def test_a_game_that_waits_for_the_teacher_comes_first() -> None:
    hall = hall_of_four()
    one, other = hall.matches
    hall.leave(hall.sessions[other.players[0]])
    hall.lobby.tournaments[1] = changed(hall.row, one, status=PairingStatus.HELD, reason="a bug of ours")
    first, second = hall.troubles
    assert (first.kind, first.pairing, first.why) == (TroubleKind.HELD, 1, "a bug of ours")
    assert second.kind is TroubleKind.CUT_OFF


def test_the_teacher_is_waited_for_before_the_next_stage_begins() -> None:
    hall = hall_of_four(which="groups", stages="groups of 2, best 1 -> knockout", games=1, pause_ms=0)
    one, other = hall.matches
    row = changed(hall.row, one, status=PairingStatus.HELD)
    assert not awaits_teacher(row), "the other group still plays"
    assert awaits_teacher(changed(row, other, status=PairingStatus.DONE, verdict=Verdict.FIRST))


@pytest.mark.parametrize(("which", "games"), [("swiss", 1), ("swiss", 2), ("cup", 1)])
def test_the_teacher_is_waited_for_when_nothing_else_goes_on(which: str, games: int) -> None:
    hall = hall_of_four(which=which, games=games)
    one, other = hall.matches
    assert not awaits_teacher(hall.row)
    row = changed(hall.row, one, status=PairingStatus.HELD)
    assert not awaits_teacher(row), "the others still play"
    row = changed(row, other, status=PairingStatus.DONE, verdict=Verdict.FIRST)
    assert awaits_teacher(row) == (games == 1), "their second game comes next"
    assert not awaits_teacher(evolve(row, state=evolve(row.state, phase=TournamentPhase.PAUSED)))


@pytest.mark.parametrize(("which", "changes"), [("cup", {}), ("swiss", {"rounds": 2})])
def test_nobody_is_waited_for_until_the_next_game_of_the_others_is_announced(
    which: str, changes: dict[str, Any]
) -> None:
    hall = hall_of_four(which=which, games=3, pause_ms=2_000, **changes)
    one, other = hall.matches
    hall.end(one, 0)
    assert hall.waiting is None
    state, view = hall.row.state, LobbyView.of(hall.lobby, 0, hall.now_ms)
    assert set(state.pairings[-1].seats) == set(one.players)
    before = evolve(hall.row, state=evolve(state, pairings=state.pairings[:-1]))
    assert [pairing.match for pairing in before.state.keeping] == [other.id]
    assert waiting_for(before, hall.lobby.matches, lambda: view._lobby_rows) is None


def test_of_times_the_page_is_told_how_long_ago_they_are() -> None:
    waiting = WaitingView(("cyd", "bob"), 1_000, "", Hold("cyd", 4_000, "to move"))
    hold = {"player": "cyd", "for_ms": 5_000, "why": "to move"}
    assert waiting.ages(9_000) == {"players": ("cyd", "bob"), "for_ms": 8_000, "why": "", "hold": hold}
    assert WaitingView(("dan",), 10_000).ages(9_000) == {"players": ("dan",), "for_ms": 0, "why": "", "hold": None}


@pytest.mark.parametrize("by_rooms", [False, True])
@pytest.mark.parametrize("entry", EntryMode)
def test_players_who_are_ready_before_the_start_are_those_who_can_play_after_it(
    entry: EntryMode, *, by_rooms: bool
) -> None:
    hall = Hall(GAMES, RULES)
    names = ("ann", "bob", "cyd")
    if by_rooms:  # cyd is in the lobby, bob in a room, ann has started in one
        for session, name in zip((3, 2, 1), names, strict=True):
            hall.enter_by_rooms(session, name)
            assert session == 1 or hall.sit(session, session) == Accepted()
        assert hall.ready(3) == Accepted()
    else:
        hall.come(*names)
        assert hall.seek(hall.sessions["ann"], "Countdown") == Accepted()
    hall.create(entry=entry, roster=(RegisterEntrant("bob"), RegisterEntrant("zoe")))
    before = LobbyView.of(hall.lobby, 0, hall.now_ms).gathering(1)
    assert before is not None
    assert before.missing == ("zoe",)
    assert hall.act(StartTournament(0)) == Accepted()
    after = LobbyView.of(hall.lobby, 0, hall.now_ms)
    can_play = {one.player for one in after.presence(1) if one.presence in (Presence.READY, Presence.PLAYING)}
    assert {*before.ready} == can_play
    assert {*before.unready} == {*names} - can_play
    assert after.gathering(1) is None
