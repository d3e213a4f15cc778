"""Seeks: how players find any opponent, with a queue for each game.

A seek stands in its game's queue while its player is free. During a match it waits and joins the
queue when the match is over.
"""

from gameserver.core.matches.own_match import has_seat_waiting
from gameserver.core.matchmaking.match_opening import close_challenge_of, turn_time_refused
from gameserver.core.matchmaking.matchmaker import meet_seeker
from gameserver.core.matchmaking.waiting_list import leave_queue
from gameserver.core.messages.commands import Seek, Withdraw
from gameserver.core.messages.events import Accepted, Answer, Rejected
from gameserver.core.messages.rejections import Code
from gameserver.core.state.draft import Draft
from gameserver.values import evolved


def seek(draft: Draft, command: Seek) -> Answer:
    """Look for any opponent; begin a match at once if one waits."""
    lobby = draft.lobby  # nothing has been written yet, so the lobby is read without an overlay
    player = lobby.players.get(lobby.sessions.get(command.session, ""))
    if player is None:
        return Rejected(Code.NOT_ENTERED)
    game = lobby.games.get(command.game.lower())
    if game is None:
        return Rejected(Code.UNKNOWN_GAME, {"game": command.game})
    if has_seat_waiting(lobby, player):
        return Rejected(Code.IN_MATCH)
    if player.sits:
        return Rejected(Code.IN_ROOM, {"room": str(player.room)})
    if lobby.tickets and any(ticket.session == command.session for ticket in lobby.tickets.values()):
        return Rejected(Code.TICKET_OPEN)  # or the player would be found as their own opponent
    found = turn_time_refused(command.turn_time_ms)
    if found is not None:
        return found
    player = leave_queue(draft, player)
    draft.players[player.name] = evolved(player, seek=game.name, seek_turn_time_ms=command.turn_time_ms)
    if player.match is None:
        meet_seeker(draft, player.name)
    return Accepted()


def withdraw(draft: Draft, command: Withdraw) -> Answer:
    """Stop looking, or take a challenge back."""
    player = draft.player_of(command.session)
    if player is None:
        return Rejected(Code.NOT_ENTERED)
    if command.challenge:
        close_challenge_of(draft, player)
        return Accepted()
    player = leave_queue(draft, player)
    draft.players[player.name] = evolved(player, seek=None)
    return Accepted()
