"""The contract in one line, and what no kit can know: what the messages look like."""

import json
from collections.abc import Sequence

from simple_json import PROTOCOL, line_of

from gameserver.protocol import (
    Accepted,
    BoardShown,
    ChallengeClosed,
    Context,
    Displaced,
    FairnessShown,
    MatchEnded,
    MatchOpened,
    MatchPaired,
    MatchStatus,
    OwnDrawShown,
    Peer,
    PlayersListed,
    RoomsListed,
    Said,
    SeatDropped,
    Seated,
    SeatReady,
    SeatReturned,
    Seek,
    TicketClosed,
    TicketShown,
    TurnStarted,
    Unseated,
)
from gameserver.testing import Moved, Over, Speaker, Told, YourTurn, check_protocol


def told_by(name: str, data: bytes) -> Sequence[Told]:
    """The facts about its match that a client reads."""
    told: list[Told] = []
    for line in data.splitlines(keepends=True):
        message = json.loads(line)
        if message["tell"] == "your turn":
            told.append(YourTurn())
        elif message["tell"] == "move" and message["player"]:  # nobody makes the moves that are dice
            told.append(Moved(message["move"], is_own=message["player"] == name))
        elif message["tell"] == "over":
            told.append(Over(message["result"]))
    if not data.endswith(b"\n") and data:
        raise ValueError("the last line has no end")
    return told


SPEAKER = Speaker(
    read=told_by,
    messages=(
        line_of(do="login", name="bob"),
        line_of(do="games"),
        line_of(do="find", game="Contract secrets"),
        line_of(do="accept", number=3),
        line_of(do="move", move="d3"),
        line_of(do="resign"),
        line_of(do="bye"),
        line_of(do="dance"),
        line_of(do="move"),
        line_of(do=["login"]),
        b"hello\n",
        b"\n",
    ),
    log_in=lambda name: line_of(do="login", name=name),
    find=lambda game: line_of(do="find", game=game),
    move=lambda _, text: line_of(do="move", move=text),
    come_back=lambda name: line_of(do="login", name=name),
    # The answers to queries that it does not ask, what belongs to rooms and tickets, and news that students can miss.
    silent=frozenset(
        {
            PlayersListed,
            RoomsListed,
            MatchStatus,
            BoardShown,
            FairnessShown,
            Seated,
            Unseated,
            TicketShown,
            TicketClosed,
            Displaced,
        }
        | {MatchPaired, SeatReady, OwnDrawShown, MatchEnded, SeatDropped, SeatReturned, ChallengeClosed, Said}
    ),
)


def test_contract() -> None:
    """Everything that the server relies on."""
    check_protocol(PROTOCOL, SPEAKER)


def test_a_line_becomes_a_command_and_events_become_lines() -> None:
    """The words, as the page for users has them."""
    adapter = PROTOCOL.adapter(Peer(7, "192.0.2.7"), Context("document", None, ("Reversi",)))
    adapter.receive(line_of(do="find", game="reversi"), 0)
    assert adapter.next() == Seek(7, "reversi")
    said = adapter.render(
        Accepted(), [MatchOpened(1, "Reversi", ("bob", "ann"), 1, 0, 10_000), TurnStarted(1, 1, (1,), "", 9)]
    )
    assert [json.loads(line) for output in said for line in output.data.splitlines()] == [
        {"tell": "ok"},
        {"tell": "match", "game": "Reversi", "players": ["bob", "ann"], "you": 1, "moves": []},
        {"tell": "your turn", "hint": ""},
    ]
