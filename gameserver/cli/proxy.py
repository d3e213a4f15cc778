"""`gameserver proxy LISTEN TARGET`: a network with faults between clients and a server.

Its log goes to a file or to standard output, with this machine's time of day.
"""

import errno
import socket
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from random import Random
from secrets import randbelow
from typing import IO, Any

import click
import trio
from attrs import define, field

from gameserver import plugins
from gameserver.cli.common import CommandFailed, WrongSettings
from gameserver.proxy.faults import FAULT_WORDS, Direction, Faults, WrongFaults, with_faults
from gameserver.proxy.relay import Crossing, Incident, Kind, Relay, now_us
from gameserver.proxy.trace import Tally, WireTrace
from gameserver.system import STOP_SIGNALS
from gameserver.transport.listener import Address
from gameserver.values import value

_LOG_EVERY_S = 0.25  # by judgement: `tail -f` shows it as at once

# By judgement; a kernel would try for two minutes, and the client would not know why it waits.
_CONNECT_S = 10.0
# By judgement: six digits are copied by hand from one terminal to another.
_SEEDS = 1_000_000
_HERE = "localhost"
_BOTH = (Direction.TO_CLIENT, Direction.TO_SERVER)
_QUIET = frozenset({Kind.ENDED, Kind.CLOSED})
"""Incidents that are in the log file alone."""

_REASONS = {
    errno.EADDRINUSE: "the port is taken by another program; choose another one",
    errno.EADDRNOTAVAIL: "that is no address of this machine",
    errno.EACCES: "this needs more rights, as ports below 1024 often do",
    errno.ECONNREFUSED: "nothing listens there (connection refused)",
    errno.EHOSTUNREACH: "no way leads to that machine",
    errno.ENETUNREACH: "no way leads to that network",
}


@value
class ProxyOptions:
    """The arguments of `gameserver proxy`, read."""

    listen: Address
    target: Address
    faults: Faults
    directions: tuple[Direction, ...]
    seed: int
    log: Path | None


class _ProxyCommand(click.Command):
    """Lets a fault with a default stand without a value, also in front of LISTEN."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse, with the defaults filled in."""
        return super().parse_args(ctx, _with_defaults(args))


def _with_defaults(args: Sequence[str]) -> list[str]:
    filled: list[str] = []
    for index, arg in enumerate(args):
        word = FAULT_WORDS.get(arg.removeprefix("--")) if arg.startswith("--") else None
        filled.append(arg)
        if word is not None and word.default and not _is_value(arg.removeprefix("--"), args[index + 1 : index + 2]):
            filled[-1] = f"{arg}={word.default}"
    return filled


def _is_value(name: str, following: Sequence[str]) -> bool:
    try:
        with_faults([(name, text) for text in following if text])
    except WrongFaults:
        return False
    return bool(following and following[0])


@click.command(cls=_ProxyCommand)
@click.argument("listen")
@click.argument("target")
@click.option("--delay", metavar="DURATION", help="Delay everything by so long, such as 200ms.")
@click.option("--jitter", metavar="DURATION", help="Vary the delay of each packet, by up to so much more or less.")
@click.option(
    "--split",
    metavar="[random|every-byte]",
    help="Cut what was sent at once into several packets: at random, the default, or every byte alone.",
)
@click.option(
    "--coalesce", metavar="[DURATION]", help="Put what is sent within so long into one packet; 20ms by default."
)
@click.option("--reset-after", metavar="DURATION", help="Reset each connection so long after it began.")
@click.option(
    "--half-open",
    metavar="[DURATION]",
    help="From so long after its beginning, 30s by default, pass nothing on, and close nothing.",
)
@click.option("--slow-read", metavar="RATE", help="Read no more than so much in a second, such as 1KB/s.")
@click.option(
    "--drop-and-restore",
    metavar="[DURATION[,DURATION]]",
    help="So long after a connection began, reset all of them, and new ones for the second time; 30s,5s by default.",
)
@click.option("--to-client", is_flag=True, help="Faults only on the way to the client.")
@click.option("--to-server", is_flag=True, help="Faults only on the way to the server.")
@click.option("--seed", type=click.IntRange(0), help="The same seed makes the same faults; a new one by default.")
@click.option(
    "--log",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Append the log of both directions to this file. Without it the log is printed.",
)
def proxy(
    listen: str, target: str, seed: int | None, log: Path | None, *, to_client: bool, to_server: bool, **faults: Any
) -> None:
    """Stand between clients and a server, and do to their connections what a bad network does.

    LISTEN is a port of this machine or HOST:PORT (*:PORT for all of its addresses), TARGET the server's HOST:PORT.
    Clients connect to LISTEN instead of to the server; any protocol passes. Ctrl-C ends it with a summary.
    """
    try:
        named = [(name, text) for name in FAULT_WORDS if (text := faults[name.replace("-", "_")]) is not None]
        wanted = with_faults(named)
    except WrongFaults as error:
        raise WrongSettings(f"--{error}") from error
    only = tuple(way for way, is_on in zip(_BOTH, (to_client, to_server), strict=True) if is_on)
    options = ProxyOptions(
        _address(listen, "LISTEN"),
        _address(target, "TARGET"),
        wanted,
        only or _BOTH,
        randbelow(_SEEDS) if seed is None else seed,
        log,
    )
    try:
        lines = LogLines(log.open("a", encoding="utf-8") if log is not None else None)
    except OSError as error:
        raise WrongSettings(f"--log {log}: {error.strerror}") from error
    try:
        tally = trio.run(_run, options, lines)
    finally:
        lines.close()
    click.echo("\n".join(["", *tally.lines()]))


def _address(text: str, what: str) -> Address:
    """The address in an argument; a port alone is this machine's. Raises `WrongSettings`."""
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or int(port) > 65_535 or (what == "TARGET" and not int(port)):
        raise WrongSettings(
            f"{what} {text!r} has no port from 1 to 65535; write HOST:PORT, such as localhost:7789 or [::1]:7789"
        )
    if ":" in host.strip("[]") and not host.startswith("["):
        raise WrongSettings(f"{what} {text!r}: put an IPv6 address into brackets, such as [::1]:7789")
    if host == "*" and what == "TARGET":
        raise WrongSettings(f"TARGET {text!r} is no single address; name the server")
    return Address(host.strip("[]") or _HERE, int(port))


@define(eq=False)
class LogLines:
    """Writes the log of `gameserver proxy`, to a file or else to standard output.

    A full disk ends the log, and not the connections.
    """

    _file: IO[str] | None
    _has_failed: bool = field(default=False, init=False)

    @property
    def is_file(self) -> bool:
        """True if the proxy's log goes to a file, and the terminal shows something else."""
        return self._file is not None

    def write(self, lines: Sequence[str]) -> None:
        """Write lines of the proxy's log; in the file they may wait for `flush`."""
        self._attempt(lambda: self._put(lines))

    def flush(self) -> None:
        """Flush the proxy's log to the system."""
        if self._file is not None:
            self._attempt(self._file.flush)

    def close(self) -> None:
        """Flush and close the file of the proxy's log."""
        if self._file is not None:
            self._attempt(self._file.close)

    def _put(self, lines: Sequence[str]) -> None:
        for line in lines:
            if self._file is not None:
                self._file.write(f"{line}\n")
            else:
                click.echo(line)

    def _attempt(self, step: Callable[[], object]) -> None:
        if self._has_failed:
            return
        try:
            step()
        except OSError as error:
            self._has_failed = True
            with suppress(OSError):
                click.echo(f"gameserver: the log ends here: {error.strerror or error}", err=True)


async def _run(options: ProxyOptions, log: LogLines) -> Tally:
    """Relay until a signal comes."""
    hosts = await _hosts(options.target)
    listeners = await _open(options.listen)
    places = [_place(listener) for listener in listeners]
    # It would connect to itself for each connection, without end.
    if options.target.port == places[0].port and hosts & {one for place in places for one in _reached_by(place)}:
        for listener in listeners:
            await listener.aclose()
        raise WrongSettings("LISTEN and TARGET are the same address; the proxy would connect to itself")
    tally = Tally()
    # The log is for others to read: a teacher, or a person who is asked for help.
    secrets = [pattern for protocol in plugins.load().protocols.values() for pattern in protocol.secrets]
    trace = WireTrace(stamps(), secrets)
    told = LogLines(None)

    def passed(crossing: Crossing) -> None:
        tally.crossing(crossing)
        log.write(trace.crossing(crossing))

    def happened(incident: Incident) -> None:
        tally.incident(incident)
        lines = trace.incident(incident)
        log.write(lines)
        if log.is_file and incident.kind not in _QUIET:
            told.write(lines[-1:])

    relay = Relay(partial(_connect, options.target), Faults(), Random(options.seed), passed, tell=happened)  # noqa: S311
    relay.set_faults(*(options.faults if way in options.directions else Faults() for way in _BOTH))
    with trio.open_signal_receiver(*STOP_SIGNALS) as signals:
        async with trio.open_nursery() as nursery:
            await nursery.start(relay.run, listeners)
            nursery.start_soon(_show_unfinished, trace, log)
            banner = _banner(options, places)
            click.echo("\n".join([*banner, "stop with Ctrl-C"]))
            sys.stdout.flush()
            if log.is_file:
                log.write([f"--- {datetime.now().astimezone().isoformat(timespec='seconds')}", *banner])
            async for _ in signals:
                break
            nursery.cancel_scope.cancel()
    log.write(trace.tick(now_us()))
    if log.is_file:
        log.write(["", *tally.lines(), ""])
    return tally


async def _show_unfinished(trace: WireTrace, log: LogLines) -> None:
    """Show lines whose ends do not come, and hand to the system what is in the log, every now and then."""
    while True:
        await trio.sleep(_LOG_EVERY_S)
        log.write(trace.tick(now_us()))
        log.flush()


def _banner(options: ProxyOptions, places: Sequence[Address]) -> list[str]:
    ways = "both ways" if len(options.directions) > 1 else f"only {options.directions[0].value}"
    words = options.faults.words
    faults = "no faults" if words == "clean" else f"faults, {ways}: {words}"
    seed = f"seed {options.seed}: --seed {options.seed} makes the same faults again"
    return [f"proxy on {' and '.join(map(str, places))}, to {options.target}", faults, seed]


def stamps() -> Callable[[int], str]:
    """Makes the function by which `gameserver proxy` writes a time of its clock as this machine's time of day."""
    ahead_us = time.time_ns() // 1_000 - now_us()
    zone = datetime.now().astimezone().tzinfo

    def stamp(at_us: int) -> str:
        seconds, us = divmod(at_us + ahead_us, 1_000_000)
        return f"{datetime.fromtimestamp(seconds, zone):%H:%M:%S}.{us:06}"

    return stamp


async def _open(address: Address) -> list[trio.SocketListener]:
    host = None if address.host == "*" else address.host
    if address.port == 0 and host in {None, _HERE}:
        host = "127.0.0.1" if host else "0.0.0.0"  # noqa: S104 - each family would get a port of its own
    try:
        return await trio.open_tcp_listeners(address.port, host=host)
    except OSError as error:
        raise CommandFailed(f"cannot listen on {address}: {_why(error)}") from error


def _place(listener: trio.SocketListener) -> Address:
    host, port = listener.socket.getsockname()[:2]
    return Address(host, port)


def _reached_by(place: Address) -> set[str]:
    """The hosts by which this machine certainly reaches a listener; others may, too."""
    return {"127.0.0.1", "::1"} if place.host in {"0.0.0.0", "::"} else {place.host}  # noqa: S104 - compared, not bound


async def _hosts(target: Address) -> set[str]:
    """The addresses of the server's name. Raises `CommandFailed`."""
    try:
        found = await trio.socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise CommandFailed(f"the host of TARGET, {target.host!r}, is not known: {error.strerror or error}") from error
    return {str(sockaddr[0]) for *_, sockaddr in found}


async def _connect(target: Address) -> trio.SocketStream:
    """Reach the server. Raises `OSError` with words for people."""
    try:
        with trio.fail_after(_CONNECT_S):
            return await trio.open_tcp_stream(target.host, target.port)
    except trio.TooSlowError:
        raise OSError(f"{target} does not answer within {_CONNECT_S:g} s") from None
    except OSError as error:
        raise OSError(f"{target}: {_why(error)}") from error


def _why(error: BaseException) -> str:
    """The reason in the innermost error: trio tries several addresses, and wraps what each of them gave."""
    inner = error.__cause__
    while isinstance(inner, BaseExceptionGroup):
        inner = inner.exceptions[0]
    found = inner if isinstance(inner, OSError) else error
    if isinstance(found, OSError):
        return _REASONS.get(found.errno or 0) or found.strerror or str(found)
    return str(found)
