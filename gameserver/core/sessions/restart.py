"""Carries the lobby of the last run over a start: seats wait for their players, challenges are gone."""

import attrs

from gameserver.core.matches import referee
from gameserver.core.matches.broadcast import tell_turn
from gameserver.core.matches.match_end import abandon
from gameserver.core.matchmaking import room_commands, tickets
from gameserver.core.messages.commands import ServerStarted
from gameserver.core.messages.events import Accepted, Answer
from gameserver.core.organizer import scheduling
from gameserver.core.state.draft import Draft
from gameserver.core.state.match import Absence, Cause, Match, SeatHolder
from gameserver.policies import DropPolicy


def start_server(draft: Draft, command: ServerStarted) -> Answer:
    """Reset the lobby at a start: no player is connected, no challenge is open, every match waits for its players."""
    draft.server = attrs.evolve(
        draft.server,
        boot=command.boot,
        seed=command.seed,
        rules=command.rules,
        house=command.house,
        games=command.games,
        next_match=max(draft.server.next_match, command.next_match_min),
        stop_by_ms=None,
    )
    for table in (draft.sessions, draft.players, draft.challenges, draft.queues):
        table.clear()
    for match in list(draft.matches.values()):
        try:
            if match.policies.dropped is DropPolicy.NOTHING:
                _abandon(draft, match)
            else:
                _empty_seats(draft, match, command)
        except referee.GameFault as fault:
            raise referee.GameFault(fault.why, match.id) from fault
    room_commands.empty_rooms(draft, command)
    tickets.keep_waiting(draft, command)
    scheduling.resume_after_restart(draft, command)
    return Accepted()


def _empty_seats(draft: Draft, match: Match, command: ServerStarted) -> None:
    now_ms = draft.at.now_ms
    return_by_ms = now_ms + command.rules.restart_grace_ms
    seats = tuple(_emptied(holder, now_ms, return_by_ms) for holder in match.seats)
    match = attrs.evolve(match, seats=seats, owed=(), unanswering=(), moves_before_restart=len(match.moves))
    if match.waits_for_absent:
        match = attrs.evolve(match, clock=match.clock.held(now_ms))
    draft.matches[match.id] = match
    if any(match.seats[seat].is_house for seat in match.turn.seats):
        tell_turn(draft, match, referee.prompts(match))


def _abandon(draft: Draft, match: Match) -> None:
    """End a practice match: its player has no name under which to come back."""
    left = next((seat for seat, holder in enumerate(match.seats) if not holder.is_house), 0)
    seats = tuple(holder if holder.is_house else attrs.evolve(holder, session=None) for holder in match.seats)
    abandon(draft, attrs.evolve(match, seats=seats), left)


def _emptied(holder: SeatHolder, now_ms: int, return_by_ms: int) -> SeatHolder:
    """The seat after a restart. The rest of a drop's grace is kept for later drops, and of a bug's for later bugs."""
    if holder.is_house:
        return holder
    grace_left_ms, fault_left_ms = holder.grace_left_ms, holder.fault_left_ms
    if holder.absence is not None:
        left_ms = max(0, holder.absence.return_by_ms - now_ms)
        if holder.absence.cause is Cause.DROP:
            grace_left_ms = min(grace_left_ms, left_ms)
        elif holder.absence.cause is Cause.FAULT:
            fault_left_ms = left_ms
    return attrs.evolve(
        holder,
        session=None,
        grace_left_ms=grace_left_ms,
        fault_left_ms=fault_left_ms,
        absence=Absence(Cause.RESTART, return_by_ms),
        restart_by_ms=return_by_ms,
    )
