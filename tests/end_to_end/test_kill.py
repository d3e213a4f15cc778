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
from collections.abc import Callable

import pytest
from attrs import Factory, define, field

from tests.end_to_end.arena import SECONDS_A_KILL, Arena, play_through_kills, shared
from tests.end_to_end.bots import StrictBot, Told, check_records, converse, tell, together
from tests.end_to_end.committing import WAYS, committing

KILLS = int(os.environ.get("GAMESERVER_KILLS", "16"))

PLAYERS = {"Reversi": 6, "Tic-tac-toe": 10}
MOVES_AFTER_THE_LAST_KILL = 300


@define
class Ledger:
    """What is known of one match, from both of its players."""

    sent: set[tuple[int, str, str]] = Factory(set)
    """Every move that was sent: for which place, by whom, and the move."""
    acknowledged: list[tuple[str, str]] = Factory(list)
    """Every move that either player was told of, in order."""

    def acknowledge(self, place: int, player: str, move: str) -> None:
        assert (place, player, move) in self.sent, f"{player} never sent {move} as move {place} of {self}"
        if place < len(self.acknowledged):
            assert self.acknowledged[place] == (player, move), f"{player}'s {move} stands in the place of {self}"
        else:
            assert place == len(self.acknowledged), f"{player}'s {move} came as move {place} of {self}"
            self.acknowledged.append((player, move))


@define(eq=False, slots=False)
class Survivor(StrictBot):
    """A bot that outlives its server."""

    ledgers: dict[tuple[frozenset[str], int], Ledger] = field(kw_only=True, repr=False)
    on_acknowledged: Callable[[], None] = field(kw_only=True, repr=False)
    """Called when the bot hears that its move was taken."""
    _owed: list[tuple[str, str]] | None = None
    """What has to be shown before the login is complete, if the match goes on at all."""
    _ended_unheard: bool = False
    """True if a login has not shown the latest match again: what the next one shows is another, if of the same two."""

    @property
    def ledger(self) -> Ledger:
        """The one of the latest match. Both players know which of the matches between them it is."""
        pair = frozenset({self.name, self.match.opponent})
        number = sum(match.opponent == self.match.opponent for match in self.matches)
        return self.ledgers.setdefault((pair, number), Ledger())

    @property
    def is_done(self):
        return list(self.unanswered) == ["logout"]

    async def converse(self, server):
        await converse(self, server.port)

    def greet(self):
        under_way = bool(self.matches) and not (self.match.result or self._ended_unheard)
        self._owed = list(self.ledger.acknowledged) if under_way else None
        return super().greet()

    def _opened(self, said):
        if self._owed is None or self.is_in_lobby:
            super()._opened(said)
            return
        seen = self.match
        assert (said["OPPONENT"], said["GAMETYPE"], said["PLAYERTOMOVE"]) == (seen.opponent, seen.game, seen.first)
        self.matches[-1] = Told(seen.opponent, seen.game, seen.first)
        self._begin()

    def _begin(self):
        self._ended_unheard = False
        super()._begin()

    def _moved(self, said):
        super()._moved(said)
        self.ledger.acknowledge(len(self.match.moves) - 1, said["PLAYER"], said["MOVE"])

    def _chosen(self):
        commands = super()._chosen()
        self.ledger.sent.add((len(self.match.moves), self.name, commands[0].removeprefix("move ")))
        return commands

    def _accepted(self, command):
        if command.startswith("move "):
            self.ledger.acknowledge(len(self.match.moves), self.name, command.removeprefix("move "))
            self.on_acknowledged()
        if command == "get gamelist" and not self.is_playing:
            self._ended_unheard = True
        elif command == "get gamelist" and self._owed is not None:
            shown = self.match.moves[: len(self._owed)]
            assert shown == self._owed, f"{self.name} was owed {self._owed}, and is shown {self.match.moves}"
        return super()._accepted(command)


@pytest.mark.parametrize(("run", "kills"), shared(KILLS))
async def test_killed_under_play(new_server, tmp_path, run, kills):
    chance = random.Random(run)
    # With the pause, which is the default, the first moves of a match are held back and told in another packet.
    match = {"first_move_pause_ms": 100 * (run % 2), "turn_time_s": 60}
    server = new_server(**committing(tmp_path, list(WAYS)[(run + run // 2) % 2]), match=match)
    arena = Arena(server)
    ledgers: dict[tuple[frozenset[str], int], Ledger] = {}
    bots = [
        Survivor(
            f"{game} {number}",
            game,
            lambda: not arena.finishing,
            random.Random(chance.random()),
            ledgers=ledgers,
            on_acknowledged=arena.a_move_was_taken,
        )
        for game, players in PLAYERS.items()
        for number in range(players)
    ]
    async with together(30 + kills * SECONDS_A_KILL) as nursery:
        await play_through_kills(arena, bots, nursery, chance, kills, MOVES_AFTER_THE_LAST_KILL)
        for bot in bots:
            await tell(bot, bot.retire())

    assert server.stop() == 0
    recorded = server.matches()
    check_records(bots, recorded)
    for game in PLAYERS:
        assert sum(match.game == game for match in recorded) >= kills // 5, "hardly anything was played"
