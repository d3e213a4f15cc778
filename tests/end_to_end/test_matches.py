"""Matches at the installed server: the house plays many at once, and connections end in every way that TCP has."""

import random

from tests.end_to_end.blocking_client import begin, play
from tests.end_to_end.bots import StrictBot, check_records, counted, play_all


async def test_the_house_plays_many_at_once(server):
    bots = [
        StrictBot(f"{number} against {rival} at {game}", game, counted(1), random.Random(number), rival)
        for number in range(8)
        for rival, game in (
            ("house-random", "Tic-tac-toe"),
            ("house-random", "Reversi"),
            ("house-greedy", "Reversi"),
            ("house-perfect", "Tic-tac-toe"),
        )
    ]
    await play_all(bots, server.port)
    recorded = server.matches()
    assert len(recorded) == len(bots)
    check_records(bots, recorded)
    perfect = [match for bot in bots if bot.rival == "house-perfect" for match in bot.matches]
    assert "win" not in {match.result for match in perfect}


def test_the_opponent_of_a_lost_connection_wins(server):
    losses = {
        "reset": lambda client: client.reset(),
        "close": lambda client: client.close(),
        "bye": lambda client: client.send("bye"),
        "half-close": lambda client: client.half_close(),
    }
    for how, lose in losses.items():
        first, second = begin(server.client(f"ann {how}"), server.client(f"bob {how}"))
        play(first, second, 4)
        lose(second)
        won = 'SVR GAME WIN {PLAYERONESCORE: "0", PLAYERTWOSCORE: "0", COMMENT: "Client disconnected"}'
        assert first.next() == won, how
        first.hears_nothing()
    assert [(match.reason, match.results) for match in server.matches()] == [("dropped", ["win", "loss"])] * 4
