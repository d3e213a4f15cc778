"""The dialects of the hub of GammonX, and of HTTP: records, requests and WebSockets."""

import json
import re
from random import Random
from typing import Any

from gameserver.core.commands import Against, Book
from gameserver.http.listener import HttpProtocol
from protocols.gammonx import GammonXProtocol
from protocols.gammonx.schema import LATER_METHODS, MatchModus, match_guid, player_name
from protocols.mastermind import PROTOCOL as MASTERMIND
from protocols.web import PROTOCOL as WEB
from tests.clients.websocket import Frames, handshake, request
from tests.fuzz.dialect import Dialect, spoken
from tests.fuzz.mutation import bent
from tests.simulation.power import Machine

GUID = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
PLAYERS = tuple(f"{digit * 8}-0000-4000-8000-{digit * 12}" for digit in "abcdef")
NUMBERS = (-100, -1, 0, 1, 2, 3, 5, 11, 23, 24, 25, 100, 1 << 31, -(1 << 63))
HUB_METHODS = {method.__name__ for method in LATER_METHODS}
SEPARATOR = b"\x1e"
GREETING = b'{"protocol":"json","version":1}' + SEPARATOR
VALUES = (None, True, "", "x" * 2_000, "\ud800", "\x00", -1, 1 << 70, 1.5, 1e300, [], {}, [[]] * 9, {"a": [None]})


def hub_record(chance: Random, heard: bytes, ids: tuple[str, ...], player: str) -> bytes:
    """The messages of a client of the hub."""
    roll = chance.random()
    if roll < 0.005:
        return b'{"protocol":"json","version":%d}' % chance.choice((0, 1, 2)) + SEPARATOR
    if roll < 0.03:
        rare = (b'{"type":5,"invocationId":"1"}', b'{"type":3}', b"{}")
        return chance.choice((b'{"type":6}',) * 9 + rare) + SEPARATOR
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
    """The hub, without HTTP around it. Each connection is one of six players, who has asked for a match."""

    right_share = 0.93
    unfinished_bytes_max = 34_000
    probe = b'{"type":6}\x1e{"type":1,"invocationId":"probe","target":"NoSuchThing","arguments":[]}\x1e'
    end = SEPARATOR

    def __init__(self) -> None:
        self.protocol = GammonXProtocol()
        self._machine: Machine | None = None
        self._greeted: set[int] = set()

    def connects(self, machine: Machine, number: int) -> None:
        self._machine = machine
        player = PLAYERS[number % len(PLAYERS)]
        modus = MatchModus.BOT if number % 5 == 4 else MatchModus.NORMAL
        round_ = number // len(PLAYERS)
        wishes = {"length": ("cash", "5 points")[round_ % 2]}
        seat = {"by_hand": True, "plays_opening_dice": number % 2 == 1}
        against = Against.HOUSE if modus is MatchModus.BOT else Against.ANYBODY
        name, game = player_name(player), ("Backgammon", "Tavla", "Tavli")[round_ % 3]
        match_id = match_guid(f"search {number}", modus)
        machine.ask(Book(1_000_000, match_id, name, player, "10.0.0.1", game, wishes, seat, against))

    def right(self, chance: Random, number: int, heard: bytes) -> bytes:
        if number not in self._greeted and chance.random() < 0.9:
            self._greeted.add(number)
            return GREETING
        assert self._machine is not None, "it is told of each connection"
        lobby, player = self._machine.lobby, PLAYERS[number % len(PLAYERS)]
        places = [(seat.identity, seat.ticket) for match in lobby.matches.values() for seat in match.seats]
        places += [(ticket.booked.identity, ticket.id) for ticket in lobby.tickets.values()]
        ids = tuple(id_ for _, id_ in places if id_) or PLAYERS
        own = tuple(id_ for identity, id_ in places if identity == player)
        return hub_record(chance, heard, own * 9 * len(ids) + ids, player)

    def check_message(self, message: bytes) -> None:
        json.loads(message)


PATHS = (
    *("/", "/health", "/api/matches", "/matches", "/play", "/players/a", "/metrics", "/nowhere", "/%00/../x"),
    *("/api/matches/join", "/game/api/matches/join") * 3,
    *("/game/api/matches/queues/{guid}?playerId={player}", "/game/api/matches/queues/{guid}/cancel"),
    *("/api/matches/queues/{guid}", "/matchhub/negotiate?negotiateVersion=1", "/matchhub", "/echo"),
)
SOCKETS = (
    *("/echo", "/matchhub", "/game/matchhub?matchId={guid}&playerId={player}", "/matchhub?id=nobody"),
    "/play/socket",
)


class Http(Dialect):
    """Requests, and WebSockets with the hub's records or lines of Mastermind in their messages."""

    right_share = 0.93
    unfinished_bytes_max = 400_000

    def __init__(self) -> None:
        self.protocol = HttpProtocol([MASTERMIND, GammonXProtocol(), WEB])
        self._frames: dict[int, Frames] = {}
        self._guids: list[bytes] = [PLAYERS[0].encode()]

    def right(self, chance: Random, number: int, heard: bytes) -> bytes:
        self._guids += GUID.findall(heard)[:4]
        del self._guids[:-50]
        frames = self._frames.get(number)
        if frames is not None and frames.is_open:
            return self._message(chance, number, frames, heard)
        player = PLAYERS[number % len(PLAYERS)]
        guid = chance.choice(self._guids).decode()
        if chance.random() < 0.2:
            self._frames[number] = Frames(chance)
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

    def _message(self, chance: Random, number: int, frames: Frames, heard: bytes) -> bytes:
        roll = chance.random()
        if roll < 0.02:
            return frames.goodbye()
        if roll < 0.3:
            return frames.message(chance.choice(spoken("mastermind_", "web")))
        if roll < 0.45:
            return frames.message(GREETING)
        ids = tuple(guid.decode() for guid in self._guids)
        return frames.message(hub_record(chance, heard, ids, PLAYERS[number % len(PLAYERS)]))

    def check(self, number: int, said: bytes) -> None:
        frames = self._frames.get(number)
        if frames is not None:
            list(frames.feed(said))
