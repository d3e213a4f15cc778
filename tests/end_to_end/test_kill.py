"""kill -9 at random moments under play: nothing that a client was told is lost, and every match goes on.

A few here, 200 with `-m slow`, and as many as you like with two processes at once:

    GAMESERVER_KILLS=1000 python -m pytest -n 2 tests/end_to_end/test_kill.py

Sixteen bots play Reversi and Tic-tac-toe while the server is killed and started again on the same
data file, over and over: at a moment by the clock, at the very moment when a client hears that its
move was taken, and while the server is still starting. The bots log in again under their names and
go on from what the server shows them. The seed of a test fixes what is chosen; the moments are the
machine's own.

Half of the servers commit on the event loop, the others in the journal's thread.

What is checked, by the bots themselves as they go and against the records at the end:

* what was acknowledged (an OK to a move, a MOVE seen by either side) is in the moves that a player
  who returns is shown, in its place;
* every move that is shown was sent, for that place, and no move is there twice;
* a match that was announced is there again, or is on record as played to its end;
* what was told of moves and results is what is on record, for every match and both players.
"""

import os
import random

import pytest

from tests.end_to_end.arena import SECONDS_A_KILL, Arena, play_through_kills, shared
from tests.end_to_end.committing import WAYS, committing
from tests.end_to_end.survivors import Survivor, check_records, together

KILLS = int(os.environ.get("GAMESERVER_KILLS", "2"))

PLAYERS = {"Reversi": 6, "Tic-tac-toe": 10}
MOVES_AFTER_THE_LAST_KILL = 200


@pytest.mark.parametrize(("run", "kills"), shared(KILLS))
async def test_killed_under_play(new_server, tmp_path, run, kills):
    chance = random.Random(run)
    # With the pause, which is the default, the first moves of a match are held back and told in another packet.
    match = {"first_move_pause_ms": 100 * (run % 2), "clock": "turn 60s"}
    server = new_server(**committing(tmp_path, list(WAYS)[(run + run // 2) % 2]), match=match)
    arena = Arena(server)
    bots = Survivor.several(PLAYERS, arena, chance)
    async with together(30 + kills * SECONDS_A_KILL) as nursery:
        await play_through_kills(arena, bots, nursery, chance, kills, MOVES_AFTER_THE_LAST_KILL)
        for bot in bots:
            await bot.retire()

    assert server.stop() == 0
    recorded = server.matches()
    check_records(bots, recorded)
    for game in PLAYERS:
        assert sum(match.game == game for match in recorded) >= max(1, kills // 5), "hardly anything was played"
