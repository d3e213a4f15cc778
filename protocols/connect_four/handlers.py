"""What can be asked, and when.

The rule: `DIALOGUE`, at the end of this module, says which action is taken at which stage, and who
takes it. What is not in it gets `missing keys`, as it did from the original.

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

from gameserver.protocol import Capability, Command, Depart, Enter, ListTables, Play, Query, Ready, Reply, Sit
from gameserver.protocol import Resign as ResignCommand
from protocols.connect_four.schema import (
    ACTIONS,
    Connect,
    Disconnect,
    ExitGame,
    Join,
    MissingKeys,
    Move,
    Reason,
    Request,
    Resign,
    Restart,
    Start,
    read_request,
)
from protocols.connect_four.session import PLAYING, ConnectFourSession, Stage

CAPABILITIES = (Capability.ROOMS,)
NAME_LENGTH_MAX = 16

NO_COLUMN = ""
"""What is asked for in place of a move that names no column, so that the lobby says whether it counts.

The game itself takes a column's number too, which is the text protocol's way.
"""

SILENCE = Reply(b"")
"""For what is dropped. It is an item like any other, so a flood of it has the speed limit of a flood."""

PLACES: Mapping[Stage, str] = {
    Stage.ARRIVED: "before you are connected",
    Stage.LOBBY: "in the lobby",
    Stage.ROOM: "in a room before you have started",
    Stage.READY: 'after "start", while the other player is awaited',
    Stage.PLAYING: "during a game",
    Stage.OVER: "after a game",
    Stage.ASKED_AGAIN: 'after "restart", while the other player is awaited',
    Stage.LEFT: "after you have left",
}

Asked = Command | Query | Reply | None

_COLUMN = re.compile("[a-d][0-3]")


def read_line(conversation: ConnectFourSession, line: bytes) -> Asked:
    """What a line asks for; None where it asks to be let go. Raises `NoObject` for what is to be discarded."""
    try:
        request = read_request(line)
        if _came_too_late(conversation, request):
            return SILENCE
        handler = DIALOGUE[conversation.stage].get(type(request), _out_of_place)
        return handler(conversation, request)
    except MissingKeys as missing:
        return Reply(conversation.profile.error(Reason.MISSING_KEYS, str(missing)))


def _out_of_place(conversation: ConnectFourSession, request: Request) -> Reply:
    possible = ", ".join(ACTIONS[kind] for kind in DIALOGUE[conversation.stage] if kind not in {Move, Disconnect})
    if conversation.stage is Stage.PLAYING:
        possible = f"move, {possible}"
    raise MissingKeys(f'"{ACTIONS[type(request)]}" cannot be done {PLACES[conversation.stage]}; {possible} can')


def _enter(conversation: ConnectFourSession, request: Connect) -> Enter | Reply:
    if request.name is None:
        raise MissingKeys('connect needs "name", a text of 1 to 16 letters and digits')
    name, colon, behind = request.name.partition(":")
    fault = _fault_of(name)
    if fault is not None:
        conversation.stage = Stage.LEFT
        return Reply(conversation.profile.error(Reason.LOBBY_ENTRY_DENIED, fault))
    peer = conversation.peer
    secret = request.secret if request.secret is not None else behind if colon else ""
    return Enter(peer.session, name, "connect-four", peer.address, CAPABILITIES, secret=secret)


def _fault_of(name: str) -> str | None:
    """Which of the document's rules a name breaks."""
    if not name:
        return "the name is empty, it needs 1 to 16 letters and digits"
    if len(name) > NAME_LENGTH_MAX:
        return f"a name has at most {NAME_LENGTH_MAX} characters, this one has {len(name)}"
    wrong = next((sign for sign in name if not (sign.isascii() and sign.isalnum())), None)
    return None if wrong is None else f"a name has only the letters A-Z and a-z and digits, this one has {wrong!r}"


def _list(conversation: ConnectFourSession, _: Connect | ExitGame) -> ListTables:
    return ListTables(conversation.peer.session)


def _join(conversation: ConnectFourSession, request: Join) -> Sit:
    return Sit(conversation.peer.session, request.room_number)


def _be_ready(conversation: ConnectFourSession, _: Start | Restart) -> Ready:
    return Ready(conversation.peer.session)


def _move(conversation: ConnectFourSession, request: Move) -> Play:
    if conversation.read_in == conversation.match:
        _pay(conversation)
    conversation.said = request.move
    move = request.move if _COLUMN.fullmatch(request.move) else NO_COLUMN
    return Play(conversation.peer.session, move, conversation.read_in)


def _move_late(conversation: ConnectFourSession, request: Move) -> Reply:
    return SILENCE if _pay(conversation) else _out_of_place(conversation, request)


def _pay(conversation: ConnectFourSession) -> bool:
    """True if a move was owed, which this one is then."""
    if conversation.moves_owed == 0:
        return False
    conversation.moves_owed -= 1
    return True


def _came_too_late(conversation: ConnectFourSession, request: Request) -> bool:
    """True if this was meant for a game that was on when it was read, and is over."""
    if conversation.read_in == 0 or conversation.stage is PLAYING:
        return False
    if isinstance(request, Move):
        _pay(conversation)
    return isinstance(request, Move | Resign)


def _resign(conversation: ConnectFourSession, _: Resign) -> ResignCommand:
    return ResignCommand(conversation.peer.session, match=conversation.read_in)


def _depart(conversation: ConnectFourSession, _: ExitGame) -> Depart:
    conversation.moves_owed = 0
    return Depart(conversation.peer.session, match=conversation.read_in)


def _leave(conversation: ConnectFourSession, _: Disconnect) -> None:
    conversation.stage = Stage.LEFT


Handler = Callable[[ConnectFourSession, Any], Asked]

_ALWAYS: Mapping[type, Handler] = {Disconnect: _leave}
_AT_A_TABLE: Mapping[type, Handler] = {Move: _move_late, ExitGame: _depart, **_ALWAYS}

DIALOGUE: Mapping[Stage, Mapping[type, Handler]] = {
    Stage.ARRIVED: {Connect: _enter, **_ALWAYS},
    Stage.LOBBY: {Connect: _list, Join: _join, Move: _move_late, ExitGame: _list, **_ALWAYS},
    Stage.ROOM: {Start: _be_ready, **_AT_A_TABLE},
    Stage.READY: _AT_A_TABLE,
    Stage.PLAYING: {**_AT_A_TABLE, Move: _move, Resign: _resign},
    Stage.OVER: {Restart: _be_ready, **_AT_A_TABLE},
    Stage.ASKED_AGAIN: _AT_A_TABLE,
    Stage.LEFT: {},
}
"""Who takes which action at which stage. Nothing is read of who has left."""
