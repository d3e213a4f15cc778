r"""Conversations as text files, held against a real server in virtual time.

A transcript begins with what it shows, in lines with `#`, and its settings, in lines with `@`. Then
it tells what happens, one thing a line:

    C1 connects                  a new connection; also `to ngs` (a listener of that profile)
                                 and `from 127.0.0.2` (another computer)
    C1 enters as ann             connects, hears the two lines of the banner, logs in, hears OK
    C1> move 4                   C1 sends this and a line end; a `\` at the end keeps the line end back
    C1 half-closes               C1 will send no more, and reads on
    C1 closes, C1 resets         C1 is gone, in good order or not
    +5s, +100ms, +2min           time passes
    restart                      the server stops in good order and starts on the same journal
    kill                         the same without the good order: nothing but the journal's rows is left
    S>C1 OK                      the server says this to C1
    S closes C1                  the server ends the connection

Bytes that no editor shows are written `\x0d`, so is a space at the end of a line, and `\\` is a
backslash. What the server says to one client has to come exactly as written, after the action above
it and before the next; between clients there is no order. Server lines are cut at CRLF and at
nothing else, so any other line end shows.

Settings: `@profile ngs`, `@rules turn_time_ms=5000` (and `@limits`, `@options`), `@game Countdown` (a
game beside Reversi and Tic-tac-toe), `@house` (the house is in), `@begins first second` (who moves
first in match 1, 2, ...: who waited or challenged, which is usual here, or who came second).

`python -m tests.support.transcripts [--write] FILE ...` prints, or writes, what the server really says.
"""

import re
import socket
import struct
import sys
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import count, groupby
from pathlib import Path
from typing import Any

import attrs
import cattrs
import structlog
import trio
from attrs import Factory, define, frozen
from trio.testing import MockClock, wait_all_tasks_blocked

from games.backgammon import GAME as BACKGAMMON
from games.tavla import GAME as TAVLA
from gameserver.adapter import WireProtocol
from gameserver.core.chance import shuffled
from gameserver.core.policies import Rules
from gameserver.game import Game
from gameserver.journal.log import Journal
from gameserver.journal.memory import MemoryJournal
from gameserver.runtime.limits import Limits
from gameserver.runtime.listener import Address, open_listeners
from gameserver.runtime.server import Listening, Server, Setup
from protocols.strategic import PROTOCOL
from protocols.strategic.options import StrategicOptions
from protocols.strategic.profiles import PROFILES
from tests.support.games import Broken, Countdown, Dice, catalogue
from tests.support.serving import GAMES, NO_PAUSE

HOST = "127.0.0.1"
TEST_GAMES = catalogue(
    Countdown(),
    Dice(),
    BACKGAMMON,
    TAVLA,
    *(Broken(at) for at in ("start", "play", "resigned", "prompt", "outcome")),
)
QUIET_S = 0.001
"""Real time without anything to do after which one client's bytes are taken to have come before another's."""
PATIENCE_S = (0.0, 0.01, 0.1, 0.5)
"""Real time without anything to do after which a line is given up. Only a line that is missing waits so long."""


@frozen
class Settings:
    """What the head of a file says."""

    profile: str = PROTOCOL.profiles[0]
    rules: Rules = NO_PAUSE
    limits: Limits = Factory(Limits)
    options: StrategicOptions = Factory(StrategicOptions)
    games: tuple[Game[Any], ...] = ()
    house: bool = False
    begins: tuple[str, ...] = ()


@frozen
class Said:
    """Something that a client hears: a line, or that the server hangs up."""

    text: str
    who: str


@frozen
class Action:
    """Something that happens."""

    text: str
    verb: str
    who: str = ""
    what: str = ""

    @property
    def given(self) -> dict[str, str]:
        """What follows `connects` and `enters`, by its preposition."""
        words = self.what.split()
        return dict(zip(words[::2], words[1::2], strict=True))


@frozen
class Remark:
    """A line that only people read."""

    text: str


Entry = Action | Said | Remark


@frozen
class Transcript:
    """A file, cut into steps: some actions, and what the clients hear then."""

    head: tuple[str, ...]
    settings: Settings
    steps: tuple[tuple[Entry, ...], ...]

    @property
    def text(self) -> str:
        """The file."""
        return _joined([*self.head, *(entry.text for step in self.steps for entry in step)])

    @property
    def said(self) -> list[str]:
        """Every line of the server."""
        heard = [entry.text for step in self.steps for entry in step if isinstance(entry, Said)]
        return [text.partition(" ")[2] for text in heard if text.startswith("S>")]

    @property
    def asked(self) -> list[str]:
        """Every line of a client."""
        actions = [entry for step in self.steps for entry in step if isinstance(entry, Action)]
        return [action.what for action in actions if action.verb == "sends"]


@frozen
class Manner:
    """How the clients' bytes travel; the conversation must not depend on it."""

    name: str
    line_end: bytes = b"\n"
    bytewise: bool = False
    coalesced: bool = False

    def packets(self, actions: Sequence[Action]) -> list[bytes]:
        """What is to be sent, in the pieces in which it is to be sent."""
        lines = [self.sent(action.what) for action in actions]
        if self.bytewise:
            return [bytes([byte]) for line in lines for byte in line]
        return [b"".join(lines)] if self.coalesced else lines

    def sent(self, text: str) -> bytes:
        """The bytes of one line."""
        unfinished = text.endswith("\\") and not text.endswith("\\\\")
        return to_bytes(text[:-1]) if unfinished else to_bytes(text) + self.line_end


MANNERS = (
    Manner("as written"),
    Manner("byte by byte", bytewise=True),
    Manner("coalesced", coalesced=True),
    Manner("CRLF", b"\r\n"),
    Manner("CRLF byte by byte", b"\r\n", bytewise=True),
    Manner("CR", b"\r"),
)


# Reading a file.


class Unreadable(Exception):
    """The file is no transcript."""


_LINES = (
    (re.compile(r"(?P<who>C\d+)> ?(?P<what>.*)"), "sends"),
    (re.compile(r"(?P<who>C\d+) (?P<verb>connects|enters)(?P<what>(?: (?:as|to|from) \S+)*)"), ""),
    (re.compile(r"(?P<who>C\d+) (?P<verb>half-closes|closes|resets)"), ""),
    (re.compile(r"\+(?P<what>[\d.]+ ?(?:ms|s|min))"), "passes"),
    (re.compile(r"(?P<verb>restart|kill)"), ""),
)
_SAID = re.compile(r"S(?:>| closes | resets )(?P<who>C\d+)\b.*")
_ESCAPED = re.compile(rb"\\(?:x([0-9a-f]{2})|\\)")
_INVISIBLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]| $")
_UNITS_S = {"ms": 0.001, "s": 1, "min": 60}


def read(text: str) -> Transcript:
    """Read a transcript; raises `Unreadable` with the line that is not understood."""
    lines = text.splitlines()
    length = next((number for number, line in enumerate(lines) if line and line[0] not in "#@"), len(lines))
    steps: list[list[Entry]] = [[]]
    remarks: list[Remark] = []
    for number, line in enumerate(lines[length:], length + 1):
        entry = _entry(line, number)
        if isinstance(entry, Remark):
            remarks.append(entry)
            continue
        if isinstance(entry, Action) and any(isinstance(before, Said) for before in steps[-1]):
            steps.append([])
        steps[-1] += [*remarks, entry]
        remarks.clear()
    steps[-1] += remarks
    return Transcript(tuple(lines[:length]), _settings(lines[:length]), tuple(map(tuple, steps)))


def _entry(line: str, number: int) -> Entry:
    if line.endswith((" ", "\t")):
        raise Unreadable(f"line {number} ends with a space, write it \\x20: {line!r}")
    if not line or line.startswith("#"):
        return Remark(line)
    said = _SAID.fullmatch(line)
    if said:
        return Said(line, said["who"])
    for pattern, verb in _LINES:
        found = pattern.fullmatch(line)
        if found:
            return Action(line, **{"verb": verb, **found.groupdict(default="")})
    raise Unreadable(f"line {number} is not understood: {line!r}")


def _settings(head: Sequence[str]) -> Settings:
    settings = Settings()
    for line in head:
        if line.startswith("@"):
            key, *words = line[1:].split()
            try:
                settings = _SETTINGS[key](settings, words)
            except (KeyError, IndexError, ValueError, cattrs.BaseValidationError) as error:
                raise Unreadable(f"no such setting: {line!r}") from error
    return settings


def _evolved(settings: Settings, key: str, words: Sequence[str]) -> Settings:
    """One of the tables of the configuration, with some values of its own."""
    table = getattr(settings, key)
    given = {**attrs.asdict(table), **dict(word.split("=") for word in words)}
    read_table = cattrs.Converter(forbid_extra_keys=True).structure
    return attrs.evolve(settings, **{key: read_table(given, type(table))})


_SETTINGS: Mapping[str, Callable[[Settings, Sequence[str]], Settings]] = {
    "profile": lambda settings, words: attrs.evolve(settings, profile=words[0]),
    "rules": lambda settings, words: _evolved(settings, "rules", words),
    "limits": lambda settings, words: _evolved(settings, "limits", words),
    "options": lambda settings, words: _evolved(settings, "options", words),
    "game": lambda settings, words: attrs.evolve(settings, games=(*settings.games, TEST_GAMES[words[0].lower()])),
    "house": lambda settings, words: attrs.evolve(settings, house=True),
    "begins": lambda settings, words: attrs.evolve(settings, begins=tuple(words)),
}


def to_bytes(text: str) -> bytes:
    """The bytes that a line of a transcript stands for."""
    return _ESCAPED.sub(lambda found: bytes.fromhex(found[1].decode()) if found[1] else b"\\", text.encode())


def to_text(data: bytes) -> str:
    """Bytes as a line of a transcript."""
    text = data.replace(b"\\", b"\\\\").decode(errors="backslashreplace")
    return _INVISIBLE.sub(lambda found: "".join(f"\\x{byte:02x}" for byte in found[0].encode()), text)


def _joined(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


# Playing it.


@define
class Client:
    """One connection. What it hears is noted in `heard`."""

    who: str
    stream: trio.SocketStream
    heard: list[str]
    rest: bytes = b""

    async def listen(self) -> None:
        """Hear everything, to the end."""
        end = "closes"
        try:
            async for data in self.stream:
                self.hear(bytes(data))
        except trio.ClosedResourceError:
            return
        except trio.BrokenResourceError:
            end = "resets"
        self.hear_unfinished()
        self.heard.append(f"S {end} {self.who}")
        await self.stream.aclose()

    def hear(self, data: bytes) -> None:
        """Take bytes of the server."""
        *lines, self.rest = (self.rest + data).split(b"\r\n")
        self.heard.extend(f"S>{self.who} {to_text(line)}" if line else f"S>{self.who}" for line in lines)

    def hear_unfinished(self) -> None:
        """Note a line that has no end."""
        if self.rest:
            self.heard.append(f"S>{self.who} {to_text(self.rest)}\\")
            self.rest = b""

    def cut_off(self) -> None:
        """Have the connection end as a server's does that is no more."""
        if self.stream.socket.fileno() != -1:
            self.stream.socket.close()
            self.heard.append(f"S closes {self.who}")


class FullJournal(MemoryJournal):
    """Keeps every row, also those that a snapshot made superfluous: a kill loses the snapshots."""

    def trim(self, before: int) -> None:
        """Forget nothing."""


@define
class Stage:
    """The server and its clients, and the hand that moves them."""

    settings: Settings
    manner: Manner
    nursery: trio.Nursery
    journal: Journal = Factory(FullJournal)
    clients: dict[str, Client] = Factory(dict)
    heard: defaultdict[str, list[str]] = Factory(lambda: defaultdict(list))
    ports: dict[str, int] = Factory(dict)
    server: Server | None = None
    stopped: trio.Event = Factory(trio.Event)

    async def start(self) -> None:
        """Start a server on the journal, with a listener for each profile."""
        settings = self.settings
        protocol: WireProtocol = PROTOCOL
        sockets = {profile: open_listeners(Address(HOST, 0)) for profile in protocol.profiles}
        self.ports = {profile: opened[0].getsockname()[1] for profile, opened in sockets.items()}
        setup = Setup(
            games={**GAMES, **catalogue(*settings.games)},
            listening=tuple(
                Listening(protocol, tuple(opened), profile, settings.options) for profile, opened in sockets.items()
            ),
            rules=settings.rules,
            limits=settings.limits,
            house=settings.house,
            new_seed=lambda: lucky_seed(settings.begins),
        )
        self.server = Server(setup, self.journal)
        self.stopped = trio.Event()
        await self.nursery.start(self._run, self.server)

    async def _run(self, server: Server, task_status: trio.TaskStatus[None]) -> None:
        await server.run(task_status)
        self.stopped.set()

    async def stop(self) -> None:
        """Stop the server in good order."""
        assert self.server is not None
        self.server.request_stop()
        await self.stopped.wait()

    async def perform(self, step: Sequence[Entry]) -> list[str]:
        """Carry out a step; the same step with what the server really said in it."""
        actions = [entry for entry in step if isinstance(entry, Action)]
        for number, ((verb, who), group) in enumerate(groupby(actions, key=lambda action: (action.verb, action.who))):
            if number:
                await wait_all_tasks_blocked(QUIET_S)
            if verb == "sends":
                await self._send(who, self.manner.packets(list(group)))
            else:
                for action in group:
                    await VERBS[verb](self, action)
        await self._settle(Counter(entry.who for entry in step if isinstance(entry, Said)))
        return list(self._told(step))

    async def _send(self, who: str, packets: Sequence[bytes]) -> None:
        # A server that hung up hears nothing more, and what is missing then shows.
        with suppress(trio.ClosedResourceError, trio.BrokenResourceError):
            for packet in packets:
                await self.clients[who].stream.send_all(packet)
                await wait_all_tasks_blocked()

    async def _settle(self, awaited: Mapping[str, int]) -> None:
        """Let everything come to rest. Virtual time stands meanwhile."""
        for quiet_s in PATIENCE_S if awaited else (QUIET_S,):
            await wait_all_tasks_blocked(quiet_s)
            if all(len(self.heard[who]) >= lines for who, lines in awaited.items()):
                return

    def _told(self, step: Sequence[Entry]) -> Iterator[str]:
        for client in self.clients.values():
            client.hear_unfinished()
        for entry in step:
            if not isinstance(entry, Said):
                yield entry.text
            elif self.heard[entry.who]:
                yield self.heard[entry.who].pop(0)
        actor = next((entry.who for entry in reversed(step) if isinstance(entry, Action)), "")
        for who in sorted(self.heard, key=lambda who: who != actor):
            yield from self.heard[who]
            self.heard[who].clear()

    async def connects(self, action: Action) -> None:
        """Open a connection. The kernel accepts it, whatever the server is doing."""
        given = action.given
        port = self.ports[given.get("to", self.settings.profile)]
        sock = socket.create_connection((HOST, port), source_address=(given.get("from", HOST), 0))
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        stream = trio.SocketStream(trio.socket.from_stdlib_socket(sock))
        client = Client(action.who, stream, self.heard[action.who])
        self.clients[action.who] = client
        self.nursery.start_soon(client.listen)

    async def enters(self, action: Action) -> None:
        """Connect and log in; what is usual about it is not told."""
        heard = self.heard[action.who]
        before = len(heard)
        await self.connects(action)
        await self._settle({action.who: before + 2})
        await self._send(action.who, [f"login {action.given['as']}\n".encode()])
        await self._settle({action.who: before + 3})
        banner = PROFILES[action.given.get("to", self.settings.profile)].banner
        if heard[before : before + 3] == [f"S>{action.who} {line}" for line in (*banner, "OK")]:
            del heard[before : before + 3]

    async def half_closes(self, action: Action) -> None:
        """Send the end of the stream, and read on."""
        await self.clients[action.who].stream.send_eof()

    async def closes(self, action: Action) -> None:
        """Close in good order."""
        await self.clients[action.who].stream.aclose()

    async def resets(self, action: Action) -> None:
        """Close as a program does that dies with something unsaid."""
        stream = self.clients[action.who].stream
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        await stream.aclose()

    async def passes(self, action: Action) -> None:
        """Let time pass."""
        found = re.fullmatch(r"([\d.]+) ?(\w+)", action.what)
        assert found is not None
        await trio.sleep(float(found[1]) * _UNITS_S[found[2]])

    async def restarts(self, action: Action) -> None:
        """Stop the server and start it again."""
        await self.stop()
        await self.start()

    async def is_killed(self, action: Action) -> None:
        """Save what a dead server leaves behind, the journal's rows, before this one can say a word; then restart."""
        left = FullJournal()
        left.append(list(self.journal.read_from(1)), list(self.journal.read_records()))
        for client in self.clients.values():
            client.cut_off()
        await self.stop()
        self.journal = left
        await self.start()


VERBS: Mapping[str, Callable[[Stage, Action], Awaitable[None]]] = {
    "connects": Stage.connects,
    "enters": Stage.enters,
    "half-closes": Stage.half_closes,
    "closes": Stage.closes,
    "resets": Stage.resets,
    "passes": Stage.passes,
    "restart": Stage.restarts,
    "kill": Stage.is_killed,
}


@lru_cache
def lucky_seed(begins: tuple[str, ...], matches: int = 8) -> str:
    """A seed whose lots fall as wished."""
    wished = (*begins, *["first"] * (matches - len(begins)))
    for number in count():
        seed = f"{number:064x}"
        lots = (shuffled(("first", "second"), seed, "seats", match)[0] for match in count(1))
        if all(lot == wish for lot, wish in zip(lots, wished, strict=False)):
            return seed
    raise AssertionError


async def perform(transcript: Transcript, manner: Manner = MANNERS[0]) -> str:
    """The transcript as it really goes. Needs a clock that jumps."""
    lines = list(transcript.head)
    async with trio.open_nursery() as nursery:
        stage = Stage(transcript.settings, manner, nursery)
        await stage.start()
        for step in transcript.steps:
            lines += await stage.perform(step)
        await wait_all_tasks_blocked(QUIET_S)
        lines += stage._told(())
        for client in stage.clients.values():
            await client.stream.aclose()
        await stage.stop()
    return _joined(lines)


def main(arguments: Sequence[str]) -> None:
    """Print what the server says, or write it into the files."""
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    for name in arguments:
        if name != "--write":
            path = Path(name)
            clock: Any = MockClock(autojump_threshold=0)
            said = trio.run(perform, read(path.read_text("utf-8")), clock=clock)
            if "--write" in arguments:
                path.write_text(said, "utf-8")
            else:
                sys.stdout.write(said)


if __name__ == "__main__":
    main(sys.argv[1:])
