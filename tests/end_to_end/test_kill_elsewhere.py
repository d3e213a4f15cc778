"""kill -9 at random moments under play by the other four protocols, as `test_kill` does it to the text protocol.

A few here, 200 with `-m slow`, and as many as you like with two processes at once:

    GAMESERVER_KILLS=1000 python -m pytest -n 2 tests/end_to_end/test_kill_elsewhere.py

Players of Mastermind, of 3D Connect Four in rooms, of Tavla at the SignalR hub, and of Reversi as browsers play use
one server, which is killed and started again on the same data file. Players in rooms, at the hub and in a browser go
on from what the server shows them; a code breaker has to begin again. What each was told must be on record
at the end, every acknowledged move in its place and none twice, and every match that had begun.
"""

import os
import random

import pytest

from tests.end_to_end.arena import SECONDS_A_KILL, Arena, last_one_out, play_through_kills, shared
from tests.end_to_end.bots import together
from tests.end_to_end.hub_survivor import HubSurvivor
from tests.end_to_end.line_survivors import Breaker, Roommate
from tests.end_to_end.support import LOCAL
from tests.end_to_end.web_survivor import WebSurvivor

KILLS = int(os.environ.get("GAMESERVER_KILLS", "2"))

LISTEN = tuple(f"{protocol}={LOCAL}:0" for protocol in ("strategic", "mastermind", "connect-four", "http"))
BREAKERS, ROOMS, HUB_PLAYERS, WEB_PLAYERS = 4, 3, 4, 4
MOVES_AFTER_THE_LAST_KILL = 50
SETTINGS = {
    "match": {"turn_time_s": 60},
    "rooms": {"turn_time_s": 60},
    "fixed": {"rules": {"ticket_arrival_time_ms": 2_000}},
}
"""Nobody loses by time on a slow machine; a search whose answer was lost with the server is soon given up."""


@pytest.mark.parametrize(("run", "kills"), shared(KILLS))
async def test_killed_under_play(new_server, run, kills):
    chance = random.Random(run)
    arena = Arena(new_server(listen=LISTEN, **SETTINGS))
    breakers = [Breaker(arena, random.Random(chance.random())) for _ in range(BREAKERS)]
    roommates = [
        Roommate(arena, random.Random(chance.random()), name=f"room{number}", room=number // 2)
        for number in range(2 * ROOMS)
    ]
    hub_players = [HubSurvivor(arena, random.Random(chance.random())) for _ in range(HUB_PLAYERS)]
    web_players = [
        WebSurvivor(arena, random.Random(chance.random()), name=f"web{number}") for number in range(WEB_PLAYERS)
    ]
    survivors = [*breakers, *roommates, *hub_players, *web_players]
    async with together(90 + kills * SECONDS_A_KILL) as nursery:
        await play_through_kills(arena, survivors, nursery, chance, kills, MOVES_AFTER_THE_LAST_KILL)
        await last_one_out(hub_players)
        await last_one_out(web_players)

    assert arena.server.stop() == 0
    recorded = arena.server.matches()
    for survivor in survivors:
        survivor.check(recorded)
    for game in ("Mastermind", "Connect-four-3D", "Tavla", "Reversi"):
        assert any(match.game == game for match in recorded), f"no {game} was played to its end"
