"""The lobby as a function: `decide(lobby, command, at) -> Decision`.

Nothing here waits, draws or looks at a clock. The lobby is read, never written: the caller applies `decision.changes`.
An exception leaves it untouched. `GameBug` means that a game's code is at fault and names its match; any other
exception is a bug of ours.

Handlers add follow-ups to the draft; `drain` handles them once the command is decided, rank by rank: tournaments,
rooms, players who search again. A follow-up that comes too late for its rank waits for the next round. So a room that
changes because a player found an opponent comes last. Journals are replayed by this order.

Before a move is decided, a long one is shortened, so that the journal keeps only the part that the decision needs. A
legal move is written as its game writes it: `5` for `000...05`. An illegal one is cut, and kept with the reason: what
is left of it might be legal, so a replay must not ask the game again.
"""

from collections.abc import Callable
from typing import Any

from attrs import evolve

from gameserver.core import broadcast, challenges, ladders, matchmaker, organizer, playing, rooms, sessions, tickets
from gameserver.core.commands import (
    HOUSE_SESSION,
    Accept,
    Arrive,
    Book,
    Challenge,
    ChallengeTimeUp,
    Command,
    Contribute,
    Depart,
    Drain,
    Enter,
    Kick,
    Leave,
    ListGames,
    ListPlayers,
    ListRooms,
    NewEpoch,
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
    ShowFairness,
    ShowMatch,
    ShowTicket,
    Sit,
    TicketTimeUp,
    TimeUp,
    Unbook,
    Void,
    Withdraw,
)
from gameserver.core.draft import (
    Decision,
    Draft,
    FollowUp,
    MatchFinished,
    PlayerAvailable,
    RoomChanged,
    SeekResumed,
    TournamentChanged,
)
from gameserver.core.events import Answer, Code, MoveRefused, Rejected
from gameserver.core.identity import as_text, is_text, quoted
from gameserver.core.lobby import At, Lobby

# Refusals by which a late answer may have been counted off. That is a change, and changes go to the journal.
_OF_LATE_ANSWERS = (Code.TOO_LATE, Code.NOT_IN_MATCH)


def decide(lobby: Lobby, command: Command | Query, at: At, *, is_new: bool = False) -> Decision:
    """Decides a command or query of any kind, given the lobby and the time: the core as one function.

    `is_new` tells a command that was just read from one of the journal. A new move may prove that its own turn is
    over: then the decision names the time-out that has to be decided before (`Decision.overdue`), and nothing else.
    `playing` judges that.
    """
    # Cheap, as every move makes one: it lays a table's overlay only when that table is asked for.
    draft = Draft(lobby, at, is_new=is_new)
    kind = type(command)
    answer = (sessions.drain_refusal(draft, command) if kind in sessions.BEGINS else None) or DECIDERS[kind](
        draft, command
    )
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


def _be_ready(draft: Draft, command: Ready) -> Answer:
    """Make the player ready for the next game of their match, or in their room.

    A guest in a room is ready there from the beginning, and may have to be for the match.
    """
    player = draft.player_of(command.session)
    if player is None or player.match is None or player.sits:
        return rooms.in_own_room(draft, command)
    match = draft.matches[player.match]
    return playing.act(draft, match, match.seat_of(player.name), command)


DECIDERS: dict[type, Callable[[Draft, Any], Answer]] = {
    Enter: sessions.enter,
    Leave: sessions.leave,
    Seek: challenges.seek,
    Withdraw: challenges.withdraw,
    Challenge: challenges.challenge,
    Accept: challenges.accept,
    Sit: rooms.sit,
    Ready: _be_ready,
    Depart: rooms.in_own_room,
    Play: playing.in_own_match,
    Resign: playing.in_own_match,
    Say: sessions.say,
    TimeUp: playing.in_named_match,
    RoomTimeUp: rooms.time_up,
    TicketTimeUp: tickets.time_up,
    ChallengeTimeUp: challenges.time_up,
    Book: tickets.book,
    Unbook: tickets.unbook,
    Arrive: tickets.arrive,
    ShowTicket: tickets.show,
    RecallTicket: tickets.recall,
    Void: playing.in_named_match,
    Kick: sessions.kick,
    Drain: sessions.drain,
    **organizer.DECIDERS,
    **ladders.DECIDERS,
    ServerStarted: sessions.start_server,
    NewEpoch: sessions.begin_epoch,
    Contribute: sessions.contribute,
    ListPlayers: sessions.list_players,
    ListGames: sessions.list_games,
    ListRooms: rooms.list_rooms,
    ShowMatch: broadcast.show_own_match,
    ShowBoard: broadcast.show_board,
    ShowFairness: broadcast.show_fairness,
}

RANK: dict[type[FollowUp], Callable[[Draft, Any], None]] = {
    # The order is part of what a journal means: a replay by another one leads to another lobby. Tournaments come first,
    # because they reserve players whom a room or a queue would match otherwise.
    MatchFinished: organizer.report_finished,
    RoomChanged: rooms.reconcile,
    PlayerAvailable: organizer.welcome,
    TournamentChanged: organizer.begin_matches,
    SeekResumed: matchmaker.resume_seek,
}
"""The handler of each kind of follow-up, in the order of their ranks."""


def drain(draft: Draft) -> None:
    """Handles the follow-ups of a decision until none is left; within a kind, first come first served."""
    follow_ups = draft.follow_ups
    while follow_ups:
        for kind, handler in RANK.items():
            if kind not in follow_ups:
                continue
            waiting = follow_ups[kind]
            while waiting:
                # A player whom two tournaments reserve plays in the older one first.
                follow_up = min(waiting) if kind is TournamentChanged else next(iter(waiting))
                handler(draft, follow_up)
                # Only now: what the handler changes in the same place needs no second look.
                del waiting[follow_up]
            del follow_ups[kind]


def shortened(lobby: Lobby, play: Play, at: At, decision: Decision) -> tuple[Play, Decision]:
    """Cuts a long move down to what `decide` needs to decide the same; returns that command, and the same decision."""
    # House players write their moves as the game does, and what changes nothing is not journaled.
    if play.session == HOUSE_SESSION or not decision.changes:
        return play, decision
    if isinstance(decision.answer, Rejected):
        # A late answer: it is dropped, whatever its text.
        return evolve(play, move=quoted(play.move)), decision
    refused = next((event for _, event in decision.deliveries if isinstance(event, MoveRefused)), None)
    if refused is not None:
        # The shortened move might be legal: a replay takes the reason from the row, and does not ask the game.
        cut = evolve(play, move=quoted(play.move), illegal=refused.why)
        return cut, decide(lobby, cut, at)
    spelled = _spelled(lobby, play, decision)
    if len(spelled) >= len(play.move):
        return play, decision
    short = evolve(play, move=spelled)
    again = decide(lobby, short, at)
    # A game whose spelling of a move is another move breaks its contract; such a move is kept as it was sent.
    return (short, again) if again.changes == decision.changes else (play, decision)


def _spelled(lobby: Lobby, play: Play, decision: Decision) -> str:
    number = lobby.players[lobby.sessions[play.session]].match
    before = None if number is None else lobby.matches[number]
    assert before is not None, "nobody else's move is accepted"
    changed = (row for table, key, row in decision.changes if table == "matches" and key == number)
    after = next((match for match in (*changed, *decision.finished) if match is not None and match.id == number), None)
    assert after is not None, "an accepted move changes its match"
    spelled: str = after.games[before.game_number - 1].moves[len(before.moves)].text
    return spelled
