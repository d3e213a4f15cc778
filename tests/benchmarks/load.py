"""Pairs at play, and what it costs: moves a second, the server's CPU a move, the time from a move to the next turn."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from tests.benchmarks.generator import Loop, Tally, connected, loop, now_s
from tests.benchmarks.measuring import measured
from tests.benchmarks.plan import Plan, note
from tests.benchmarks.players import Echoed, Mover, Pace, Player
from tests.benchmarks.processes import ECHO, BenchmarkError, Running, gameserver, running
from tests.benchmarks.report import Figures, Row
from tests.benchmarks.rooms import Roommate

SETUP_TIMEOUT_S = 60.0
SILENCE_MIN_S = 3.0


Gather = Callable[[Running, int, Loop, Tally, Pace], Sequence[Mover]]
"""Brings so many pairs to the server: everybody connected, logged in and at play."""


def measure(plan: Plan) -> list[Row]:
    """Each number of pairs without a pause, in each protocol."""
    text = [_row(plan, "strategic", pairs, 0.0) for pairs in plan.pairs]
    return text + [_row(plan, "connect-four", pairs, 0.0) for pairs in plan.room_pairs]


def measure_paced(plan: Plan) -> list[Row]:
    """Matches in which somebody moves about once a second: how long an answer takes when nobody hurries."""
    return [_row(plan, "strategic", plan.paced_pairs, plan.pause_s)]


def _row(plan: Plan, protocol: str, pairs: int, pause_s: float) -> Row:
    """The servers in turns, so that a noisy moment hits both; the median of the rounds."""
    what = f"{pairs} {MATCHES[protocol]}" + (f", a move every {pause_s:g} s" if pause_s else "")
    server: list[Figures] = []
    echo: list[Figures] = []
    for number in range(plan.rounds):
        with TemporaryDirectory() as directory:
            subjects = ((gameserver(Path(directory), protocol=protocol), server), (ECHO, echo))
            for subject, rounds in subjects if number % 2 == 0 else reversed(subjects):
                with running(subject, Path(directory), plan.cores) as process:
                    note(f"{what}, round {number + 1}: {subject.name} (process {process.popen.pid})")
                    gather = gathered_echoed if subject is ECHO else GATHER[protocol]
                    rounds.append(one_round(process, gather, plan, pairs, pause_s))
    part = "paced" if pause_s else "load"
    return Row(part, what, medians(server), medians(echo), {"server": server, "echo": echo})


def one_round(
    process: Running,
    gather: Gather,
    plan: Plan,
    pairs: int,
    pause_s: float,
    counters: Callable[[], Figures] = dict,
) -> Figures:
    """So many pairs at play for a while."""
    tally = Tally()
    with loop() as working:
        clients = gather(process, pairs, working, tally, Pace(working, pause_s))
        warmup_s = max(plan.warmup_s, 2 * pause_s)
        figures = measured(
            process, working, tally, "move", "moves", warmup_s=warmup_s, seconds=plan.seconds, counters=counters
        )
    _check_that_all_move(clients, pause_s, figures["p99 ms"] / 1e3)
    return figures


def gathered_pairs(process: Running, pairs: int, working: Loop, tally: Tally, pace: Pace) -> Sequence[Mover]:
    """Players of the text protocol: whoever comes next is the opponent."""
    everybody: dict[bytes, Player] = {}
    for number in range(2 * pairs):
        Player(f"p{number:05}", connected(process.port), tally, pace, everybody)
    players = list(everybody.values())
    # Before that nobody moves: who still looks for an opponent would get somebody out of another pair.
    working.run_until(lambda: all(player.is_paired for player in players), SETUP_TIMEOUT_S, "not everybody is paired")
    for player in players:
        working.add(player.sock, player.on_readable)
    working.run_until(
        lambda: all(player.opponent is not None for player in players),
        SETUP_TIMEOUT_S,
        "not everybody has an opponent",
    )
    return players


def _gathered_in_rooms(process: Running, pairs: int, working: Loop, tally: Tally, pace: Pace) -> Sequence[Mover]:
    """Players of 3D Connect Four, two in each room."""
    players = [Roommate(number, connected(process.port), tally, pace) for number in range(2 * pairs)]
    for one, other in zip(players[::2], players[1::2], strict=True):
        one.opponent, other.opponent = other, one
    for player in players:
        working.add(player.sock, player.on_readable)
    working.run_until(lambda: all(player.at_play for player in players), SETUP_TIMEOUT_S, "not everybody plays")
    return players


def gathered_echoed(process: Running, pairs: int, working: Loop, tally: Tally, pace: Pace) -> Sequence[Mover]:
    """Everybody served once before the first move: the echo comes to its door rarely when it is busy."""
    echoed = [Echoed(connected(process.port), tally, pace) for _ in range(2 * pairs)]
    for one in echoed:
        working.add(one.sock, one.on_readable)
        one.move()
    working.run_until(lambda: len(tally.latencies_s) == 2 * pairs, SETUP_TIMEOUT_S, "not everybody was answered")
    for one, other in zip(echoed[::2], echoed[1::2], strict=True):
        one.opponent, other.opponent = other, one
        pace.move(one)
    return echoed


def _check_that_all_move(clients: Sequence[Mover], pause_s: float, p99_s: float) -> None:
    """A client that has been silent for many times as long as a turn takes sits in a match that is stuck."""
    silent_s = max(SILENCE_MIN_S, 20 * p99_s) + 5 * pause_s
    stuck = sum(client.sent_s < now_s() - silent_s for client in clients)
    if stuck:
        raise BenchmarkError(f"{stuck} of {len(clients)} clients made no move in the last {silent_s:.1f} s")


def medians(rounds: Sequence[Figures]) -> Figures:
    return {key: median(figures[key] for figures in rounds) for key in rounds[0]}


MATCHES: Mapping[str, str] = {"strategic": "matches", "connect-four": "matches of 3D Connect Four"}
"""The name of the game in the table."""

GATHER: Mapping[str, Gather] = {"strategic": gathered_pairs, "connect-four": _gathered_in_rooms}
