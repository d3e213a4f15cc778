"""The way of a connection to its match: by `JoinMatch`, or by what it says of itself when it is made.

    connected, names its match and itself -- its seat is there       --> in its seat: `player-connected`
                                          -- it still searches (2026) --> `player-connected`, allows `JoinMatch`
                                          -- there is nothing (2026)  --> `force-disconnect`
    connected, names nothing, or nothing that there is                --> waits for `JoinMatch`

So a client that reconnects by itself is back in its seat before it has said a word. One that has lost
the id of its match names itself alone: if it may be told the id, it goes on as if it had named both.
"""

from gameserver.protocol import (
    Arrive,
    Capability,
    Code,
    Leave,
    RecallTicket,
    Rejected,
    ShowTicket,
    TicketShown,
    TicketStatus,
)
from protocols.gammonx import payloads, refusals
from protocols.gammonx.guids import read_guid
from protocols.gammonx.hub_methods import JoinMatch
from protocols.gammonx.schema import EmptyPayload
from protocols.gammonx.session import GammonXSession
from protocols.gammonx.stage import Stage
from protocols.signalr import Steps


def join(session: GammonXSession, call: JoinMatch) -> Steps | None:
    """Carry out `JoinMatch`."""
    match_id, player_id = read_guid(call.match_id), read_guid(call.player_id)
    if match_id is None or player_id is None:
        wrong = ("matchId", call.match_id) if match_id is None else ("playerId", call.player_id)
        session.refuse(session.profile.wordings[JoinMatch].code, refusals.not_a_guid(*wrong))
        return None
    if session.has_entered and session.standing not in {Stage.OUTSIDE, Stage.OVER}:
        if session.knows(match_id) and player_id == session.player_id:
            _tell_again(session)
        else:
            why = "This connection has joined another match; use another connection for this one."
            session.refuse_call(call, why)
        return None
    return _join(session, match_id, player_id)


def attach(session: GammonXSession) -> Steps | None:
    """Take the seat back that a new connection names, or tell how its search stands."""
    match_id, player_id = session.identity.match_id, session.identity.player_id
    if player_id is None:
        return None
    return _recall(session, player_id) if match_id is None else _attach(session, match_id, player_id)


def _tell_again(session: GammonXSession) -> None:
    """Joining twice does no harm."""
    if session.view is not None:
        session.tell_all()
    elif session.match_id is not None:
        session.tell("match-lobby-waiting", payloads.waiting_lobby(session.public_id, session.player_id))


def _join(session: GammonXSession, match_id: str, player_id: str) -> Steps:
    if session.has_entered:
        yield Leave(session.peer.session)
        session.has_entered = False
    refusal = yield from _arrive(session, match_id, player_id)
    if refusal is not None:
        _refuse(session, refusal)
    elif session.view is None:
        session.tell("match-lobby-waiting", payloads.waiting_lobby(session.public_id, player_id))


def _recall(session: GammonXSession, player_id: str) -> Steps:
    """Find the match of a client that names nobody but itself, if it may be told."""
    peer, identity = session.peer, session.identity
    is_proven = identity.is_proven and identity.player_id == player_id
    told = yield RecallTicket(peer.session, player_id, peer.address, identity.token, is_proven)
    shown = next((event for event in told.events if isinstance(event, TicketShown)), None)
    if shown is not None:
        yield from _attach(session, shown.public_id or shown.ticket, player_id)


def _attach(session: GammonXSession, match_id: str, player_id: str) -> Steps:
    told = yield ShowTicket(session.peer.session, match_id, player_id)
    shown = next((event for event in told.events if isinstance(event, TicketShown)), None)
    if shown is not None and shown.status is TicketStatus.SEATED:
        session.is_attaching = True
        refusal = yield from _arrive(session, match_id, player_id)
        session.is_attaching = False
        if refusal is not None and session.profile.tells_at_connecting:
            _refuse(session, refusal)
    elif session.profile.tells_at_connecting:
        if shown is None:
            session.tell("force-disconnect", EmptyPayload())
        else:
            called = shown.public_id or shown.ticket
            lobby = payloads.waiting_lobby(called, player_id, (JoinMatch.__name__,))
            session.tell("player-connected", lobby)


def _arrive(session: GammonXSession, match_id: str, player_id: str) -> Steps:
    """Come in, or back; gives why not, or None."""
    peer, identity = session.peer, session.identity
    session.leave_match()
    session.match_id, session.player_id = match_id, player_id
    is_proven = identity.is_proven and identity.player_id == player_id
    told = yield Arrive(
        peer.session, match_id, player_id, "gammonx", peer.address, (Capability.READY,), identity.token, is_proven
    )
    if isinstance(told.answer, Rejected):
        session.leave_match()
        return told.answer
    session.has_entered = True
    return None


def _refuse(session: GammonXSession, refusal: Rejected) -> None:
    wording, why = session.profile.wordings[JoinMatch], refusals.reason(refusal)
    is_bare = refusal.code is Code.NO_SUCH_TICKET
    session.refuse(wording.code, why if is_bare else wording.sentence.format(why=why))
