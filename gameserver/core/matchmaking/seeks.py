"""Seeks: how players find any opponent, with a queue for each game.

A seek stands in its game's queue while its player is free. During a match it waits and joins the
queue when the match is over.
"""

from gameserver.core.matches.referee import GameFault
from gameserver.core.matchmaking import room_places, ticket_matches
from gameserver.core.matchmaking.matchmaker import leave_queue, open_match
from gameserver.core.messages.commands import Seek, Withdraw
from gameserver.core.messages.events import Accepted, Answer, Rejected
from gameserver.core.messages.rejections import Code
from gameserver.core.state import tournament
from gameserver.core.state.draft import Draft
from gameserver.core.state.follow_ups import SeekResumed
from gameserver.policies import queue_policies
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
    if room_places.sits(player):
        return Rejected(Code.AT_TABLE, {"table": str(player.table)})
    if lobby.tickets and any(ticket.session == command.session for ticket in lobby.tickets.values()):
        return Rejected(Code.TICKET_OPEN)  # or the player would be found as their own opponent
    player = leave_queue(draft, player)
    draft.players[player.name] = evolved(player, seek=game.name)
    if player.match is None:
        pair_or_wait(draft, player.name)
    return Accepted()


def withdraw(draft: Draft, command: Withdraw) -> Answer:
    """Stop looking."""
    player = draft.player_of(command.session)
    if player is None:
        return Rejected(Code.NOT_ENTERED)
    player = leave_queue(draft, player)
    draft.players[player.name] = evolved(player, seek=None)
    return Accepted()


def resume(draft: Draft, resumed: SeekResumed) -> None:
    """Pair a player who is free again, and looked for the next opponent meanwhile.

    If the next game's code fails, they wait in its queue: it must not cost the move that freed them.
    """
    if draft.server.drains:
        return
    try:
        pair_or_wait(draft, resumed.player)
    except GameFault as fault:
        draft.faults.append(fault.why)
        wait(draft, resumed.player)


def pair_or_wait(draft: Draft, name: str) -> None:
    """Give a free player who seeks the longest-waiting opponent, or a place in the queue."""
    player = draft.players.get(name)
    if player is None or player.seek is None or player.match is not None:
        return
    player = leave_queue(draft, player)
    assert player.seek is not None, "leaving the queue is not giving the search up"
    if tournament.is_reserved(draft, name):
        wait(draft, name)
        return
    waiting = [other for other in draft.queues.get(player.seek) or () if not tournament.is_reserved(draft, other)]
    ticket = None if waiting else ticket_matches.waiting_for(draft, player.seek)
    if ticket is not None:
        ticket_matches.open_with(draft, ticket, name, name_first=False)
        return
    if not waiting:
        wait(draft, name)
        return
    game = draft.game_named(player.seek)
    assert game is not None, "a seek names a game that was known when it was made"
    open_match(draft, game, (waiting[0], name), queue_policies(draft.server.rules))


def wait(draft: Draft, name: str) -> None:
    """Put a player at the end of the queue of the game they seek."""
    player = draft.players[name]
    game = player.seek
    assert game is not None, "only who seeks can wait"
    draft.queues[game] = (*(draft.queues.get(game) or ()), name)
    room_places.seat_seeker(draft, player)
