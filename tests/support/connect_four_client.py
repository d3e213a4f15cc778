"""A client and its lobby, by hand: the tests say what is sent, what the lobby answers, and hear the lines."""

from gameserver.protocol import (
    Accepted,
    EndReason,
    Enter,
    GameEnded,
    MatchOpened,
    MovePlayed,
    Result,
    RoomShown,
    RoomsListed,
    Seated,
    TurnStarted,
    Unseated,
    UnseatedWhy,
)
from gameserver.time_control import TimeControl
from protocols.connect_four import PROTOCOL
from protocols.connect_four.session import ConnectFourStage
from tests.clients.connect_four import read_message
from tests.support.by_hand import ClientByHand

GAME = "Connect-four-3D"
TABLES = (RoomShown(0, None), RoomShown(3, "bob"))
LOBBY = (
    '{"event":"lobby","free lobbies":[{"room number":0,"opponent":"No player1 yet"},'
    '{"room number":3,"opponent":"bob"}],"message":"lobby message"}'
)
MAKE_MOVE = '{"event":"make move","message":"make move message"}'

MOVE = {"action": "move", "move": "b2"}
START, RESTART, EXIT = {"action": "start"}, {"action": "restart"}, {"action": "exit game"}
WON = GameEnded(1, Result(EndReason.PLAYED, (-1, 1), (1,)))
"""The end of a game that bob has won."""
UNSEATED = Unseated(3, UnseatedWhy.LEFT, TABLES)


def lines_of(data: bytes) -> list[str]:
    """Read whole lines, each a message that the strict client knows."""
    *lines, rest = data.split(b"\n")
    assert rest == b""
    for line in lines:
        read_message(line)
    return [line.decode() for line in lines]


class ConnectFourClient(ClientByHand):
    """One connection of a profile."""

    protocol = PROTOCOL
    games = (GAME, "Reversi")
    heard_in = staticmethod(lines_of)

    @property
    def stage(self):
        return self.adapter.session.stage

    # One stage after the other.

    def enter(self, name="ann"):
        assert isinstance(self.send({"action": "connect", "name": name}), Enter)
        assert self.hears(RoomsListed(TABLES), answer=Accepted()) == [LOBBY]
        return self

    def sit(self, opponent=None, room=3):
        assert len(self.asks({"action": "join", "room number": room}, Seated(room, opponent))) == 1
        return self

    def start(self):
        assert self.asks({"action": "start"}) == []
        return self

    def play(self, seat=0, match=1, players=("ann", "bob")):
        """Be in a match, with `ann` to move."""
        self.enter(players[seat]).sit().start()
        self.hears(opened(seat, match, players), turn(0, match=match))
        return self

    def over(self, ended, seat=0):
        self.play(seat)
        self.hears(ended)
        return self


def at(stage, ended=WON):
    """A client at a stage; `ended` is how its game ended where it comes after one."""
    client = ConnectFourClient()
    if stage is ConnectFourStage.LEFT:
        client.send({"action": "disconnect"})
    elif stage in {ConnectFourStage.OVER, ConnectFourStage.ASKED_AGAIN}:
        client.over(ended)
        if stage is ConnectFourStage.ASKED_AGAIN:
            assert client.asks({"action": "restart"}) == []
    else:
        steps = (client.enter, client.sit, client.start, lambda: client.hears(opened(1), turn(0)))
        stages = (ConnectFourStage.LOBBY, ConnectFourStage.ROOM, ConnectFourStage.READY, ConnectFourStage.PLAYING)
        for step in steps[: stages.index(stage) + 1 if stage in stages else 0]:
            step()
    assert client.stage is stage
    return client


def opened(seat=0, match=1, players=("ann", "bob")):
    return MatchOpened(match, GAME, players, seat, 0, TimeControl(15_000))


def turn(*seats, match=1, number=1, release_ms=0):
    return TurnStarted(match, number, seats, "", 15_000, release_ms)


def moved(seat, text, match=1, **rest):
    return MovePlayed(match, seat, ("ann", "bob")[seat], text, "abcd".index(text[0]) * 4 + int(text[1]), "", **rest)


def error(reason, message, move=None):
    named = "" if move is None else f'"move":"{move}",'
    return f'{{"event":"error","reason":"{reason}",{named}"message":"{message}"}}'
