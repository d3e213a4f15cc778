"""Measures each kind of decision of a match, in microseconds: `python -m tests.benchmarks.decisions`.

The core is a function, so one and the same decision can be taken again and again on the same lobby and
nothing has to be set up anew. Each figure is the least of many short rounds: others on the machine can only
add to it. The lobby holds the players of `--pairs` matches of Tic-tac-toe, all of them at play.
"""

import time
from collections.abc import Callable
from functools import partial

import click
from rich.console import Console
from rich.table import Table

from gameserver import logs
from gameserver.core.decide import At, decide
from gameserver.core.messages.capabilities import Capability
from gameserver.core.messages.commands import Command, Enter, Play, Seek, ServerStarted
from gameserver.core.state.draft import Decision
from gameserver.core.state.lobby import Lobby
from gameserver.core.state.match import Match
from gameserver.journal.codec import write_row
from gameserver.policies import Rules
from gameserver.records.match_record import record_of
from gameserver.records.rating_book import RatingBook
from tests.support.own_plugins import OWN

AT = At(now_ms=1_000, stamp_ms=1_000, wall_ms=1_000)
WINNING = ("0", "3", "1", "4", "2")
"""The cells of a short match; the first player has the top row."""
CALLS, ROUNDS = 4, 1_000
"""Rounds so short that the system seldom gives the processor to somebody else in the middle of one."""


def least_us(work: Callable[[], object]) -> float:
    """The least time of one call."""
    least_s = float("inf")
    for _ in range(ROUNDS):
        began_s = time.perf_counter()
        for _ in range(CALLS):
            work()
        least_s = min(least_s, time.perf_counter() - began_s)
    return least_s / CALLS * 1e6


def full_lobby(pairs: int) -> Lobby:
    """A lobby in which so many matches have begun."""
    lobby = Lobby(OWN.games)
    versions = {game.name: game.version for game in lobby.games.values()}
    carry_out(lobby, ServerStarted(1, "5" * 64, Rules(first_move_pause_ms=0), games=versions))
    for session in range(1, 2 * pairs + 1):
        carry_out(
            lobby,
            Enter(
                session,
                f"p{session:05}",
                "strategic",
                "127.0.0.1",
                capabilities=(Capability.CHAT, Capability.CHALLENGE),
            ),
        )
        carry_out(lobby, Seek(session, "Tic-tac-toe"))
    return lobby


def carry_out(lobby: Lobby, command: Command) -> Decision:
    """Decide, and take the changes over."""
    decision = decide(lobby, command, AT)
    lobby.apply(decision.changes)
    return decision


def measure(lobby: Lobby) -> dict[str, float]:
    """The decisions in the life of one match, and the time that each takes."""
    match = next(iter(lobby.matches.values()))
    first = match.turn.seats[0]
    sessions = [match.seats[seat].session or 0 for seat in (first, 1 - first)]
    found: dict[str, float] = {}
    finished: tuple[Match, ...] = ()
    for number, cell in enumerate(WINNING):
        move = Play(sessions[number % 2], cell)
        if number == 2:  # as the clients of the load do: each looks for the next match during this one
            seek = Seek(sessions[0], "Tic-tac-toe")
            found["a search during a match"] = least_us(partial(decide, lobby, seek, AT))
            for session in sessions:
                carry_out(lobby, Seek(session, "Tic-tac-toe"))
            found["a move"] = least_us(partial(decide, lobby, move, AT))
            found["a move's row for the journal"] = least_us(partial(write_row, 1, AT, move))
        if number == len(WINNING) - 1:
            found["the last move, and the opening of the next match"] = least_us(partial(decide, lobby, move, AT))
        finished = carry_out(lobby, move).finished
    over = finished[0]
    found["the record of a match"] = least_us(partial(record_of, over, AT.wall_ms))
    record = record_of(over, AT.wall_ms)
    found["the ratings after it"] = least_us(lambda: RatingBook().enter([record]))
    return found


@click.command()
@click.option("--pairs", default=50, show_default=True, type=click.IntRange(min=1))
def main(*, pairs: int) -> None:
    """Measure what each kind of decision takes."""
    logs.configure("error", as_json=False)
    table = Table("decision", "us", title=f"{pairs} matches of Tic-tac-toe")
    for what, us in measure(full_lobby(pairs)).items():
        table.add_row(what, f"{us:.1f}")
    Console().print(table)


if __name__ == "__main__":
    main()
