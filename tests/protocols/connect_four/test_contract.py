"""The contract that every protocol must keep, for every profile of this one."""

import json
from collections.abc import Sequence

from games.connect_four_3d import GAME
from gameserver.protocol import (
    BoardShown,
    ChallengeClosed,
    ChallengeOpened,
    Code,
    Command,
    Depart,
    Displaced,
    FairnessShown,
    GamesListed,
    MatchEnded,
    MatchPaired,
    MatchStatus,
    MoveRefused,
    OwnDrawShown,
    Play,
    PlayersListed,
    Query,
    Ready,
    Said,
    SeatDropped,
    SeatReady,
    SeatReturned,
    TicketClosed,
    TicketShown,
)
from gameserver.testing import Moved, Over, Speaker, Told, YourTurn, check_protocol
from protocols.connect_four import PROTOCOL

RESULTS = {"you": "win", "opponent": "loss", "draw": "draw"}
NOBODYS_FAULT = {Code.NOT_YOUR_TURN, Code.TURN_NOT_BEGUN, Code.TOO_LATE, Code.NOT_IN_MATCH, Code.STALE}


def line(**message: object) -> bytes:
    return json.dumps(message).encode() + b"\n"


def told_by(_: str, data: bytes) -> Sequence[Told]:
    """Reads what a client is told of its match: each line is an object with an event."""
    if data and not data.endswith(b"\n"):
        raise ValueError("the last line has no end")
    told: list[Told] = []
    for text in data.decode().split("\n")[:-1]:
        message = json.loads(text)
        event = message["event"]
        if event == "make move":
            told.append(YourTurn())
        elif event == "opponent moved":
            told.append(Moved(message["move"]))
        elif event == "game over":
            told.append(Over(RESULTS[message["winner"]]))
    return told


def needs_no_words(asked: Command | Query, code: Code) -> bool:
    """A move that is late is dropped, and who is put into the lobby has been answered."""
    if isinstance(asked, Play):
        return code in NOBODYS_FAULT
    return isinstance(asked, Ready | Depart) and code is Code.NOT_IN_ROOM


ROOM = {"action": "join", "room number": 7}

SPEAKER = Speaker(
    read=told_by,
    messages=(
        *(line(action="connect", name="bob"), line(action="connect"), line(action="connect", name="bob_1")),
        *(line(**ROOM), line(action="join", **{"room number": "3"}), line(action="start"), line(action="resign")),
        *(line(action="move", move="b2"), line(action="move", move="é"), line(action="restart")),
        *(line(action="exit game"), line(action="disconnect"), line(action="dance"), line()),
        *(b'{"action":"join","room number":3}\r\n', b'{"action":"start"}\r\n', b"hello\n", b"[]\n", b"\n", b"5\n"),
        *(b"\xff\n", b'\xef\xbb\xbf{"action":"connect","name":"eve"}\r\n', b"x" * 70 + b"\n"),
    ),
    log_in=lambda name: line(action="connect", name=name),
    find=lambda _: line(**ROOM) + line(action="start"),
    move=lambda _, text: line(action="move", move=text),
    come_back=lambda name: line(action="connect", name=name) + line(**ROOM) + line(action="start"),
    plays=lambda game: game is GAME,
    silent=frozenset(
        {BoardShown, FairnessShown, ChallengeClosed, ChallengeOpened, GamesListed, MatchEnded, MatchStatus, MoveRefused}
        | {PlayersListed, Said, SeatDropped, SeatReturned, SeatReady, OwnDrawShown, Displaced, TicketClosed}
        | {TicketShown, MatchPaired}
    ),
    needs_no_words=needs_no_words,
)


def test_contract() -> None:
    check_protocol(PROTOCOL, SPEAKER, games=(GAME,))
