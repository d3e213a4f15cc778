"""The contract that every protocol must keep, for every profile of this one. Its players play the house alone."""

import json
from collections.abc import Sequence

from games.mastermind import GAME
from gameserver.testing import Speaker, Told, check_protocol
from protocols.mastermind import PROTOCOL
from tests.protocols.mastermind.driver import MastermindDriver
from tests.support.mastermind_client import GUESS, NEW_GAME, RETREAT


def told_by(_: str, data: bytes) -> Sequence[Told]:
    """Nothing of a match, which `MastermindDriver` reads; but each line is one of the server's messages."""
    if data and not data.endswith(b"\n"):
        raise ValueError("the last line has no end")
    for text in data.split(b"\n")[:-1]:
        kind, body = text.split(b"|", 1)
        if kind not in {b"2", b"3", b"5", b"6"}:
            raise ValueError(f"{text!r} is no message of the server")
        json.loads(body)
    return ()


WINS = b'1|{"Guess":[5,4,2,0]}\n'
"""In the first match of the kit's lobby, whose seed is always the same."""

SPEAKER = Speaker(
    read=told_by,
    messages=(
        *(NEW_GAME.encode() + b"\n", GUESS.encode() + b"\r\n", RETREAT.encode() + b"\n"),
        *(b'1|{"Guess":[5,3,5,5]}\n', b'1|{"Guess":[0]}\n', WINS, b'0|{"NbrColors":0}\r\n', b"4|\n", b"hello\n", b"\n"),
        *(b"\xff|\n", b"\xef\xbb\xbf4|{}\r\n", b"x" * 70 + b"\n"),
    ),
    log_in=lambda _: NEW_GAME.encode() + b"\n",
    driver=MastermindDriver,
    meets_house=True,
    plays=lambda game: game is GAME,
    is_told_unasked=False,
)


def test_contract() -> None:
    check_protocol(PROTOCOL, SPEAKER, games=(GAME,))
