"""The contract that every protocol must keep, for every profile of this one."""

from collections.abc import Sequence

from gameserver.protocol import (
    Displaced,
    MatchEnded,
    MatchPaired,
    OwnDrawShown,
    RoomsListed,
    SeatDropped,
    Seated,
    SeatReady,
    SeatReturned,
    TicketClosed,
    TicketShown,
    Unseated,
)
from gameserver.testing import Moved, Over, Speaker, Told, YourTurn, check_protocol
from protocols.strategic import PROTOCOL, StrategicProtocol
from protocols.strategic.profiles import PROFILES
from tests.clients.strategic import Ended, Move, Turn, read_line
from tests.support.own_plugins import OWN
from tests.support.strategic_client import lines_of

BANNERS = {line for profile in PROFILES.values() for line in lines_of(profile.greeting)}


def told_by(name: str, data: bytes) -> Sequence[Told]:
    """Reads what a client is told of its match."""
    if data and not data.endswith(b"\r\n"):
        raise ValueError("the last line has no CRLF")
    told: list[Told] = []
    for line in data.decode().split("\r\n")[:-1]:
        if line in BANNERS:
            continue
        match read_line(line):
            case Turn():
                told.append(YourTurn())
            case Move(player, text):
                told.append(Moved(text, is_own=player == name))
            case Ended(result):
                told.append(Over(result))
    return told


SPEAKER = Speaker(
    read=told_by,
    messages=(
        *(b"login bob\r\n", b"login\n", b"logout\r\n", b"bye\n", b"get gamelist\r\n", b"get playerlist\n"),
        *(b"get match\r\n", b"get board\n", b"get nothing\n", b"help\r\n", b"help move\n", b"help Reversi\n"),
        *(b"forfeit\n", b'challenge "bob" "Reversi"\r\n', b'challenge "bob" "Reversi" 5\n', b"challenge accept 3\n"),
        *(
            b"challenge\n",
            b"subscribe Contract secrets\r\n",
            b"subscribe\n",
            b"unsubscribe\n",
            b"move 3\r\n",
            b"move\n",
            b"get fairness\n",
            b"contribute 2A00ff\n",
            b"contribute 2a0\n",
        ),
        *(b'message "bob" hello\n', b"message bob\n", b"dance\r\n", "login zoë\r\n".encode(), b"\xff\n"),
        *(b"move\n", b"move 1\r", b"login x\0y\n", b"x" * 500 + b"\n", b"login \xff\xf6eve\r\n"),
    ),
    log_in=lambda name: f"login {name}\r\n".encode(),
    find=lambda game: f"subscribe {game}\r\n".encode(),
    move=lambda _, text: f"move {text}\r\n".encode(),
    come_back=lambda name: f"login {name}\r\n".encode(),
    silent=frozenset(
        {MatchEnded, SeatDropped, SeatReturned, SeatReady, OwnDrawShown, Displaced, TicketClosed, TicketShown}
        | {MatchPaired, Seated, Unseated, RoomsListed}
    ),
)


GAMES = [OWN.games[name] for name in ("tic-tac-toe", "mastermind")]
"""A short game, and one with a secret."""


class Document(StrategicProtocol):
    profiles = ("document",)


class OtherWords(StrategicProtocol):
    profiles = tuple(profile for profile in PROTOCOL.profiles if profile not in Document.profiles)


def test_contract() -> None:
    """Games make no difference to a profile, which has its words alone: one plays more than the kit's own."""
    check_protocol(OtherWords(), SPEAKER)
    check_protocol(Document(), SPEAKER, games=GAMES)
