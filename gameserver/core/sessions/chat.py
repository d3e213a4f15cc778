"""Messages from one player to another."""

from gameserver.core.matchmaking.suggestions import unknown_player
from gameserver.core.messages.capabilities import Capability
from gameserver.core.messages.commands import Say
from gameserver.core.messages.events import Accepted, Answer, Rejected, Said
from gameserver.core.messages.quoting import as_text
from gameserver.core.messages.rejections import Code
from gameserver.core.state.draft import Draft
from gameserver.policies import ChatPolicy


def say(draft: Draft, command: Say) -> Answer:
    """Pass a message on, unless the receiver cannot or must not be written to now."""
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
    if Capability.CHAT not in receiver.capabilities:
        return Rejected(Code.CANNOT_RECEIVE, {"player": receiver.name, "why": "that player's protocol has no messages"})
    messages = draft.server.rules.messages
    if messages is ChatPolicy.NEVER:
        return Rejected(Code.CANNOT_RECEIVE, {"player": receiver.name, "why": "messages are switched off here"})
    playing_now = None if receiver.match is None else draft.matches.get(receiver.match)
    if playing_now is not None and playing_now.scheduled is not None:
        why = "that player is in a tournament match"
        return Rejected(Code.CANNOT_RECEIVE, {"player": receiver.name, "why": why})
    if messages is ChatPolicy.OUTSIDE_MATCHES and receiver.match is not None:
        return Rejected(Code.CANNOT_RECEIVE, {"player": receiver.name, "why": "that player is in a match"})
    draft.tell(receiver.session, Said(sender.name, as_text(command.text)))
    return Accepted()
