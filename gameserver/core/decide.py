"""The lobby as a function: `decide(lobby, command, at) -> Decision`.

Nothing here waits, draws or looks at a clock. The lobby is read, never written: whoever called
applies `decision.changes`. An exception leaves it untouched. `GameFault` means that a game's code
is at fault and names its match; any other exception is a bug of ours.
"""

from collections.abc import Callable, Sequence
from typing import Any

from attrs import define, field

from gameserver.core import (
    challenges,
    draining,
    own_match,
    playing,
    presence,
    queues,
    referee,
    rooms,
    settling,
    teacher,
    ticket_arrivals,
    tickets,
    tournament_play,
    tournaments,
)
from gameserver.core.commands import (
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
    HousePlayer,
    Kick,
    Leave,
    ListGames,
    ListPlayers,
    ListTables,
    Play,
    Query,
    Ready,
    RecallTicket,
    Resign,
    Say,
    Seek,
    ServerStarted,
    ShowBoard,
    ShowLobby,
    ShowMatch,
    ShowTicket,
    Sit,
    TableTimeUp,
    TicketTimeUp,
    TimeUp,
    Unbook,
    Void,
    Withdraw,
)
from gameserver.core.events import (
    Accepted,
    Answer,
    GamesListed,
    PlayerShown,
    PlayersListed,
    Rejected,
    Said,
)
from gameserver.core.likeness import unknown_player
from gameserver.core.lobby import At, Decision, Draft, Lobby, Player
from gameserver.core.quoting import as_text, is_text
from gameserver.core.rejections import Code
from gameserver.policies import Messages

__all__ = ["At", "decide", "overdue"]


_TOO_LATE = Code.TOO_LATE  # once and for all: in Python 3.11 to look a member up by its class costs as much as a call


def decide(lobby: Lobby, command: Command | Query, at: At) -> Decision:
    """What a command leads to, given the lobby and the time."""
    draft = Draft(lobby, at)
    kind = type(command)
    answer = (draining.refusal(draft, command) if kind in draining.BEGINS else None) or HANDLERS[kind](draft, command)
    # A late answer is refused, but changes something: its player owes none any more.
    if type(answer) is Rejected and answer.code is not _TOO_LATE:
        return Decision(_writable(answer), (), tuple(draft.deliveries), faults=tuple(draft.faults))
    if draft.unsettled or draft.freed or draft.finished or draft.called or draft.conducted:
        _follow_up(draft)
    return Decision(
        answer,
        draft.changes(),
        tuple(draft.deliveries),
        tuple(draft.finished),
        tuple(draft.faults),
        tuple(draft.dismissed),
    )


def _writable(refused: Rejected) -> Rejected:
    """The refusal with facts that every protocol can write: they repeat what was said, lone surrogates and all."""
    if all(is_text(fact) for fact in refused.facts.values()):
        return refused
    return Rejected(refused.code, {key: as_text(fact) for key, fact in refused.facts.items()})


def overdue(lobby: Lobby, command: Command | Query, at: At) -> TimeUp | None:
    """The time-out that has to be decided before this move, because the move itself proves it.

    A move that was read after its deadline and margin must not count, even where it arrives before
    the alarm does. A move of somebody who is not to act proves nothing: those who are may have theirs
    in the works, for which the alarm waits.
    """
    if type(command) is not Play:
        return None
    player = lobby.players.get(lobby.sessions.get(command.session, ""))
    match = None if player is None or player.match is None else lobby.matches[player.match]
    late_ms = None if match is None else match.late_ms
    if player is None or match is None or late_ms is None or at.stamp_ms <= late_ms:
        return None
    return TimeUp(match.id, at.stamp_ms) if match.seat_of(player.name) in match.turn.seats else None


def _follow_up(draft: Draft) -> None:
    """Draw what follows by itself: at the tables, in tournaments, then for those who look for a match again."""
    tournament_play.report_finished(draft)
    _settle_tables(draft)
    for name in draft.called:
        tournaments.open_entries(draft, name)
    tournament_play.call(draft)
    _pair_freed(draft)
    _settle_tables(draft)


def _settle_tables(draft: Draft) -> None:
    while draft.unsettled:
        settling.settle(draft, draft.unsettled.pop(0))


def _pair_freed(draft: Draft) -> None:
    """Pair those whose match this decision ended and who look for the next one.

    If the next game's code fails, they wait in its queue: it must not cost the move that freed them.
    """
    for name in () if draft.server.drains else draft.freed:
        try:
            queues.pair_or_wait(draft, name)
        except referee.GameFault as fault:
            draft.faults.append(fault.why)
            queues.wait(draft, name)


def _in_match(draft: Draft, command: Play | Resign) -> Answer:
    if command.session == HOUSE_SESSION and isinstance(command, Play):
        return _house_play(draft, command)
    # Nothing has been written yet, so the lobby itself is asked, without an overlay.
    lobby = draft.lobby
    player = lobby.players.get(lobby.sessions.get(command.session, ""))
    if player is None:
        code = Code.NOT_ENTERED if isinstance(command, Play) else Code.NOT_IN_MATCH
        return Rejected(code)
    if player.match is None or command.match not in {None, player.match}:
        return Rejected(Code.NOT_IN_MATCH)
    match = lobby.matches[player.match]
    return playing.act(draft, match, match.seat_of(player.name), command)


def _be_ready(draft: Draft, command: Ready) -> Answer:
    """Be ready for the next game of one's match, or at one's table."""
    player = draft.player_of(command.session)
    if player is None or player.match is None or player.table is not None:
        return rooms.at_own_table(draft, command)
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


def _say(draft: Draft, command: Say) -> Answer:
    sender = draft.player_of(command.session)
    if sender is None:
        return Rejected(Code.NOT_ENTERED)
    receiver = draft.players.get(command.to)
    if receiver is None:
        if any(house.name == command.to for house in draft.server.house):
            return Rejected(Code.CANNOT_RECEIVE, {"player": command.to, "why": "house players do not read"})
        return unknown_player(draft, command.to)
    if receiver.name == sender.name:
        return Rejected(Code.SAY_SELF, {"player": sender.name})
    if "say" not in receiver.carries:
        return Rejected(Code.CANNOT_RECEIVE, {"player": receiver.name, "why": "that player's protocol has no messages"})
    messages = draft.server.rules.messages
    if messages is Messages.NEVER:
        return Rejected(Code.CANNOT_RECEIVE, {"player": receiver.name, "why": "messages are switched off here"})
    playing_now = None if receiver.match is None else draft.matches.get(receiver.match)
    if playing_now is not None and playing_now.scheduled is not None:
        why = "that player is in a tournament match"
        return Rejected(Code.CANNOT_RECEIVE, {"player": receiver.name, "why": why})
    if messages is Messages.OUTSIDE_MATCHES and receiver.match is not None:
        return Rejected(Code.CANNOT_RECEIVE, {"player": receiver.name, "why": "that player is in a match"})
    draft.tell(receiver.session, Said(sender.name, as_text(command.text)))
    return Accepted()


def _is_shown(draft: Draft, player: Player) -> bool:
    """Whether the list of players has this one: who can be played, and who plays one of those at the moment."""
    if player.is_listed or player.match is None:
        return player.is_listed
    others = (draft.players.get(name) for name in draft.matches[player.match].players)
    return any(other is not None and other.is_listed for other in others)


def _list_players(draft: Draft, command: ListPlayers) -> Answer:
    here = [player for player in draft.players.values() if player.is_listed or _is_shown(draft, player)]
    draft.tell(command.session, _listed.of(here, draft.server.house))
    return Accepted()


@define
class _Listed:
    """The list of players that was asked for last. It is long, and waiting clients ask again and again."""

    here: Sequence[Player] = ()
    house: Sequence[HousePlayer] = ()
    event: PlayersListed = field(factory=lambda: PlayersListed(()))

    def of(self, here: Sequence[Player], house: Sequence[HousePlayer]) -> PlayersListed:
        """The same list again for the same players. To compare takes little: most rows are the same objects."""
        if here != self.here or house != self.house:
            people = [PlayerShown(player.name, player.protocol) for player in here]
            computed = [PlayerShown(player.name, "house", house=True) for player in house]
            self.here, self.house, self.event = here, house, PlayersListed((*people, *computed))
        return self.event


_listed = _Listed()


def _list_games(draft: Draft, command: ListGames) -> Answer:
    draft.tell(command.session, GamesListed(tuple(sorted(game.name for game in draft.games.values()))))
    return Accepted()


HANDLERS: dict[type, Callable[[Draft, Any], Answer]] = {
    Enter: presence.enter,
    Leave: presence.leave,
    Seek: queues.seek,
    Withdraw: queues.withdraw,
    Challenge: challenges.challenge,
    Accept: challenges.accept,
    Sit: rooms.sit,
    Ready: _be_ready,
    Depart: rooms.at_own_table,
    Play: _in_match,
    Resign: _in_match,
    Say: _say,
    TimeUp: _of_match,
    TableTimeUp: rooms.time_up,
    TicketTimeUp: tickets.time_up,
    ChallengeTimeUp: challenges.time_up,
    Book: tickets.book,
    Unbook: tickets.unbook,
    Arrive: ticket_arrivals.arrive,
    ShowTicket: tickets.show,
    RecallTicket: tickets.recall,
    Void: _of_match,
    Kick: teacher.kick,
    Drain: draining.drain,
    ShowLobby: teacher.show_lobby,
    **tournaments.HANDLERS,
    ServerStarted: presence.start_server,
    ListPlayers: _list_players,
    ListGames: _list_games,
    ListTables: rooms.list_tables,
    ShowMatch: own_match.show_match,
    ShowBoard: own_match.show_board,
}
