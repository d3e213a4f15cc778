"""The contract that every protocol must keep, for every profile of this one."""

from typing import get_args

from games.backgammon import BACKGAMMON, TAVLI
from gameserver.protocol import Displaced, Event, Handshake, TicketClosed
from gameserver.testing import Speaker, check_protocol
from protocols.gammonx import PROTOCOL
from tests.protocols.gammonx.driver import GammonXDriver
from tests.support.gammonx_client import ANN
from tests.support.signalr_client import HANDSHAKE, PING, call, nothing_told

GAMES = (BACKGAMMON, TAVLI)
"""A game with a cube, and a series that begins with Portes."""
MATCH_ID = "8f9c2f4e-2c35-4b6f-9a53-1d2f3c4b5a69"
OF_A_MATCH = ("StartMatch", "StartGame", "Roll", "EndTurn", "ResignMatch", "ResignGame", "OfferDouble", "AcceptDouble")


SPEAKER = Speaker(
    read=nothing_told,
    messages=(
        *(
            call("JoinMatch", MATCH_ID, ANN, id="1"),
            call("JoinMatch", "no id", ANN),
            call("JoinMatch", MATCH_ID, id="2"),
        ),
        *(call(name, MATCH_ID, id=name) for name in OF_A_MATCH),
        *(
            call("JoinMatch", MATCH_ID, id="2"),
            call("Move", MATCH_ID, 1, 2, id="3"),
            call("move", MATCH_ID, "x", 2),
            call("Nope", id="4"),
            PING,
        ),
        *(b'{"type":7}\x1e', b"{}\x1e", b"[]\x1e", b"\x1e", b"\xff\x1e"),
    ),
    driver=GammonXDriver,
    plays=lambda game: game in GAMES,
    opening=HANDSHAKE,
    unfinished_bytes_max=32_768,
    handshake=Handshake("/matchhub", {}, {}),
    # Of a match it tells those who have come to one, which takes a ticket.
    silent=frozenset(get_args(Event)) - {Displaced, TicketClosed},
)


def test_contract() -> None:
    check_protocol(PROTOCOL, SPEAKER, games=GAMES)
