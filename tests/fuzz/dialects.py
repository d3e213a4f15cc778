"""The protocols as the fuzzer speaks them: adapters, what clients send that is right, and what is well formed.

What is right comes from the transcripts, and from what clients say in the course of a game. Where
that depends on the server's words (ids, legal moves), it is picked from what it said last.
"""

import itertools
import json
import re
from abc import ABC, abstractmethod
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, ClassVar

from gameserver.core.messages.commands import Against, Book
from gameserver.http.host_context import HostContext
from gameserver.http.listener import HttpProtocol
from gameserver.protocol import Accepted, Adapter, Context, Peer, WireProtocol
from protocols.connect_four import PROTOCOL as CONNECT_FOUR
from protocols.gammonx import PROTOCOL as GAMMONX
from protocols.gammonx.guids import match_guid, player_name
from protocols.gammonx.hub_methods import LATER_COMMANDS
from protocols.gammonx.numbers import MatchModus
from protocols.mastermind import PROTOCOL as MASTERMIND
from protocols.strategic import PROTOCOL as STRATEGIC
from protocols.web import PROTOCOL as WEB
from tests.fuzz.mutation import bent
from tests.simulation.websocket import Frames, handshake, request
from tests.support.lobbies import LobbyHarness
from tests.support.own_plugins import OWN
from tests.support.transcripts.text import to_bytes

TRANSCRIPTS = Path(__file__).parents[1] / "protocols" / "transcripts"
GAMES = {game.name.lower(): game for game in OWN.games.values()}
GUID = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
PLAYERS = tuple(f"{digit * 8}-0000-4000-8000-{digit * 12}" for digit in "abcdef")
NUMBERS = (-100, -1, 0, 1, 2, 3, 5, 11, 23, 24, 25, 100, 1 << 31, -(1 << 63))


class IllFormed(Exception):
    """What the server said is not what its protocol has."""


@cache
def spoken(*prefixes: str, beside: tuple[str, ...] = ()) -> tuple[bytes, ...]:
    """The lines that clients send in the transcripts whose names begin so, or do not begin so."""
    lines = [
        to_bytes(line)
        for path in sorted(TRANSCRIPTS.glob("*.txt"))
        if path.name.startswith(prefixes or ("",)) and not (beside and path.name.startswith(beside))
        for line in re.findall(r"^C\d> (.*)$", path.read_text("utf-8"), re.MULTILINE)
    ]
    return tuple(dict.fromkeys(line for line in lines if len(line) < 1_000))


class Dialect(ABC):
    """One protocol."""

    protocol: ClassVar[WireProtocol]
    right_share: ClassVar[float] = 0.45
    """How much of what is sent is left as it is; or nobody would get anywhere."""
    unfinished_bytes_max: ClassVar[int] = 17_000
    """How much a connection may keep, beyond a new one, of something that has been begun."""
    bytes_max: ClassVar[int] = 500
    """How much it may keep at rest."""
    probe: ClassVar[bytes | None]
    """What ends whatever was begun, and then asks what must be answered; None where there is no such thing."""
    patience_ms: ClassVar[int] = 0
    """How long it may take until a connection that has nothing to say is let go, where there is no probe."""

    def __init__(self) -> None:
        self._ids = itertools.count()

    def adapter(self, peer: Peer, number: int) -> Adapter:
        """A new connection's."""
        profiles = self.protocol.profiles
        options = self.protocol.options_type()
        names = tuple(sorted(game.name for game in GAMES.values()))
        kind = HostContext if self.protocol.carries_others else Context
        context = kind(profiles[number % len(profiles)], options, names, new_id=self._new_id)
        return self.protocol.adapter(peer, context)

    def _new_id(self) -> str:
        return f"id-{next(self._ids):017}"

    def connected(self, harness: LobbyHarness, session: int) -> None:  # noqa: B027 - most need nothing
        """Somebody is about to connect."""

    @abstractmethod
    def right(self, chance: Random, session: int, heard: bytes) -> bytes:
        """What a client might say, given what it heard last."""

    def check(self, session: int, said: bytes) -> None:  # noqa: B027 - not all can be looked at
        """Whether this is well formed. Raises `IllFormed`."""


class Strategic(Dialect):
    protocol = STRATEGIC
    probe = b"\xff\xf0\xff\xf0\r\nhelp\r\n"  # twice the end of telnet's options: the first may complete one begun

    def right(self, chance: Random, session: int, heard: bytes) -> bytes:
        line = chance.choice(spoken(beside=("connect_four", "gammonx", "mastermind_", "web", "meeting_web")))
        if chance.random() < 0.2:
            line = b"login " + chance.choice((b"ann", b"bob", b"tim"))
        elif chance.random() < 0.2:
            line = b'challenge "%s" "%s"' % (chance.choice((b"ann", b"bob", b"house-random")), _game(chance))
        elif chance.random() < 0.1:
            line = b"challenge accept %d" % chance.randint(0, 9)
        elif chance.random() < 0.2:
            line = b"move %d" % chance.randint(0, 70)
        elif chance.random() < 0.1:
            line = b"subscribe " + _game(chance)
        return line + chance.choice((b"\r\n", b"\n"))

    def check(self, session: int, said: bytes) -> None:
        text = said.decode("utf-8")
        if not text.endswith("\n") or re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", text):
            raise IllFormed(repr(said[-300:]))


def _game(chance: Random) -> bytes:
    return chance.choice(sorted(game.name for game in GAMES.values())).encode()


class ConnectFour(Dialect):
    protocol = CONNECT_FOUR
    probe = b'\n{"action":"no such thing"}\n'

    def right(self, chance: Random, session: int, heard: bytes) -> bytes:
        if chance.random() < 0.2:
            return chance.choice(spoken("connect_four")) + b"\n"
        said: dict[str, Any] = {"action": "connect", "name": chance.choice("abcdef")}
        if b"make move" in heard or (b"moved" in heard and chance.random() < 0.5):
            said = {"action": "move", "move": chance.choice("abcd") + chance.choice("0123")}
        elif b"lobby message" in heard:
            said = {"action": "join", "room number": chance.randint(0, 1)}
        elif b"game" in heard:
            said = {"action": chance.choice(("start", "start", "restart", "move", "exit game")), "move": "a0"}
        return json.dumps(said).encode() + b"\n"

    def check(self, session: int, said: bytes) -> None:
        for line in said.decode("utf-8").split("\n"):
            if line:
                json.loads(line)


class Mastermind(Dialect):
    protocol = MASTERMIND
    probe = b"\nno such thing\n"

    def right(self, chance: Random, session: int, heard: bytes) -> bytes:
        if chance.random() < 0.3:
            colours = [chance.randrange(6) for _ in range(4)]
            return b'1|{"Guess":%s}\n' % json.dumps(colours).encode()
        return chance.choice(spoken("mastermind_")) + b"\n"

    def check(self, session: int, said: bytes) -> None:
        for line in said.decode("utf-8").split("\n"):
            if line:
                number, bar, content = line.partition("|")
                if not (number.isdigit() and bar):
                    raise IllFormed(line[:300])
                json.loads(content)


class Web(Dialect):
    protocol = WEB
    probe = b'\n{"do":"ping"}\n'

    def right(self, chance: Random, session: int, heard: bytes) -> bytes:
        told = _last_told(heard)
        if chance.random() < 0.3:
            return chance.choice(spoken("web", "meeting_web")) + b"\n"
        name = chance.choice("abcdef")
        said: dict[str, Any] = {"do": "login", "name": name, "key": name * 22}
        if told == "board" and chance.random() < 0.7:
            said = {"do": "move", "move": chance.choice(_moves_in(heard) or ["roll"])}
        elif told in {"match", "turn", "moved"}:
            said = {"do": chance.choice(("board", "board", "board", "resign", "list", "games"))}
        elif told in {"paired", "seat ready"}:
            said = {"do": "ready"}
        elif told == "challenged":
            said = {"do": "accept"}
        elif told != "hello" and chance.random() < 0.7:
            to = chance.choice([*"abcdef", "house-random"])
            said = {"do": chance.choice(("seek", "challenge")), "game": _game(chance).decode(), "to": to}
        if chance.random() < 0.3:
            said["id"] = chance.choice((7, "x", 2**53, None, 1.5))
        return json.dumps(said).encode() + b"\n"

    def check(self, session: int, said: bytes) -> None:
        for line in said.decode("utf-8").split("\n"):
            if line and not isinstance(json.loads(line)["tell"], str):
                raise IllFormed(line[:300])


def _last_told(heard: bytes) -> str:
    found = re.findall(rb'"tell":"([a-z ]+)"', heard)
    return found[-1].decode() if found else ""


def _moves_in(heard: bytes) -> list[str]:
    """The legal moves that a board was told with."""
    found = re.findall(rb'"moves":(\[[^\]]*\]),"moves_total"', heard)
    return json.loads(found[-1]) if found else []


HUB_METHODS = {method.__name__ for method in LATER_COMMANDS}
SEPARATOR = b"\x1e"


def hub_record(chance: Random, heard: bytes, ids: tuple[str, ...], player: str) -> bytes:
    """What a client of the hub says."""
    roll = chance.random()
    if roll < 0.005:
        return b'{"protocol":"json","version":%d}' % chance.choice((0, 1, 2)) + SEPARATOR
    if roll < 0.03:
        return (
            chance.choice((b'{"type":6}',) * 9 + (b'{"type":5,"invocationId":"1"}', b'{"type":3}', b"{}")) + SEPARATOR
        )
    allowed = [name.decode() for name in re.findall(rb'"(\w+)"', heard.rpartition(b"allowedCommands")[2])]
    known = [name for name in allowed if name in HUB_METHODS and not name.startswith("Resign")]
    method = chance.choice(known) if known and roll < 0.75 else chance.choice(sorted(HUB_METHODS))
    if b"allowedCommands" not in heard and roll < 0.75:
        method = "JoinMatch"
    elif b"_STATE_ERROR" in heard and roll < 0.5:
        method = chance.choice(("JoinMatch", "StartMatch", "StartGame"))
    arguments: list[Any] = [chance.choice(ids)]
    if method == "JoinMatch":
        arguments.append(player)
    elif method == "Move":
        legal = re.findall(rb'"from":(-?\d+),"to":(-?\d+)', heard)
        arguments += map(int, chance.choice(legal)) if legal else [chance.choice(NUMBERS), chance.choice(NUMBERS)]
    call = {"type": chance.choice((1,) * 9 + (4,)), "target": method, "arguments": arguments}
    if chance.random() < 0.9:
        call["invocationId"] = str(chance.randrange(100))
    if chance.random() < 0.15:
        _bend_values(chance, call if chance.random() < 0.1 else arguments)
    return json.dumps(call).encode() + SEPARATOR


VALUES = (
    None,
    True,
    "",
    "x" * 2_000,
    "\ud800",
    "\x00",
    -1,
    1 << 70,
    1.5,
    1e300,
    [],
    {},
    [[]] * 9,
    {"a": {"b": [None]}},
)


def _bend_values(chance: Random, where: Any) -> None:
    """Put something else into an object or a list, which stays right as JSON."""
    keys = list(where) if isinstance(where, dict) else list(range(len(where)))
    match chance.randrange(3):
        case 0 if keys:
            del where[chance.choice(keys)]
        case 1 if isinstance(where, list):
            where.append(chance.choice(VALUES))
        case _ if keys:
            where[chance.choice(keys)] = chance.choice(VALUES)


class GammonX(Dialect):
    """The hub, without HTTP around it."""

    protocol = GAMMONX
    right_share = 0.93
    unfinished_bytes_max = 34_000
    bytes_max = 1_000
    probe = (
        b'{"type":6}'
        + SEPARATOR
        + b'{"type":1,"invocationId":"probe","target":"NoSuchThing","arguments":[]}'
        + SEPARATOR
    )

    def __init__(self) -> None:
        super().__init__()
        self._searches: dict[str, str] = {}
        """The last search of each player."""
        self._booked: dict[int, tuple[str, str]] = {}
        self._greeted: set[int] = set()

    def connected(self, harness: LobbyHarness, session: int) -> None:
        """Book a search."""
        number = len(self._booked)
        player = PLAYERS[number % len(PLAYERS)]
        modus = MatchModus.BOT if number % 5 == 4 else MatchModus.NORMAL
        match_id = match_guid(f"search {number}", modus)
        wishes = {"length": ("cash", "5 points")[number // len(PLAYERS) % 2]}
        seat = {"by_hand": True, "plays_opening_dice": number % 2 == 1}
        against = Against.HOUSE if modus is MatchModus.BOT else Against.ANYBODY
        name, game = player_name(player), ("Backgammon", "Tavla", "Tavli")[number // len(PLAYERS) % 3]
        booking = Book(90, match_id, name, player, "10.0.0.1", game, wishes, seat, against)
        if isinstance(harness.do(booking), Accepted):
            self._searches[player] = match_id
        self._booked[session] = self._searches[player], player

    def right(self, chance: Random, session: int, heard: bytes) -> bytes:
        if session not in self._greeted and chance.random() < 0.9:
            self._greeted.add(session)
            return b'{"protocol":"json","version":1}' + SEPARATOR
        own, player = self._booked[session]
        ids = tuple(match_id for match_id, _ in self._booked.values())
        return hub_record(chance, heard, (own,) * 9 * len(ids) + ids, player)

    def check(self, session: int, said: bytes) -> None:
        records = said.split(SEPARATOR)
        if records.pop():
            raise IllFormed(f"a record without its end: {said[-300:]!r}")
        for record in records:
            json.loads(record)


PATHS = (
    "/",
    "/health",
    "/api/matches",
    "/api/matches/join",
    "/api/matches/join",
    "/api/matches/join",
    "/game/api/matches/join",
    "/game/api/matches/join",
    "/game/api/matches/queues/{guid}?playerId={player}",
    "/api/matches/queues/{guid}",
    "/game/api/matches/queues/{guid}/cancel",
    "/matchhub/negotiate?negotiateVersion=1",
    "/matchhub",
    "/echo",
    "/nowhere",
    "/%00/../x",
)
SOCKETS = ("/echo", "/matchhub", "/game/matchhub?matchId={guid}&playerId={player}", "/matchhub?id=nobody")


class Http(Dialect):
    """Requests, and WebSockets with the hub's records or lines of Mastermind in their messages."""

    protocol = HttpProtocol([MASTERMIND, GAMMONX])
    right_share = 0.93
    unfinished_bytes_max = 400_000
    probe = None
    patience_ms = 200_000

    def __init__(self) -> None:
        super().__init__()
        self._frames: dict[int, Frames] = {}
        self._guids: list[bytes] = [PLAYERS[0].encode()]

    def right(self, chance: Random, session: int, heard: bytes) -> bytes:
        self._guids += GUID.findall(heard)[:4]
        del self._guids[:-50]
        frames = self._frames.get(session)
        if frames is not None and frames.is_open:
            return self._message(chance, session, frames, heard)
        player = PLAYERS[session % len(PLAYERS)]
        guid = chance.choice(self._guids).decode()
        if chance.random() < 0.2:
            self._frames[session] = Frames(chance)
            return handshake(chance.choice(SOCKETS).format(guid=guid, player=player))
        body: dict[str, Any] = {
            "PlayerId": player,
            "MatchVariant": chance.randint(0, 2),
            "MatchModus": chance.choice((0, 0, 1, 2)),
        }
        if chance.random() < 0.3:
            _bend_values(chance, body)
        written = json.dumps(body).encode()
        if chance.random() < 0.1:
            written = bent(chance, written)
        method = chance.choice(("GET", "POST", "POST", "POST", "POST", "POST", "OPTIONS", "HEAD", "DELETE"))
        return request(method, chance.choice(PATHS).format(guid=guid, player=player), written)

    def _message(self, chance: Random, session: int, frames: Frames, heard: bytes) -> bytes:
        if chance.random() < 0.02:
            return frames.goodbye()
        if chance.random() < 0.3:
            return frames.message(chance.choice(spoken("mastermind_")))
        if chance.random() < 0.2:
            return frames.message(b'{"protocol":"json","version":1}' + SEPARATOR)
        ids = tuple(guid.decode() for guid in self._guids)
        return frames.message(hub_record(chance, heard, ids, PLAYERS[session % len(PLAYERS)]))

    def check(self, session: int, said: bytes) -> None:
        frames = self._frames.get(session)
        if frames is not None:
            list(frames.feed(said))


DIALECTS: dict[str, type[Dialect]] = {
    "strategic": Strategic,
    "connect-four": ConnectFour,
    "mastermind": Mastermind,
    "gammonx": GammonX,
    "web": Web,
    "http": Http,
}
