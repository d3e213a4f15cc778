"""Whole matches between players of any two protocols that share a game, over real sockets.

Both sides' accounts of a match, and the record that is kept of it, have to be the same, move by move.
"""

import random
from collections.abc import Iterator
from itertools import product

import pytest
import trio
from trio.testing import MockClock

from games.connect_four_3d import GAME as CONNECT_FOUR_3D
from games.reversi import GAME as REVERSI
from games.tic_tac_toe import GAME as TIC_TAC_TOE
from gameserver.records.match_record import MatchRecord
from tests.protocols.speakers import HIDDEN, SPEAKERS, Speaker, Told
from tests.support.example_games import ROCK_PAPER_SCISSORS
from tests.support.games import catalogue
from tests.support.own_plugins import OWN
from tests.support.serving import Running, serving
from tests.support.transcripts.stage import lucky_seed

GAMES = (TIC_TAC_TOE, REVERSI, CONNECT_FOUR_3D, ROCK_PAPER_SCISSORS)
"""Games without draws by chance: a player's account of them is the whole match, but for moves that are hidden."""
PROTOCOLS = [speaker.protocol for speaker in SPEAKERS]
LISTENERS = [speaker.listener() for speaker in SPEAKERS]
WITHOUT_SPEAKER = {
    "http": "carries pages and other protocols",
    "admin": "is for teachers, who do not play",
    "mastermind": "its clients play the house alone",
    "gammonx": "plays nothing but games with dice; its meetings are in test_gammonx_methods",
}
PATIENCE_S = 600
"""Of the tests' own time; nobody thinks, so there is something to wait for only where a message is missing."""
OPPOSITE = {"win": "loss", "loss": "win", "draw": "draw"}


def meetings() -> Iterator[object]:
    """Every two protocols in both orders, at every game that both play."""
    for first, second, game in product(SPEAKERS, SPEAKERS, GAMES):
        if first.plays(game) and second.plays(game):
            yield pytest.param(first, second, game, id=f"{first.protocol.name}-{second.protocol.name}-{game.name}")


@pytest.mark.parametrize(("first", "second", "game"), list(meetings()))
async def test_a_match_is_the_same_for_both_and_on_record(first, second, game, autojump_clock: MockClock) -> None:
    async with serving(
        protocol=LISTENERS[0],
        others=LISTENERS[1:],
        games=catalogue(*GAMES),
        house=False,
        new_seed=lambda: lucky_seed(("first",)),
    ) as running:
        waiting = first("ann", game, random.Random(1))
        finding = second("bob", game, random.Random(2))
        told = await meet(running, waiting, finding)
        (record,) = running.journal.read_records()
    check(record, waiting, told[0])
    check(record, finding, told[1])
    assert told[0].opponent == finding.name
    assert told[1].result == OPPOSITE[told[0].result]


async def meet(running: Running, waiting: Speaker, finding: Speaker) -> tuple[Told, Told]:
    """Bring two together, have them play, and give what each was told."""
    told: dict[str, Told] = {}

    async def play(speaker: Speaker) -> None:
        told[speaker.name] = await speaker.play()

    try:
        with trio.fail_after(PATIENCE_S):
            for speaker in (waiting, finding):
                await speaker.connect(running.ports[speaker.listener().name])
            await waiting.wait()
            await finding.find(waiting.name)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(play, waiting)
                nursery.start_soon(play, finding)
    finally:
        waiting.close()
        finding.close()
    return told[waiting.name], told[finding.name]


def check(record: MatchRecord, speaker: Speaker, told: Told) -> None:
    """Checks that the record has what this player was told; the one who waited sits first."""
    assert (record.game, record.reason) == (speaker.game.name, "played")
    own = record.seats[told.seat]
    assert (own.player, own.protocol, own.result.value) == (speaker.name, speaker.protocol.name, told.result)
    assert [seat.player for seat in record.seats] == ["ann", "bob"]
    assert len(told.moves) == len(record.moves)
    for (seat, text), move in zip(told.moves, record.moves, strict=True):
        assert seat == move.seat
        assert text == move.move or (text == HIDDEN and seat != told.seat and speaker.game is ROCK_PAPER_SCISSORS)
    assert {move.by for move in record.moves} == {"player"}


def test_every_protocol_has_a_speaker() -> None:
    """Also one that is added some day."""
    assert {protocol.name for protocol in PROTOCOLS} | WITHOUT_SPEAKER.keys() == OWN.protocols.keys()
