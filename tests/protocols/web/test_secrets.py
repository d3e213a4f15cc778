"""The code to be broken stays hidden: every byte that a player in a browser gets is searched for it."""

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from trio.testing import MockClock

from games.mastermind import GAME as MASTERMIND
from games.mastermind import write_code
from gameserver.http.listener import HttpProtocol
from protocols.web import PROTOCOL
from tests.protocols.mastermind.test_secrets import forms, secret_of, tells
from tests.support.games import catalogue
from tests.support.serving import Running, serving
from tests.support.socket_clients import WebPlayer

HTTP = HttpProtocol([PROTOCOL])
SIZE = {"code_length": 8, "value_count": 10, "max_turns": 12}
"""Eight digits do not turn up by chance."""
MAKER, BREAKER = 0, 1


async def connect(running: Running, name: str, **more: Any) -> WebPlayer:
    client = await WebPlayer.connect(running.ports["http"])
    running.clients.append(client)
    await client.log_in(name, **more)
    return client


async def seated(client: WebPlayer, seat: int, **options: Any) -> int:
    """A match with the house in which the player has this seat; others are resigned."""
    while True:
        terms = {"turn_time_s": 60, "options": SIZE | options}
        assert (await client.ask(do="challenge", to="house-random", game="Mastermind", **terms))["tell"] == "ok"
        paired = await client.told("paired")
        if paired["you"] == seat:
            await client.ask(do="ready")
            await client.told("match")
            return paired["match"]
        await client.ask(do="resign")
        await client.told("match over")


def written_in(picture: Any) -> Iterator[str]:
    """Reads the shapes of a picture, one after the other: their texts, and the values of their paints."""
    shapes = [shape for shape in picture["shapes"] if shape["kind"] != "line"]
    yield "".join(shape.get("text", "") for shape in shapes)
    yield "".join(shape["fill"][-1] for shape in shapes if shape.get("fill", "").startswith("value-"))


def searched(client: WebPlayer, secret: str) -> None:
    """Nothing that came tells the code, however it is written. What was searched is forgotten."""
    text = client.heard.decode(errors="replace")
    assert not tells(text, secret)
    assert json.dumps(list(secret))[1:-1] not in text
    client.heard.clear()


async def boards(client: WebPlayer, secret: str) -> None:
    """Nor does the board, whose shapes spell out what lies on it."""
    heights = []
    for small in (False, True):
        await client.ask(do="board", small=small)
        board = await client.told("board")
        for spelled in (*written_in(board["picture"]), "".join(board["lines"]), " ".join(board["moves"][:1])):
            assert not tells(spelled, secret), spelled
        assert board["picture"]["code"] is not None, "it is the player's turn"
        heights.append(board["picture"]["height"])
    assert heights[1] < heights[0], "the small picture has fewer rows"


@pytest.mark.parametrize("is_drawn", [True, False])
async def test_breaker_is_told_nothing_of_the_code(autojump_clock: MockClock, is_drawn: bool) -> None:
    async with serving(protocol=HTTP, games=catalogue(MASTERMIND), house=True) as running:
        client = await connect(running, "ann")
        match = await seated(client, BREAKER, secret_is_drawn=is_drawn)
        await client.told("turn")
        secret, chance = secret_of(running.server), random.Random(7)
        await boards(client, secret)
        for number in range(10):
            guess = write_code(tuple(chance.randrange(10) for _ in range(8)))
            assert (await client.ask(do="move", move=guess, match=match))["tell"] == "ok"
            await client.told("turn")
            await client.ask(do="list")
            await boards(client, secret)
            searched(client, secret)
            if number == 4:  # the page is reloaded
                client.close()
                client = await connect(running, "ann", key=client.key)
                assert (await client.told("match"))["resumed"]
                await client.told("turn")
                searched(client, secret)
        await client.ask(do="resign")
        assert (await client.told("game over"))["revealed"] == secret, "the search finds what is there"
        assert tells(client.heard.decode(errors="replace"), secret)


async def test_maker_of_another_match_hides_it_from_everybody_else(autojump_clock: MockClock) -> None:
    """Two people: the maker composes a code, and the breaker hears of a move that is hidden."""
    async with serving(protocol=HTTP, games=catalogue(MASTERMIND)) as running:
        players = [await connect(running, name) for name in ("ann", "bob", "eva")]
        for client in players[:2]:
            await client.ask(do="seek", game="Mastermind")
        seats: dict[int, WebPlayer] = {}
        for client in players[:2]:
            seats[(await client.told("paired"))["you"]] = client
            await client.ask(do="ready")
        await seats[MAKER].told("turn")
        await boards(seats[MAKER], "5050")
        await seats[MAKER].ask(do="move", move="5 0 5 0")
        assert (await seats[BREAKER].told("moved"))["move"] == "?"
        await seats[BREAKER].told("turn")
        await boards(seats[BREAKER], "5050")
        await seats[BREAKER].ask(do="move", move="1234")
        await seats[BREAKER].told("turn")
        await boards(seats[BREAKER], "5050")
        await players[2].ask(do="list")
        for client in (seats[BREAKER], players[2]):
            text = client.heard.decode(errors="replace")
            assert not any(f'"{form}"' in text for form in forms("5050"))
