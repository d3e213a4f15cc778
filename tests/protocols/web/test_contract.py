"""The contract that every protocol must keep."""

from collections.abc import Sequence

from gameserver.protocol import (
    Displaced,
    FairnessShown,
    Handshake,
    MatchStatus,
    RoomsListed,
    Seated,
    TicketClosed,
    TicketShown,
    Unseated,
)
from gameserver.testing import Speaker, Told, check_protocol
from protocols.web import PROTOCOL
from tests.clients.web import key_of, line
from tests.protocols.web.driver import WebDriver, messages


def told_by(_: str, data: bytes) -> Sequence[Told]:
    """Nothing of a match, which `WebDriver` reads; but each line is a message."""
    for message in messages(data):
        if not isinstance(message["tell"], str):
            raise ValueError(f"{message} tells nothing")  # noqa: TRY004 - the kit expects it
    return ()


SPEAKER = Speaker(
    read=told_by,
    messages=(
        *(line(do="login", name="bob"), line(do="login", name="eve", key=key_of("eve"), id=7), line(do="list")),
        *(line(do="games", id="g"), line(do="challenge", to="bob", game="Contract secrets", turn_time_s=20)),
        *(line(do="accept", number=3), line(do="accept"), line(do="seek", game="Contract secrets")),
        *(line(do="withdraw"), line(do="ready"), line(do="move", move="d3"), line(do="move", move="3", match=9)),
        *(
            line(do="resign"),
            line(do="resign", scope="game"),
            line(do="board"),
            line(do="board", small=True),
            line(do="say", to="bob", text="é"),
        ),
        *(line(do="ping", at=1.5), line(do="bye"), line(do="dance"), line(do="move"), line(do=["login"])),
        *(b"hello\n", b"\n", b"[]\n", b"\xff\n", b'\xef\xbb\xbf{"do":"list"}\r\n', b"x" * 70 + b"\n"),
    ),
    log_in=lambda name: line(do="login", name=name, key=key_of(name)),
    driver=WebDriver,
    handshake=Handshake("/play/socket", {}, {}),
    silent=frozenset({Displaced, FairnessShown, MatchStatus, RoomsListed, Seated, TicketClosed, TicketShown, Unseated}),
)


def test_contract() -> None:
    check_protocol(PROTOCOL, SPEAKER)
