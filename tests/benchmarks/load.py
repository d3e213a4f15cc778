"""Pairs at play, and what it costs: moves a second, the server's CPU a move, the time from a move to the next turn."""

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
from attrs import define, evolve

from tests.benchmarks.players import Client, Echoed, Loop, Pace, Player, Roommate, Tally, connected, loop, now_s
from tests.benchmarks.processes import ECHO, BenchmarkError, Running, Subject, free_port, gameserver, running
from tests.benchmarks.report import Figures, Plan, Row, compared

SETUP_TIMEOUT_S = 60.0
SILENCE_MIN_S = 3.0
PAGE = b"GET /events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"

Gather = Callable[[Running, int, Loop, Tally, Pace], Sequence[Client]]
"""Brings so many pairs to the server: everybody connected, logged in and at play."""
MakeSubject = Callable[[Path], Subject]
"""Makes a server that has its files in this directory."""


def measure(plan: Plan) -> list[Row]:
    """Each number of pairs without a pause, in each protocol."""
    text = [_row(plan, "load", "strategic", pairs) for pairs in plan.pairs]
    return text + [_row(plan, "load", "connect-four", pairs) for pairs in plan.room_pairs]


def measure_paced(plan: Plan) -> list[Row]:
    """Matches in which somebody moves about once a second: how long an answer takes when nobody hurries."""
    return [_row(plan, "paced", "strategic", plan.paced_pairs, plan.pause_s)]


def _row(plan: Plan, part: str, protocol: str, pairs: int, pause_s: float = 0.0) -> Row:
    ours = partial(played, plan, partial(gameserver, protocol=protocol), GATHER[protocol], pairs, pause_s)
    echo = partial(played, plan, echo_in, gathered_echoed, pairs, pause_s)
    return compared(plan, part, matches(protocol, pairs, pause_s), {"server": ours, "echo": echo})


def matches(protocol: str, pairs: int, pause_s: float = 0.0) -> str:
    """So many matches, in words."""
    game = " of 3D Connect Four" if protocol == "connect-four" else ""
    return f"{pairs} matches{game}" + (f", a move every {pause_s:g} s" if pause_s else "")


def measure_pages(plan: Plan) -> list[Row]:
    """The same matches at a human pace with many browsers at the page that changes with every move, and with none."""
    what = matches("strategic", plan.watched_pairs, plan.watched_pause_s)
    return [
        compared(
            plan,
            "pages",
            f"{what}, {viewers} viewers",
            {"watched": partial(_watched, plan, viewers), "alone": partial(_watched, plan, 0)},
            baseline="alone",
        )
        for viewers in plan.viewers
    ]


@define
class _Viewers:
    """Browsers that look at the lobby."""

    changes: int = 0
    received_bytes: int = 0

    def add(self, port: int, working: Loop) -> None:
        """One more."""
        sock = connected(port)
        sock.sendall(PAGE)

        def on_readable() -> None:
            data = sock.recv(1 << 18)
            self.received_bytes += len(data)
            self.changes += data.count(b"event: change")

        working.add(sock, on_readable)


def _watched(plan: Plan, count: int) -> Figures:
    viewers, pages_port = _Viewers(), free_port()

    def subject(directory: Path) -> Subject:
        own = gameserver(directory)
        return evolve(own, command=(*own.command, "--listen", f"http=127.0.0.1:{pages_port}"))

    def gather(process: Running, pairs: int, working: Loop, tally: Tally, pace: Pace) -> Sequence[Client]:
        players = gathered_pairs(process, pairs, working, tally, pace)
        for _ in range(count):
            viewers.add(pages_port, working)
        return players

    def counters() -> Figures:
        return {"changes told": float(viewers.changes), "KB told": viewers.received_bytes / 1024} if count else {}

    return played(plan, subject, gather, plan.watched_pairs, plan.watched_pause_s, counters)


def played(
    plan: Plan,
    subject: MakeSubject,
    gather: Gather,
    pairs: int,
    pause_s: float = 0.0,
    counters: Callable[[], Figures] = dict,
) -> Figures:
    """So many pairs at play for a while on a new server; `counters` are further totals, of which a move has a share."""
    tally = Tally()
    with TemporaryDirectory() as name, running(subject(Path(name)), Path(name), plan.cores) as process:
        with loop() as working:
            clients = gather(process, pairs, working, tally, Pace(working, pause_s))
            working.run_for(max(plan.warmup_s, 2 * pause_s))
            figures = _measured(process, working, tally, plan.seconds, counters)
        _check_that_all_move(clients, pause_s, figures["p99 ms"] / 1e3)
    return figures


def _measured(
    process: Running, working: Loop, tally: Tally, seconds: float, counters: Callable[[], Figures]
) -> Figures:
    """The rate of moves, and the cost of each."""
    tally.reset()
    counted, began_s, before = counters(), now_s(), _spent_s(process)
    working.run_for(seconds)
    took_s = now_s() - began_s
    cpu_s, own_cpu_s, all_cpu_s = (after - then for after, then in zip(_spent_s(process), before, strict=True))
    more = {key: total - counted[key] for key, total in counters().items()}
    if not tally.latencies_s:
        raise BenchmarkError(f"no move was answered in {took_s:.1f} s")
    latencies_s = sorted(tally.latencies_s)
    return {
        "moves/s": tally.moves / took_s,
        "CPU us/move": cpu_s / tally.moves * 1e6,
        "p50 ms": latencies_s[len(latencies_s) // 2] * 1e3,
        "p99 ms": latencies_s[len(latencies_s) * 99 // 100] * 1e3,
        "CPU %": 100 * cpu_s / took_s,
        "generator CPU %": 100 * own_cpu_s / took_s,
        "others CPU %": max(0.0, 100 * (all_cpu_s - cpu_s - own_cpu_s) / took_s),
    } | {f"{key}/move": amount / tally.moves for key, amount in more.items()}


def _spent_s(process: Running) -> tuple[float, float, float]:
    """CPU time of the server, of this process, and of the whole machine."""
    machine = psutil.cpu_times()
    return process.cpu_s(), time.process_time(), sum(machine) - machine.idle - machine.iowait - machine.guest


def _check_that_all_move(clients: Sequence[Client], pause_s: float, p99_s: float) -> None:
    """A client that has been silent for many times as long as a turn takes sits in a match that is stuck."""
    silent_s = max(SILENCE_MIN_S, 20 * p99_s) + 5 * pause_s
    stuck = sum(client.sent_s < now_s() - silent_s for client in clients)
    if stuck:
        raise BenchmarkError(f"{stuck} of {len(clients)} clients made no move in the last {silent_s:.1f} s")


def gathered_pairs(process: Running, pairs: int, working: Loop, tally: Tally, pace: Pace) -> Sequence[Player]:
    """Players of the text protocol: whoever comes next is the opponent."""
    everybody: dict[bytes, Player] = {}
    for number in range(2 * pairs):
        Player(f"p{number:05}", connected(process.port), tally, pace, everybody)
    players = list(everybody.values())
    # Before that nobody moves: who still looks for an opponent would get somebody out of another pair.
    working.run_until(lambda: all(player.is_paired for player in players), SETUP_TIMEOUT_S, "not everybody is paired")
    for player in players:
        working.add(player.sock, player.on_readable)
    working.run_until(lambda: all(player.opponent for player in players), SETUP_TIMEOUT_S, "not everybody plays")
    return players


def _gathered_in_rooms(process: Running, pairs: int, working: Loop, tally: Tally, pace: Pace) -> Sequence[Client]:
    """Players of 3D Connect Four, two in each room."""
    players = [Roommate(number, connected(process.port), tally, pace) for number in range(2 * pairs)]
    for one, other in zip(players[::2], players[1::2], strict=True):
        one.opponent, other.opponent = other, one
    for player in players:
        working.add(player.sock, player.on_readable)
    working.run_until(lambda: all(player.at_play for player in players), SETUP_TIMEOUT_S, "not everybody plays")
    return players


def gathered_echoed(process: Running, pairs: int, working: Loop, tally: Tally, pace: Pace) -> Sequence[Client]:
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


def echo_in(_directory: Path) -> Subject:
    """The echo, which has no files."""
    return ECHO


GATHER: Mapping[str, Gather] = {"strategic": gathered_pairs, "connect-four": _gathered_in_rooms}
