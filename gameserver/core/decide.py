"""The lobby as a function: `decide(lobby, command, at) -> Decision`.

Nothing here waits, draws or looks at a clock. The lobby is read, never written: the caller applies `decision.changes`.
An exception leaves it untouched. `GameFault` means that a game's code is at fault and names its match; any other
exception is a bug of ours.
"""

from collections.abc import Callable
from typing import Any

from gameserver.core.consequences import drain
from gameserver.core.matches import late_answers, own_match, playing
from gameserver.core.matchmaking import challenges, room_commands, seeks, ticket_arrivals, ticket_booking, tickets
from gameserver.core.messages.commands import (
    HOUSE_SESSION,
    Accept,
    Arrive,
    Book,
    Challenge,
    ChallengeTimeUp,
    Command,
    Depart,
    Drain,
    Enter,
    Kick,
    Leave,
    ListGames,
    ListPlayers,
    ListRooms,
    Play,
    Query,
    Ready,
    RecallTicket,
    Resign,
    RoomTimeUp,
    Say,
    Seek,
    ServerStarted,
    ShowBoard,
    ShowMatch,
    ShowTicket,
    Sit,
    TicketTimeUp,
    TimeUp,
    Unbook,
    Void,
    Withdraw,
)
from gameserver.core.messages.events import Answer, Rejected
from gameserver.core.messages.quoting import as_text, is_text
from gameserver.core.messages.rejections import Code
from gameserver.core.organizer import conduct
from gameserver.core.sessions import admin, login, restart
from gameserver.core.sessions.chat import say
from gameserver.core.sessions.directory import list_games, list_players
from gameserver.core.state.draft import Decision, Draft
from gameserver.core.state.lobby import At, Lobby, Player

__all__ = ["At", "decide"]


_OF_LATE_ANSWERS = (Code.TOO_LATE, Code.NOT_IN_MATCH)


def decide(lobby: Lobby, command: Command | Query, at: At, *, is_new: bool = False) -> Decision:
    """The decision on a command, given the lobby and the time.

    `is_new` tells a command that was just read from one of the journal. A new move may prove that its own turn is
    over: then the decision names the time-out that has to be decided before (`Decision.overdue`), and nothing else.
    """
    draft = Draft(lobby, at, is_new=is_new)
    kind = type(command)
    answer = (admin.drain_refusal(draft, command) if kind in admin.BEGINS else None) or HANDLERS[kind](draft, command)
    # A late answer is refused, but changes something: its player no longer owes one.
    if type(answer) is Rejected and answer.code not in _OF_LATE_ANSWERS:
        deliveries, faults = tuple(draft.deliveries), tuple(draft.faults)
        return Decision(_writable(answer), (), deliveries, faults=faults, overdue=draft.overdue)
    if draft.follow_ups:
        drain(draft)
    return Decision(
        answer,
        draft.changes(),
        tuple(draft.deliveries),
        tuple(draft.finished),
        tuple(draft.faults),
        tuple(draft.dismissed),
        tuple(draft.wake),
    )


def _writable(refused: Rejected) -> Rejected:
    """The refusal with facts that every protocol can write: as sent, they may contain lone surrogates."""
    if all(is_text(fact) for fact in refused.facts.values()):
        return refused
    return Rejected(refused.code, {key: as_text(fact) for key, fact in refused.facts.items()})


def _in_match(draft: Draft, command: Play | Resign) -> Answer:
    if command.session == HOUSE_SESSION and isinstance(command, Play):
        return _house_play(draft, command)
    # Nothing has been written yet, so the lobby itself is read, without an overlay.
    lobby = draft.lobby
    player = lobby.players.get(lobby.sessions.get(command.session, ""))
    if player is None:
        code = Code.NOT_ENTERED if isinstance(command, Play) else Code.NOT_IN_MATCH
        return Rejected(code)
    if player.match is None:
        return _outside(draft, command, player)
    match = lobby.matches[player.match]
    seat = match.seat_of(player.name)
    if draft.is_new and type(command) is Play and match.is_overdue(seat, draft.at.stamp_ms):
        draft.overdue = TimeUp(match.id, draft.at.stamp_ms)
        return Rejected(Code.STALE)
    if command.match not in {None, player.match}:
        return _outside(draft, command, player)
    return playing.act(draft, match, seat, command)


def _outside(draft: Draft, command: Play | Resign, player: Player) -> Rejected:
    return late_answers.drop_outside(draft, player) if type(command) is Play else Rejected(Code.NOT_IN_MATCH)


def _be_ready(draft: Draft, command: Ready) -> Answer:
    """Make the player ready for the next game of their match, or in their room.

    A guest in a room is ready there from the beginning, and may have to be for the match.
    """
    player = draft.player_of(command.session)
    if player is None or player.match is None or player.sits:
        return room_commands.in_own_room(draft, command)
    match = draft.matches[player.match]
    return playing.act(draft, match, match.seat_of(player.name), command)


def _house_play(draft: Draft, command: Play) -> Answer:
    match = None if command.match is None else draft.matches.get(command.match)
    if match is None or command.seat is None or not match.seats[command.seat].is_house:
        return Rejected(Code.STALE)
    return playing.act(draft, match, command.seat, command)


def _of_match(draft: Draft, command: TimeUp | Void) -> Answer:
    match = draft.matches.get(command.match)
    return Rejected(Code.STALE) if match is None else playing.act(draft, match, None, command)


HANDLERS: dict[type, Callable[[Draft, Any], Answer]] = {
    Enter: login.enter,
    Leave: login.leave,
    Seek: seeks.seek,
    Withdraw: seeks.withdraw,
    Challenge: challenges.challenge,
    Accept: challenges.accept,
    Sit: room_commands.sit,
    Ready: _be_ready,
    Depart: room_commands.in_own_room,
    Play: _in_match,
    Resign: _in_match,
    Say: say,
    TimeUp: _of_match,
    RoomTimeUp: room_commands.time_up,
    TicketTimeUp: tickets.time_up,
    ChallengeTimeUp: challenges.time_up,
    Book: ticket_booking.book,
    Unbook: tickets.unbook,
    Arrive: ticket_arrivals.arrive,
    ShowTicket: tickets.show,
    RecallTicket: tickets.recall,
    Void: _of_match,
    Kick: admin.kick,
    Drain: admin.drain,
    **conduct.HANDLERS,
    ServerStarted: restart.start_server,
    ListPlayers: list_players,
    ListGames: list_games,
    ListRooms: room_commands.list_rooms,
    ShowMatch: own_match.show_own_match,
    ShowBoard: own_match.show_board,
}
