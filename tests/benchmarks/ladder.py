"""`python -m tests.benchmarks.ladder`: a week of a ladder in virtual time, with the real lobby, journal and records.

A match is played when it opens, and its players come back after it would have ended and a rest. The moves are those of
games that were drawn beforehand; the stronger player wins as often as the ratings say. It prints a line for each day.
"""

import heapq
import random
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import click
import structlog

from games.reversi import GAME
from gameserver.core.commands import (
    HOUSE_SESSION,
    Capability,
    Enter,
    PairOnLadder,
    Play,
    Seek,
    ServerStarted,
    SetLadder,
)
from gameserver.core.identity import HOUSE_PREFIX
from gameserver.core.ladders import to_pair
from gameserver.core.lobby import Lobby
from gameserver.database import sqlite
from gameserver.engine.batch import Batch, Submission
from gameserver.journal.snapshot import write_snapshot
from gameserver.journal.sqlite import SqliteJournal
from gameserver.ladder import DAY_MS, WINDOW_MS, LadderHistory, next_pairings
from gameserver.ratings.rating import MEAN
from gameserver.records.house_strengths import fixed_rating
from gameserver.records.rating_book import RatingBook
from gameserver.records.reader import RecordReader, Wanted
from gameserver.server.house_players import house_players
from gameserver.web.ladder import _lines_now
from tests.support.generators import drained

START_MS = 1_788_220_800_000
HOUR_MS = 3_600_000
GAMES_DRAWN = 40


def drawn(chance: random.Random) -> tuple[list[str], int]:
    """The moves of a random game, and the seat that wins; drawn games are drawn again."""
    while True:
        state, moves = GAME.start(GAME.options_type()), []
        while state.outcome is None:
            (seat,) = state.turn.seats
            move = chance.choice(state.legal_moves(seat))
            moves.append(GAME.write_move(move))
            state = state.play(seat, move)
        if len(state.outcome.winners) == 1:
            return moves, state.outcome.winners[0]


class Week:
    """The ladder as it is simulated: the parts of a server that matter to it, over a data file."""

    def __init__(self, path: Path, bots: int, matches_a_day: int, chance: random.Random) -> None:
        self.path, self.chance, self.rest_ms = path, chance, 2 * DAY_MS // matches_a_day
        self.journal = SqliteJournal(path, "normal")
        self.reader = RecordReader(lambda: sqlite.read_only(path))
        self.lobby, self.seq, self.now_ms = Lobby({GAME.name.lower(): GAME}), 0, 0
        self.games = [drawn(chance) for _ in range(GAMES_DRAWN)]
        self.book, self.history, self.waiting = RatingBook(), LadderHistory(), dict[str, int]()
        self.strength = {f"bot{number:03}": chance.gauss(1300, 250) for number in range(bots)}
        self.anchors = {
            one.name: rating.mean
            for one in house_players({GAME.name.lower(): GAME})
            if (rating := fixed_rating(GAME.name, one.name)) is not None
        }
        self.events: list[tuple[int, int, str]] = []
        self.numbers, self.played, self.gaps, self.look_s = count(), Counter[str](), list[float](), list[float]()
        house = house_players(self.lobby.games)
        self.do(ServerStarted(1, "5e" * 32, house=house, games={GAME.name: GAME.version}), SetLadder(GAME.name, True))
        for session, name in enumerate(self.strength, start=1):
            self.do(Enter(session, name, "strategic", "", (Capability.CHALLENGE,)))
            self.at(chance.randrange(self.rest_ms), name)

    def at(self, at_ms: int, what: str) -> None:
        heapq.heappush(self.events, (at_ms, next(self.numbers), what))

    def do(self, *commands: Any) -> None:
        """Decide commands as one batch, and write it."""
        self.decide(iter(commands))

    def decide(self, commands: Iterator[Any]) -> None:
        wall_ms = START_MS + self.now_ms
        batch = Batch(self.lobby, self.seq, lambda: self.now_ms, lambda: wall_ms, lambda *_: None)
        for command in commands:
            batch.add(Submission(command, self.now_ms))
        self.seq = batch.seq
        self.journal.append(batch.rows, [*self.book.enter(batch.records), *batch.other_records])
        if self.journal.checkpoint_is_due:
            self.journal.checkpoint()

    def day(self, until_ms: int) -> None:
        """Let the ladder go on until this time; a snapshot an hour keeps the journal short."""
        snapshot_ms = self.now_ms + HOUR_MS
        while self.events[0][0] < until_ms:
            self.now_ms, _, what = heapq.heappop(self.events)
            if what:
                self.do(Seek(self.lobby.players[what].session, GAME.name))
            self.look()
            if self.now_ms >= snapshot_ms:
                self.journal.save_snapshot(write_snapshot(self.lobby, self.seq, self.now_ms))
                self.journal.trim(self.seq)
                snapshot_ms += HOUR_MS

    def look(self) -> None:
        """Pair as the director does."""
        began_s, wall_ms = time.perf_counter(), START_MS + self.now_ms
        results, self.history.ratings = self.reader.ladder(GAME.name, max(wall_ms - WINDOW_MS, self.history.latest_ms))
        self.history.add(results, wall_ms)
        found = to_pair(self.lobby, GAME.name)
        assert found is not None, "the ladder is open"
        self.waiting = {name: self.waiting.get(name, wall_ms) for name in found[1]}
        ratings = {name: self.history.ratings.get(name, (MEAN, 0.0))[0] for name in self.waiting}
        pairs, later_ms = drained(next_pairings(self.history, self.waiting, ratings, self.anchors, wall_ms))
        self.look_s.append(time.perf_counter() - began_s)
        for pair in pairs:
            self.play(*pair)
            self.gaps += [abs(ratings[pair[0]] - ratings[pair[1]])] if set(pair) <= ratings.keys() else []
            for name in pair:
                self.waiting.pop(name, None)
        if later_ms is not None and not pairs:
            self.at(later_ms - START_MS, "")

    def play(self, first: str, second: str) -> None:
        """Begin a match and play it to its end; its players come back later."""
        self.decide(self.whole(first, second))
        for name in (first, second):
            self.played[name] += 1
            if not name.startswith(HOUSE_PREFIX):
                self.at(
                    self.now_ms + self.chance.randrange(60_000, 300_000) + self.chance.randrange(self.rest_ms), name
                )

    def whole(self, first: str, second: str) -> Iterator[Any]:
        """The commands of a whole match: in one batch, as a commit for each move would take most of the time."""
        yield PairOnLadder(GAME.name, first, second)
        (match,) = self.lobby.matches.values()
        of = self.strength | self.anchors
        wins = self.chance.random() < 1 / (1 + 10 ** ((of[second] - of[first]) / 400))
        for move in self.chance.choice([moves for moves, winner in self.games if (winner == 0) is wins]):
            now = self.lobby.matches[match.id]
            (seat,) = now.turn.seats
            yield Play(now.seats[seat].session or HOUSE_SESSION, move, match.id, seat, now.turn.number)

    def page_ms(self) -> float:
        """The time that the ladder's page takes, without its template."""
        began_s = time.perf_counter()
        wall_ms = START_MS + self.now_ms
        results, self.history.ratings = self.reader.ladder(GAME.name, self.history.latest_ms - HOUR_MS)
        self.history.add(results, wall_ms)
        _, ranking = self.reader.ranking(GAME.name, None, 14)
        _lines_now(self.history, ranking)
        self.reader.heads(Wanted(ladder=GAME.name, count=10))
        return (time.perf_counter() - began_s) * 1000


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 / 1e6


@click.command()
@click.option("--bots", default=200, show_default=True)
@click.option("--matches", default=30, show_default=True, help="Matches of a bot and day, about.")
@click.option("--days", default=7, show_default=True)
def main(bots: int, matches: int, days: int) -> None:
    """Simulate days of a ladder, and print what they take."""
    structlog.configure(processors=[], logger_factory=structlog.ReturnLoggerFactory())
    with tempfile.TemporaryDirectory() as place:
        week = Week(Path(place) / "data.sqlite3", bots, matches, random.Random(1))
        click.echo("day  matches  a bot: least median most  anchors  gap  look ms  page ms  memory MB  file MB  log MB")
        for day in range(1, days + 1):
            week.played.clear()
            week.gaps.clear()
            week.look_s.clear()
            week.day(day * DAY_MS)
            own = [week.played[name] for name in week.strength]
            anchored = sum(week.played[name] for name in week.anchors)
            size, log = (file.stat().st_size / 1e6 for file in (week.path, Path(f"{week.path}-wal")))
            page_ms = statistics.median(week.page_ms() for _ in range(5))
            click.echo(
                f"{day:>3}  {(sum(own) + anchored) // 2:>7}  {min(own):>12} {statistics.median(own):>6g} {max(own):>4}"
                f"  {anchored:>7}  {statistics.mean(week.gaps):>3.0f}  {statistics.median(week.look_s) * 1000:>7.1f}"
                f"  {page_ms:>7.1f}  {resident_mb():>9.1f}  {size:>7.1f}  {log:>6.1f}"
            )


if __name__ == "__main__":
    main()
