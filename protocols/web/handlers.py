"""The messages of a client, the stages at which they are taken, and their answers.

`HANDLERS`, at the end of this module, has the handler of each message at each stage.

               login  list  games  ping  bye  all others
    arrived      x     x      x     x     x
    entered            x      x     x     x       x

The lobby decides what is allowed, because its state is current: a `move` outside a match is sent to it, too, and comes
back refused.

A key, by which a player takes the own name and seat back, is 22 characters of base64url, 128 random bits. The server
makes it at the first login, and the client keeps it. The lobby is told its SHA-256 alone, so that neither the journal
nor a snapshot has what lets somebody in.
"""

import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Any

from gameserver.protocol import (
    Accept,
    Answer,
    Capability,
    Challenge,
    Code,
    Command,
    Contribute,
    Enter,
    ListGames,
    ListPlayers,
    Play,
    Query,
    Ready,
    Rejected,
    Reply,
    Resign,
    Say,
    Seek,
    ShowBoard,
    TimeControl,
    Withdraw,
)
from protocols.lines import MESSAGES_MAX, Asked
from protocols.web import schema
from protocols.web.rendering import written
from protocols.web.session import WebSession
from protocols.wording import SENTENCES, filled

BAD_MESSAGE = "bad message"
BAD_KEY = "bad key"
TOO_MANY = "too many messages"
"""The codes of errors that the lobby does not hear of. All others are those of `Code`."""

_NO_KEY_OF_OURS = "A key is the 22 characters of an earlier welcome; leave it out to be given a new one"
_TWO_TIMES = '"turn_time_s" and "clock" both set the time: leave one out; "clock" can limit a turn, too: "5m, turn 60s"'

# The form of the ids that `Context.new_id` makes.
_KEY = re.compile("[A-Za-z0-9_-]{22}")


def hashed(key: str) -> str:
    """Hashes a browser's key: the lobby knows it by its SHA-256 alone."""
    return hashlib.sha256(key.encode()).hexdigest()


# READY: a person at a page is asked before the clock runs.
_CAPABILITIES = (Capability.CHALLENGE, Capability.CHAT, Capability.READY, Capability.BANK)


def read_line(session: WebSession, line: bytes) -> Asked:
    """Turns a browser's message into a command, a query or a reply; None if the client leaves."""
    try:
        request, session.id, session.do = schema.read_request(line)
    except schema.Unreadable as fault:
        session.id, session.do = fault.id, fault.do
        return _error(session, BAD_MESSAGE, str(fault))
    handler = HANDLERS[session.entered].get(type(request), _out_of_place)
    return handler(session, request)


def answered(session: WebSession, asked: Command | Query, answer: Answer) -> bytes:
    """Answers a browser's message by `ok`, `welcome` for a login, or an error."""
    if isinstance(answer, Rejected):
        if answer.code is Code.PROOF_TOO_OFTEN:
            session.left = True
        return _error_line(session, answer.code.value, filled(SENTENCES[answer.code], answer.facts))
    if isinstance(asked, Enter):
        session.entered = True
        return written(tell="welcome", name=asked.name, key=session.key, id=session.id)
    return written(tell="ok", do=session.do, id=session.id)


def _error_line(session: WebSession, code: str, why: str) -> bytes:
    return written(tell="error", do=session.do, id=session.id, code=code, why=why)


def _error(session: WebSession, code: str, why: str) -> Reply:
    return Reply(_error_line(session, code, why))


def _out_of_place(session: WebSession, _: Any) -> Reply:
    code = Code.ALREADY_ENTERED if session.entered else Code.NOT_ENTERED
    return _error(session, code.value, SENTENCES[code])


def _login(session: WebSession, request: schema.Login) -> Asked:
    if request.key and _KEY.fullmatch(request.key) is None:
        return _error(session, BAD_KEY, _NO_KEY_OF_OURS)
    # A new key is made before the lobby answers, as the login tells the lobby its hash.
    session.key = request.key or session.context.new_id()
    peer = session.peer
    return Enter(
        peer.session,
        request.name.strip(),
        "web",
        peer.address,
        _CAPABILITIES,
        secret=request.secret,
        key=hashed(session.key),
    )


def _list(session: WebSession, _: schema.List) -> Query:
    return ListPlayers(session.peer.session)


def _games(session: WebSession, _: schema.Games) -> Query:
    return ListGames(session.peer.session)


def _challenge(session: WebSession, request: schema.Challenge) -> Command | Reply:
    clock, time_ms = request.clock, _milliseconds(request.turn_time_s)
    if time_ms is not None:
        if clock is not None:
            return _error(session, BAD_MESSAGE, _TWO_TIMES)
        clock = TimeControl(time_ms)
    return Challenge(session.peer.session, request.to, request.game, clock, request.options, seat=request.seat)


def _accept(session: WebSession, request: schema.Accept) -> Command:
    return Accept(session.peer.session, request.number)


def _seek(session: WebSession, request: schema.Seek) -> Command:
    # The server's own ten seconds suit programs and are short for people, so a search may name a time.
    return Seek(session.peer.session, request.game, _milliseconds(request.turn_time_s))


def _milliseconds(time_s: float | None) -> int | None:
    return None if time_s is None else round(time_s * 1000)


def _withdraw(session: WebSession, request: schema.Withdraw) -> Command:
    return Withdraw(session.peer.session, request.challenge)


def _contribute(session: WebSession, request: schema.Contribute) -> Command:
    return Contribute(session.peer.session, request.hex)


def _ready(session: WebSession, _: schema.Ready) -> Command:
    return Ready(session.peer.session)


def _move(session: WebSession, request: schema.Move) -> Command:
    return Play(session.peer.session, request.move, _meant(session, request.match))


def _resign(session: WebSession, request: schema.Resign) -> Command:
    return Resign(session.peer.session, request.scope, _meant(session, request.match))


def _meant(session: WebSession, match: int | None) -> int | None:
    """The match that a message names, or else the one that its client knew of when it was read."""
    return session.read_in if match is None else match


def _board(session: WebSession, request: schema.Board) -> Query:
    # A cell of 3D Connect Four is 19 pixels wide on a phone in the usual picture, and 42 in the small one.
    return ShowBoard(session.peer.session, with_picture=True, is_small=request.small)


def _say(session: WebSession, request: schema.Say) -> Command | Reply:
    if not session.pace.allows(session.read_ms):
        return _error(session, TOO_MANY, f"at most {MESSAGES_MAX} messages in 10 seconds; wait a little")
    return Say(session.peer.session, request.to, request.text)


def _ping(session: WebSession, request: schema.Ping) -> Reply:
    return Reply(written(tell="pong", at=request.at, server_ms=session.read_ms, id=session.id))


def _bye(session: WebSession, _: schema.Bye) -> None:
    session.left = True


Handler = Callable[[WebSession, Any], Asked]

_ALWAYS: Mapping[type, Handler] = {
    schema.List: _list,
    schema.Games: _games,
    schema.Ping: _ping,
    schema.Bye: _bye,
}

HANDLERS: Mapping[bool, Mapping[type, Handler]] = {
    False: {**_ALWAYS, schema.Login: _login},
    True: {
        **_ALWAYS,
        schema.Challenge: _challenge,
        schema.Accept: _accept,
        schema.Seek: _seek,
        schema.Withdraw: _withdraw,
        schema.Contribute: _contribute,
        schema.Ready: _ready,
        schema.Move: _move,
        schema.Resign: _resign,
        schema.Board: _board,
        schema.Say: _say,
    },
}
"""By whether the lobby has accepted a login."""
