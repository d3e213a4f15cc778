"""Plays a tournament in the lobby: begins matches when their players are free, and reports their results.

    a player comes, is ready, is free again  ->  `begin_matches`: matches that can begin now do
    a match of a tournament has ended        ->  `report_finished`: its result goes to its pairing

Pairings are not decided here: they come in as acts, worked out beside the lobby. A match that ends void (a fault of
ours, nobody back after a restart) is played again; one whose game cannot even be begun counts as such a fault. Where a
bug in a protocol ended the connection of the same player before, in another match of the tournament, the match is held
for the teacher instead: the player may be provoking it.

A player is free when their protocol lets them be seated without asking: a player of the text protocol when they are in
no match, a Connect Four client when it sits in a room and has started, a GammonX client when it waits with a ticket for
the game. Players of other games are left in peace.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import attrs

from gameserver.core.matches import faults, referee
from gameserver.core.matchmaking import matchmaker, room_places, room_reconciler, ticket_search
from gameserver.core.matchmaking.match_opening import open_match
from gameserver.core.matchmaking.waiting_list import leave_queue
from gameserver.core.messages.commands import ServerStarted
from gameserver.core.messages.events import EndReason, UnseatedWhy
from gameserver.core.organizer.availability import free_players, ticket_of
from gameserver.core.organizer.terms import policies_of
from gameserver.core.state import tournament
from gameserver.core.state.draft import Draft
from gameserver.core.state.follow_ups import (
    MatchFinished,
    PlayerAvailable,
    RoomChanged,
    SeekResumed,
    TournamentChanged,
)
from gameserver.core.state.match import Match, Result, Scheduled
from gameserver.core.state.room import RoomGuest, RoomPhase
from gameserver.core.state.tournament import TournamentRow
from gameserver.game import Game
from gameserver.tournaments.act_table import apply
from gameserver.tournaments.model import (
    SERVER,
    Act,
    ActRefused,
    Begin,
    HoldPairing,
    Pairing,
    PairingStatus,
    Report,
    TournamentPhase,
    Verdict,
    VoidPairing,
)
from gameserver.tournaments.planner import startable

REASON_LENGTH_MAX = 200
NO_MATCH = 0
"""The match number that stands for a match that could not be opened."""


def put_tournament(draft: Draft, row: TournamentRow) -> None:
    """Write a row, and look again at every player who is reserved from now on, or no longer."""
    before = draft.tournaments.get(row.number)
    draft.tournaments[row.number] = row
    draft.follow_ups.add(TournamentChanged(row.number))
    was = {} if before is None else tournament.reserved_names(before)
    now = tournament.reserved_names(row)
    for name in (*was, *now):
        if (name in was) != (name in now):
            if row.is_over and not row.state.plan.searches:
                _drop_search(draft, name)
                _drop_readiness(draft, name)
            _look_again(draft, row, name)


def done(draft: Draft, row: TournamentRow, act: Act) -> TournamentRow:
    """Carry out an act upon a tournament. Raises `ActRefused`."""
    after = row.with_state(apply(row.state, act), draft.at.now_ms, draft.at.wall_ms)
    after = attrs.evolve(after, rests={} if after.is_over else row.rests)
    put_tournament(draft, after)
    return after


def report_finished(draft: Draft, finished: MatchFinished) -> None:
    """Report the result of a match to its tournament; its players may be free for any tournament."""
    match = next(match for match in draft.finished if match.id == finished.match)
    scheduled = match.scheduled
    row = None if scheduled is None else draft.tournaments.get(scheduled.tournament)
    if scheduled is not None and row is not None:
        _report(draft, row, scheduled, match)
    call(draft, [name for name in match.players if draft.players.get(name) is not None])


def call(draft: Draft, names: Iterable[str]) -> None:
    """Have the tournaments looked at that reserve any of these players, who may be free."""
    if draft.lobby.tournaments and not draft.server.drains:
        for row in draft.tournaments.values():
            if row.state.phase is TournamentPhase.RUNNING and any(map(row.keeps, names)):
                draft.follow_ups.add(TournamentChanged(row.number))


def begin_matches(draft: Draft, changed: TournamentChanged) -> None:
    """Begin the matches that can begin in a tournament, and have the director look at it."""
    row = draft.tournaments.get(changed.tournament)
    draft.wake.append(changed.tournament)
    if row is None or row.state.phase is not TournamentPhase.RUNNING:
        return
    if draft.server.drains:
        _forget_what_is_over(draft, row)
        return
    found = startable(row.state, free_players(draft, row))
    labels = Counter(pairing.chance for pairing in found)
    for pairing in found:
        row = _begin(draft, row, pairing, side_by_side=labels[pairing.chance] > 1)
    waits = {number: row.waits.get(number, _due_ms(draft, row, number)) for number in _announced(row)}
    _keep_times(draft, row, waits)


def resume_after_restart(draft: Draft, command: ServerStarted) -> None:
    """Resume tournaments after a restart: announced matches wait again, lost ones are played again."""
    wait_ms = command.rules.restart_grace_ms
    for found in list(draft.tournaments.values()):
        row = found
        draft.follow_ups.add(TournamentChanged(row.number))
        for pairing in found.state.pairings:
            gone = pairing.match is None or draft.matches.get(pairing.match) is None
            if pairing.status is PairingStatus.PLAYING and gone:
                row = done(
                    draft, row, VoidPairing(pairing.number, why="the match was lost with a restart of the server")
                )
        if row.state.phase is TournamentPhase.RUNNING:
            until_ms = draft.at.now_ms + max(wait_ms, row.state.plan.no_show_ms)
            waits = dict.fromkeys(row.waits, until_ms)
            put_tournament(draft, attrs.evolve(row, waits=waits, rests={}))


def _drop_search(draft: Draft, name: str) -> None:
    player = draft.players.get(name)
    if player is not None and not tournament.is_reserved(draft, name):
        draft.players[name] = attrs.evolve(leave_queue(draft, player), seek=None)


def _drop_readiness(draft: Draft, name: str) -> None:
    """Send a player who waits in a room for the tournament's next match back to the lobby.

    Their `start` was meant for it. In an open room it would begin a match with the next player who starts there.
    """
    player = draft.players.get(name)
    if player is None or player.room is None or tournament.is_reserved(draft, name):
        return
    room = draft.rooms[player.room]
    if room.phase is RoomPhase.KEPT:
        room_reconciler.unseat_all(draft, room, UnseatedWhy.TOURNAMENT_OVER)


def _look_again(draft: Draft, row: TournamentRow, name: str) -> None:
    """Handle a player whom a tournament reserves from now on, or no longer reserves."""
    player = draft.players.get(name)
    if player is None:
        return
    draft.follow_ups.add(PlayerAvailable(name))
    is_kept = tournament.is_reserved(draft, name)
    if player.room is not None:
        draft.follow_ups.add(RoomChanged(player.room))
        if is_kept:
            player = room_places.take_guests_place(draft, player, RoomGuest.SEEKING)
    if player.seek is not None:
        draft.follow_ups.add(SeekResumed(name, ("tournaments", row.number)))
    if not is_kept:
        matchmaker.look_again(draft, player)


def _forget_what_is_over(draft: Draft, row: TournamentRow) -> None:
    """Drop the waits and rests that are over: otherwise they would be due again and again until the stop."""
    _keep_times(draft, row, {number: row.waits[number] for number in _announced(row) if number in row.waits})


def _keep_times(draft: Draft, row: TournamentRow, waits: dict[int, int]) -> None:
    """Write these waits, and the rests that are not over. An unchanged row is not written: a change is recorded."""
    rests = {name: until_ms for name, until_ms in row.rests.items() if until_ms > draft.at.now_ms}
    if (waits, rests) != (row.waits, row.rests):
        put_tournament(draft, attrs.evolve(row, waits=waits, rests=rests))


def _due_ms(draft: Draft, row: TournamentRow, number: int) -> int:
    """Until when an announced pairing waits: at once if a player missed the game before it in the same encounter."""
    pairings, new = row.state.pairings, row.state.pairings[number - 1]
    if new.game > 1:
        games = (one for one in reversed(pairings[: number - 1]) if (one.round, one.board) == (new.round, new.board))
        before = next((one for one in games if one.status is PairingStatus.DONE), None)
        if before is not None and before.absent:
            return draft.at.now_ms
    return draft.at.now_ms + row.state.plan.no_show_ms


def _announced(row: TournamentRow) -> list[int]:
    return [pairing.number for pairing in row.state.pairings if pairing.status is PairingStatus.ANNOUNCED]


def _begin(draft: Draft, row: TournamentRow, pairing: Pairing, *, side_by_side: bool) -> TournamentRow:
    """Open the match of a pairing. A game that cannot be begun counts as a match that a fault of ours ended."""
    plan = row.state.plan
    game = draft.game_named(plan.game)
    if game is None:
        return _spoilt(draft, row, pairing, f"there is no game {plan.game!r} on this server any more")
    try:
        number = _open(draft, row, pairing, game)
    except referee.GameFault as fault:
        return _spoilt(draft, row, pairing, fault.why)
    return done(draft, row, Begin(pairing.number, number, side_by_side))


def _spoilt(draft: Draft, row: TournamentRow, pairing: Pairing, why: str) -> TournamentRow:
    draft.faults.append(why)
    row = done(draft, row, Begin(pairing.number, NO_MATCH))
    return done(draft, row, VoidPairing(pairing.number, why=why))


def _open(draft: Draft, row: TournamentRow, pairing: Pairing, game: Game[Any]) -> int:
    plan, names = row.state.plan, pairing.seats
    people = [player for name in names if (player := draft.players.get(name)) is not None]
    by_room = tuple(player for player in people if player.sits)
    found = {player.name: ticket_of(draft, player, plan.game) for player in people if player not in by_room}
    by_ticket = {name: ticket for name, ticket in found.items() if ticket is not None}
    number = open_match(
        draft,
        game,
        names,
        policies_of(draft, row, by_room=bool(by_room), by_ticket=bool(by_ticket)),
        options=ticket_search.options_of_match(game, tuple(by_ticket.values()), names),
        in_order=True,
        tickets=by_ticket,
        scheduled=Scheduled(row.number, pairing.number, pairing.round, pairing.board, pairing.chance),
        seed=row.state.seed,
    )
    for player in by_room:
        assert player.room is not None, "who sits has a room"
        room = draft.rooms[player.room]
        playing = attrs.evolve(
            room, phase=RoomPhase.PLAYING, match=number, matches_played=room.matches_played + 1, last_guests=()
        )
        draft.rooms[room.number] = playing
    for ticket in by_ticket.values():
        del draft.tickets[ticket.id]
    return number


def _report(draft: Draft, row: TournamentRow, scheduled: Scheduled, match: Match) -> None:
    result = match.result
    assert result is not None, "what has ended has a result"
    pairing = row.state.pairings[scheduled.pairing - 1]
    if pairing.status is not PairingStatus.PLAYING or pairing.match != match.id:
        # The teacher ended it by voiding it: it may be played again at once.
        _rest(draft, row, match)
        return
    act: Act
    repeated = [name for name in faults.not_back(match, draft.at.now_ms) if len(row.faults.get(name, ())) > 1]
    if repeated and result.reason is EndReason.VOID:
        act = HoldPairing(pairing.number, result.why, repeated[0])
    elif result.reason in {EndReason.VOID, EndReason.ABANDONED}:
        act = VoidPairing(pairing.number, by=SERVER, why=result.why or "the match ended without a result")
    else:
        first, second = result.points
        act = Report(pairing.number, match.id, _verdict(result), _reason(result), (first, second))
        row = attrs.evolve(row, took_ms={**row.took_ms, pairing.number: draft.at.now_ms - match.opened_ms})
    try:
        row = done(draft, row, act)
    except ActRefused as refused:
        draft.faults.append(f"{row.name} did not take the result of match {match.id}: {refused}")
        return
    _rest(draft, row, match)


def _rest(draft: Draft, row: TournamentRow, match: Match) -> None:
    """Give both players the plan's pause before their next match. House players need none."""
    if row.state.plan.pause_ms and not row.is_over:
        until_ms = draft.at.now_ms + row.state.plan.pause_ms
        rests = {**row.rests, **{name: until_ms for name in match.players if not row.state.is_house(name)}}
        put_tournament(draft, attrs.evolve(row, rests=rests))


def _verdict(result: Result) -> Verdict:
    """The verdict by the seats that won: all of them, or none after a game that was played, is a draw."""
    if len(result.winners) == 1:
        return Verdict.FIRST if result.winners[0] == 0 else Verdict.SECOND
    return Verdict.DRAW if result.reason is EndReason.PLAYED else Verdict.BOTH_LOSE


def _reason(result: Result) -> str:
    """The reason of the end, in a few words; empty for a match that was simply played."""
    said = result.reason_text if result.reason is EndReason.PLAYED else str(result.reason)
    if result.why:
        said = f"{said}: {result.why}"
    return said[:REASON_LENGTH_MAX]
