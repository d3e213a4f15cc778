"""House players: they play whatever comes, and their bugs are the server's, not the student's."""

from collections.abc import Mapping
from typing import Any

import pytest
from trio.testing import MockClock

from gameserver.game import Strategy
from gameserver.server.house_players import LEVELS
from tests.support.games import Countdown, catalogue
from tests.support.own_plugins import GAMES
from tests.support.serving import LineClient, serving


def takes_the_most(state: Any, seat: int, choose: Any) -> int:
    return max(state.legal_moves(seat))


def breaks(state: Any, seat: int, choose: Any) -> int:
    raise ZeroDivisionError


def cheats(state: Any, seat: int, choose: Any) -> int:
    return 3


class Coached(Countdown):
    strategies: Mapping[str, Strategy] = {"most": takes_the_most, "broken": breaks, "cheat": cheats}


async def play_on(client: LineClient) -> list[str]:
    """Answer every turn with a 1, to the end of the match."""
    said = [await client.line()]
    while not any(word in said[-1] for word in ("WIN", "LOSS", "DRAW")):
        if "YOURTURN" in said[-1]:
            await client.send("move 1")
        said.append(await client.line())
    return said


class LowRandom(Countdown):
    """Its random player is never more than one."""

    strategies: Mapping[str, Strategy] = {"random": lambda state, seat, choose: 1}


async def test_a_game_can_say_how_random_plays(autojump_clock: MockClock) -> None:
    async with serving(games=catalogue(LowRandom())) as running:
        (ann,) = await running.enter("ann")
        for _ in range(3):
            await ann.send('challenge "house-random" "Countdown"')
            moves = [line for line in await play_on(ann) if 'MOVE {PLAYER: "house-random"' in line]
            assert moves
            assert all('MOVE: "1"' in move for move in moves)


@pytest.mark.parametrize(("opponent", "game"), [("house-random", "Countdown"), ("house-most", "Countdown")])
async def test_a_match_to_the_end(autojump_clock: MockClock, opponent: str, game: str) -> None:
    async with serving(games=catalogue(Coached())) as running:
        (ann,) = await running.enter("ann")
        await ann.send(f'challenge "{opponent}" "{game}"')
        said = await play_on(ann)
        assert "WIN" in said[-1] or "LOSS" in said[-1]
        if opponent == "house-most":
            moves = [line for line in said if f'MOVE {{PLAYER: "{opponent}"' in line]
            assert moves
            assert 'MOVE: "2"' in moves[0]


@pytest.mark.parametrize("opponent", ["house-broken", "house-cheat"])
async def test_a_strategy_that_fails_costs_nobody(autojump_clock: MockClock, opponent: str) -> None:
    async with serving(games=catalogue(Coached())) as running:
        (ann,) = await running.enter("ann")
        results = set()
        for _ in range(6):
            await ann.send(f'challenge "{opponent}" "Countdown"')
            results.add((await play_on(ann))[-1])
        assert 'SVR GAME DRAW {PLAYERONESCORE: "0", PLAYERTWOSCORE: "0", COMMENT: "Match void"}' in results
        assert not any("LOSS" in result for result in results)


async def test_the_list_with_the_house_alone_fits_into_one_read_of_256_bytes(autojump_clock: MockClock) -> None:
    async with serving(games=catalogue(*GAMES)) as running:
        (ann,) = await running.enter("ann")
        await ann.send("get playerlist")
        listed = (await ann.lines(2))[1]
        assert len(listed) + len("\r\n") < 256
        names = listed.removeprefix('SVR PLAYERLIST ["').removesuffix('"]').split('", "')
        assert names == ["ann", *(f"house-{level}" for level in LEVELS[: len(names) - 1])]
