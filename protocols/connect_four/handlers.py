"""The actions of a client, the stages at which they are taken, and their answers.

`HANDLERS`, at the end of this module, has the handler of each action at each stage. An action that is not
in it gets `missing keys`, as it did from the original.

                  connect  join  start  move   resign  restart  exit game  disconnect
    arrived       enter                                                        x
    lobby         list      x           owed                      list         x
    room                          x     owed                        x          x
    ready                               owed                        x          x
    playing                               x      x                  x          x
    over                                owed             x          x          x
    asked again                         owed                        x          x

list: the lobby is listed again. For `connect` that is the original's refresh; `exit game` because one
client sends it when the server has put it into the lobby by itself, and waits for the answer.

owed: a move that the server had asked for before the game ended otherwise; it is dropped. So is a
`move` or `resign` at any stage that was read while the game was on which has ended since.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from attrs import evolve

from gameserver.protocol import (
    Accepted,
    Answer,
    Capability,
    Code,
    Command,
    Depart,
    Enter,
    ListRooms,
    Play,
    Query,
    Ready,
    Reply,
    Sit,
)
from gameserver.protocol import Resign as ResignCommand
from protocols.connect_four.profiles import WHAT_A_MOVE_IS, reason_of
from protocols.connect_four.schema import (
    ACTIONS,
    Connect,
    Disconnect,
    ExitGame,
    Join,
    MissingKeys,
    Move,
    NoObject,
    Reason,
    Request,
    Resign,
    Restart,
    Start,
    read_request,
)
from protocols.connect_four.session import PLAYING, ConnectFourSession, ConnectFourStage
from protocols.lines import Asked

_CAPABILITIES = (Capability.ROOMS,)
# The document's; the original's regular expression let the empty name through as well.
_NAME_LENGTH_MAX = 16

NO_COLUMN = ""
"""The text sent to the lobby for a move that names no column, so that the lobby decides if it counts.

The game itself takes a column's number too, which is the text protocol's way.
"""

SILENCE = Reply(b"")
"""The reply to a dropped message. It is an item like any other, so the rate limit applies to a flood of them."""

_DROPPED = {Code.NOT_YOUR_TURN, Code.TURN_NOT_BEGUN, Code.TOO_LATE, Code.NOT_IN_MATCH, Code.STALE}
"""Refusals of a move that are nobody's fault. The move is dropped."""

_PLACES: Mapping[ConnectFourStage, str] = {
    ConnectFourStage.ARRIVED: "before you are connected",
    ConnectFourStage.LOBBY: "in the lobby",
    ConnectFourStage.ROOM: "in a room before you have started",
    ConnectFourStage.READY: 'after "start", while the other player is awaited',
    ConnectFourStage.PLAYING: "during a game",
    ConnectFourStage.OVER: "after a game",
    ConnectFourStage.ASKED_AGAIN: 'after "restart", while the other player is awaited',
    ConnectFourStage.LEFT: "after you have left",
}

_COLUMN = re.compile("[a-d][0-3]")


def read_line(session: ConnectFourSession, line: bytes) -> Asked:
    """Turns a 3D Connect Four action into the lobby's command; None if the client asks to leave."""
    try:
        request = read_request(line)
        # Checked before the stage: the game that the move was meant for is over, so no stage has a place for it.
        if _came_too_late(session, request):
            return SILENCE
        handler = HANDLERS[session.stage].get(type(request), _out_of_place)
        return handler(session, request)
    except NoObject:
        # The document has such lines discarded. The original let the thread of their player die, and the connection
        # hang.
        session.discarded += 1
        return SILENCE
    except MissingKeys as missing:
        return Reply(session.profile.error(Reason.MISSING_KEYS, str(missing)))


def answered(session: ConnectFourSession, asked: Command | Query, answer: Answer) -> bytes:
    """Handles the lobby's answer to a 3D Connect Four action; tells the client why it was refused, unless it knows.

    Acceptance has no line.
    """
    if isinstance(answer, Accepted):
        session.accepted(asked)
        return b""
    # SimpleClient reads pairs of lines in a game: an error that it does not expect shifts all that follow.
    if _needs_no_words(session, asked, answer.code):
        return b""
    # The original closed the connection after this error, and only after this one.
    if reason_of(answer.code) is Reason.LOBBY_ENTRY_DENIED:
        session.stage = ConnectFourStage.LEFT
    if not isinstance(asked, Play):
        return session.profile.refusal(answer)
    if asked.move == NO_COLUMN and answer.code is Code.ILLEGAL_MOVE:
        answer = evolve(answer, facts={**answer.facts, "why": WHAT_A_MOVE_IS})
    return session.profile.refusal(answer, session.said)


def _needs_no_words(session: ConnectFourSession, asked: Command | Query, code: Code) -> bool:
    if isinstance(asked, Play):
        return code in _DROPPED
    # The lobby's line was under way when the client asked, and the client takes it for the answer.
    crossed = isinstance(asked, Ready | Depart) and code is Code.NOT_IN_ROOM
    return crossed and session.stage is ConnectFourStage.LOBBY


def _out_of_place(session: ConnectFourSession, request: Request) -> Reply:
    possible = ", ".join(ACTIONS[kind] for kind in HANDLERS[session.stage] if kind not in {Move, Disconnect})
    if session.stage is ConnectFourStage.PLAYING:
        possible = f"move, {possible}"
    raise MissingKeys(f'"{ACTIONS[type(request)]}" cannot be done {_PLACES[session.stage]}; {possible} can')


def _enter(session: ConnectFourSession, request: Connect) -> Enter | Reply:
    if request.name is None:
        raise MissingKeys('connect needs "name", a text of 1 to 16 letters and digits')
    name, colon, behind = request.name.partition(":")
    # The original did not answer a bad name in the first line at all.
    fault = _fault_of(name)
    if fault is not None:
        session.stage = ConnectFourStage.LEFT
        return Reply(session.profile.error(Reason.LOBBY_ENTRY_DENIED, fault))
    peer = session.peer
    secret = request.secret if request.secret is not None else behind if colon else ""
    return Enter(peer.session, name, "connect-four", peer.address, _CAPABILITIES, secret=secret)


def _fault_of(name: str) -> str | None:
    """The document's rule that a name breaks; None if it breaks none."""
    if not name:
        return "the name is empty, it needs 1 to 16 letters and digits"
    if len(name) > _NAME_LENGTH_MAX:
        return f"a name has at most {_NAME_LENGTH_MAX} characters, this one has {len(name)}"
    wrong = next((sign for sign in name if not (sign.isascii() and sign.isalnum())), None)
    return None if wrong is None else f"a name has only the letters A-Z and a-z and digits, this one has {wrong!r}"


def _list(session: ConnectFourSession, _: Connect | ExitGame) -> ListRooms:
    return ListRooms(session.peer.session)


def _join(session: ConnectFourSession, request: Join) -> Sit:
    return Sit(session.peer.session, request.room_number)


def _be_ready(session: ConnectFourSession, _: Start | Restart) -> Ready:
    return Ready(session.peer.session)


def _move(session: ConnectFourSession, request: Move) -> Play:
    # A move for an earlier game pays no debt of this one: BarryClient sends one move for each question, however late.
    if session.read_in == session.match:
        _pay(session)
    session.said = request.move
    move = request.move if _COLUMN.fullmatch(request.move) else NO_COLUMN
    return Play(session.peer.session, move, session.read_in)


def _move_late(session: ConnectFourSession, request: Move) -> Reply:
    return SILENCE if _pay(session) else _out_of_place(session, request)


def _pay(session: ConnectFourSession) -> bool:
    """True if a move was owed. This move then pays it."""
    if session.moves_owed == 0:
        return False
    # BarryClient at depth 9 needed up to 24.6 s for moves of 15 s on a loaded machine. A late answer that was taken
    # for the next question put it out of step for the rest of the game.
    session.moves_owed -= 1
    return True


def _came_too_late(session: ConnectFourSession, request: Request) -> bool:
    """True if the request was meant for a game that was on when it was read and has since ended."""
    if session.read_in == 0 or session.stage is PLAYING:
        return False
    if isinstance(request, Move):
        _pay(session)
    return isinstance(request, Move | Resign)


def _resign(session: ConnectFourSession, _: Resign) -> ResignCommand:
    return ResignCommand(session.peer.session, match=session.read_in)


def _depart(session: ConnectFourSession, _: ExitGame) -> Depart:
    # A client that leaves the room is no longer asked anything.
    session.moves_owed = 0
    return Depart(session.peer.session, match=session.read_in)


def _leave(session: ConnectFourSession, _: Disconnect) -> None:
    session.stage = ConnectFourStage.LEFT


Handler = Callable[[ConnectFourSession, Any], Asked]

_ALWAYS: Mapping[type, Handler] = {Disconnect: _leave}
_IN_A_ROOM: Mapping[type, Handler] = {Move: _move_late, ExitGame: _depart, **_ALWAYS}

HANDLERS: Mapping[ConnectFourStage, Mapping[type, Handler]] = {
    ConnectFourStage.ARRIVED: {Connect: _enter, **_ALWAYS},
    # `exit game` in the lobby: BarryClient reads one line more after `game over`, is woken by the lobby's, and sends
    # it; with an error for an answer it hangs (tested).
    ConnectFourStage.LOBBY: {Connect: _list, Join: _join, Move: _move_late, ExitGame: _list, **_ALWAYS},
    ConnectFourStage.ROOM: {Start: _be_ready, **_IN_A_ROOM},
    ConnectFourStage.READY: _IN_A_ROOM,
    ConnectFourStage.PLAYING: {**_IN_A_ROOM, Move: _move, Resign: _resign},
    ConnectFourStage.OVER: {Restart: _be_ready, **_IN_A_ROOM},
    ConnectFourStage.ASKED_AGAIN: _IN_A_ROOM,
    ConnectFourStage.LEFT: {},
}
"""The handler of each action at each stage. Input of a client that has left is ignored."""
