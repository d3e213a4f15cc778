"""The readers of web pages: spectators, who see what everybody may, and the operator at the admin listener.

Whatever a page shows must be on the disk, and a position's hidden parts and all other secrets must not be on it
(`secrets` looks at every byte). Of two servers, one that leads no more shows nothing to a reader who asks it then.
"""

import html
import re
from collections.abc import Iterator, Mapping
from random import Random
from types import MappingProxyType
from typing import Any, ClassVar
from urllib.parse import quote

import h11
import orjson
from attrs import define, field

from gameserver.halls import FIRST_WORD
from gameserver.http.application import WAITING
from gameserver.read_model.read_model import records_at
from gameserver.read_model.replay import HIDDEN
from tests.simulation.client import Client
from tests.simulation.violation import Violation

TOKEN = "the-operators-own-token"
PAGES = (
    "/",
    "/matches/live",
    "/matches",
    "/tournaments",
    "/players/ann",
    "/metrics",
    "/api/v1/lobby",
    *["/health"] * 4,
)
OF_A_MATCH = ("/matches/{}", "/matches/{}", "/matches/{}/events", "/api/v1/matches/{}", "/api/v1/matches/{}")
OF_A_TOURNAMENT = ("/tournaments/{}", "/tournaments/{}/events", "/api/v1/tournaments/{}")
EXPECTED = frozenset({200, 400, 404, 409, 503})
"""503 is the answer of a server that stops; 400, 404 and 409 are refusals of what is over by now."""
SLOW_MS = 30_000
"""Time that a request has to come whole, before 408; the first one's begins with its connection."""
_STEP = re.compile(r'<li id="m\d+".*?<span class="mover"(?: title="(.*?)")?>.*?<b class="text">(.*?)</b>', re.DOTALL)


@define(eq=False)
class Spectator(Client):
    """A reader with one connection that is kept open from page to page."""

    listener: ClassVar[str] = "http"
    host: ClassVar[str] = "10.9.9.9"
    last_pages: ClassVar[tuple[str, ...]] = ("/health", "/api/v1/lobby", "/")
    headers: tuple[tuple[str, str], ...] = ()
    asked: str = ""
    """The path of the page that it waits for, or whose changes it follows."""
    _asks_since_ms: int = 0
    """Time from which the server may count how long the request takes to come."""
    _led: bool = True
    """True if the server led when it was asked."""
    _status: int = 0
    _body: bytearray = field(factory=bytearray)
    _http: h11.Connection = field(init=False)
    _shown: dict[int, int] = field(factory=dict)
    """By match: the moves that it has seen."""
    _true: dict[int, tuple[int, bool]] = field(factory=dict)
    """By match: the moves, draws too, that were on the disk when the page was sent, and whether it was on record."""
    _last: set[str] = field(factory=set)
    """The pages that it has seen in the calm."""

    def begin(self, chance: Random) -> None:
        self._asks_since_ms = self.world.real_ms
        self.forget()

    def forget(self) -> None:
        self.asked, self._http = "", h11.Connection(h11.CLIENT)
        self._body.clear()

    def act(self) -> None:
        roll = self.chance.random()
        if self.wire is None:
            if roll < 0.1 and self.may_connect():
                self.connect()
        elif roll < 0.01:
            self.wire.cut() if self.chance.random() < 0.5 else self.hang_up()
        elif roll < 0.02:
            self.deaf_until_ms = self.world.real_ms + self.chance.randint(50, 8_000)
        elif roll < 0.1 and not self.asked:
            self._ask(*self._wish())
        elif roll < 0.04:
            self.hang_up()  # it has seen enough of a stream, or waited long enough

    def tend(self) -> None: ...

    def wind_up(self) -> None:
        process = self.world.process
        if not self.is_connected():
            return
        if process is None or self.wire.machine != process.number or self.asked.endswith("/events"):
            self.hang_up()
        elif not self.asked and (left := self._left()):
            self._ask("GET", left[0])

    @property
    def unsettled(self) -> str:
        return "every page that is asked for is shown" if self.asked or self._left() else ""

    def hear(self, data: bytes) -> None:
        try:
            self._http.receive_data(data)
            while self.wire is not None and (event := self._http.next_event()) not in (h11.NEED_DATA, h11.PAUSED):
                self._take(event)
        except h11.RemoteProtocolError as error:
            raise Violation("responses are well formed", f"{self} asked for {self.asked!r}: {error}") from error

    def sent(self) -> None:
        """Note what is true now, as the server begins to send a page."""
        if self._true and not self.asked.endswith("/events"):
            return
        self._true = {match.id: (match.moves_made, False) for match in self.world.truth.lobby.matches.values()}
        self._true |= {match: (len(record.moves), True) for match, record in self.world.auditor.records.items()}

    def _left(self) -> list[str]:
        """Give the pages that it has yet to see in the calm."""
        matches = [] if self.headers else [f"/matches/{match}" for match in list(self.world.auditor.records)[-1:]]
        return [path for path in (*self.last_pages, *matches) if path not in self._last]

    def _wish(self) -> tuple[str, str, dict[str, Any]]:
        """Draw a page to ask for: of the lobby, of a match, or of a tournament."""
        chance, lobby = self.chance, self.world.truth.lobby
        matches = [*lobby.matches, *list(self.world.auditor.records)[-3:]]
        if matches and chance.random() < 0.5:
            return "GET", chance.choice(OF_A_MATCH).format(chance.choice(matches)), {}
        if lobby.tournaments and chance.random() < 0.5:
            return "GET", chance.choice(OF_A_TOURNAMENT).format(chance.choice(list(lobby.tournaments))), {}
        others = [hall for hall in self.world.halls if hall is not self.world and hall.auditor.records]
        if others and chance.random() < 0.5:
            other = chance.choice(others)
            at, match = records_at(other.hall.name), chance.choice(list(other.auditor.records))
            return "GET", f"{at}/api/v1/matches/{match}", {}
        return "GET", chance.choice(PAGES), {}

    def _ask(self, method: str, path: str, content: Mapping[str, Any] = MappingProxyType({})) -> None:
        if not self.can_speak or self._http.our_state is not h11.IDLE:
            self.hang_up()
            return
        self._true = {}
        if self.wire.sent_bytes:
            self._asks_since_ms = self.world.real_ms
        self.asked, self._led = path, self.world.leads(self.wire.machine)
        body = orjson.dumps(content) if content else b""
        headers = [("Host", self.host), ("Content-Length", str(len(body))), *self.headers]
        request = self._http.send(h11.Request(method=method, target=path, headers=headers)) or b""
        self.send(request + body, f"{method} {path} {content or ''}")
        if body:
            self._http.send(h11.Data(data=body))
        self._http.send(h11.EndOfMessage())

    def _take(self, event: Any) -> None:
        if isinstance(event, h11.Response):
            self._status = event.status_code
            self.world.count(f"page {'events' if self.asked.endswith('/events') else event.status_code}")
            is_slow = event.status_code == 408 and self.world.real_ms - self._asks_since_ms >= SLOW_MS
            if event.status_code not in EXPECTED and not is_slow:
                raise Violation("a page is shown or refused", f"{self} asks for {self.asked} and hears {event}")
        elif isinstance(event, h11.Data):
            self._body += event.data
            if self.asked.endswith("/events"):
                self._follow()
        elif isinstance(event, h11.EndOfMessage):
            body, path = bytes(self._body), self.asked
            self.asked = ""
            self._body.clear()
            if self._status == 200:
                self._look(path, body)
                if self.world.calm and not (path.startswith("/matches/") and b"data-events" in body):
                    self._last.add(path)  # but not the page of a match that still seems to go on
            if self._http.their_state is h11.DONE and self._http.our_state is h11.DONE:
                self._http.start_next_cycle()
            else:
                self.hang_up()
        elif isinstance(event, h11.ConnectionClosed):
            self.hang_up()

    def _look(self, path: str, body: bytes) -> None:
        if not (self._led or self.world.leads(self.wire.machine)) and body.decode() != WAITING:
            raise Violation("only the leader shows pages", f"{self} is shown {path} by machine {self.wire.machine}")
        if path.startswith("/halls/"):
            self._look_into_another_hall(path, body)
            return
        place, _, number = path.removeprefix("/api/v1").rpartition("/")
        if place == "/matches" and number.isdigit():
            if path.startswith("/api"):
                told = orjson.loads(body)
                players = [seat["player"] for seat in told["seats"]]
                movers = {None: "", **dict(enumerate(players))}
                steps = [(movers[one["seat"]], one["text"]) for one in told["steps"]]
                self._check(int(number), steps, is_over=told["result"] is not None)
            else:
                self._check(int(number), list(_steps(body.decode())), is_over=b"data-events" not in body)
        elif path == "/api/v1/lobby":
            for line in orjson.loads(body)["matches"]:
                self._check_count(line["id"], line["moves"])

    def _look_into_another_hall(self, path: str, body: bytes) -> None:
        """Check that a match of another hall is shown as it is on record there."""
        _, _, word, *_, number = path.split("/")
        auditor, told = self.world.hall_of("" if word == FIRST_WORD else word).auditor, orjson.loads(body)
        players = [seat["player"] for seat in told["seats"]]
        moves = [(players[one["seat"]], one["text"]) for one in told["steps"] if one["seat"] is not None]
        if int(number) not in auditor.records or moves != auditor.truth(int(number)):
            raise Violation("pages of another hall show its records", f"{path}: {moves}")
        self.world.count("match of another hall shown")

    def _follow(self) -> None:
        *events, rest = bytes(self._body).split(b"\n\n")
        self._body[:] = rest
        place, number, _ = self.asked.rsplit("/", 2) if self.asked.count("/") > 2 else ("", "", "")
        for event in events:
            data = event.partition(b"\ndata: {")[2]
            if data and place == "/matches" and number.isdigit():
                shown = orjson.loads(b"{" + data)["html"]
                for name in shown:
                    if name[:1] == "m" and name[1:].isdigit():
                        self._check_count(int(number), int(name[1:]))

    def _check(self, match: int, steps: list[tuple[str, str]], *, is_over: bool) -> None:
        """Check that a page of a match shows what is on the disk, and no less than the last time."""
        self._check_count(match, len(steps))
        true = self._moves(match)
        pairs = zip([step for step in steps if step[0]], true, strict=False)
        if any(by != player or text not in (move, HIDDEN) for (by, text), (player, move) in pairs):
            raise Violation("pages show what is on the disk", f"match {match}: shown {steps}, true {true}")
        if is_over and self._true[match] != (len(steps), True):
            raise Violation("pages show what is on the disk", f"match {match} is shown as over: {steps}")
        if len(steps) < self._shown.get(match, 0):
            raise Violation("pages go forward", f"match {match} had {self._shown[match]} moves: {steps}")
        self._shown[match] = len(steps)

    def _moves(self, match: int) -> list[tuple[str, str]]:
        """Give the moves on the disk, of all games of a match."""
        if (live := self.world.truth.lobby.matches.get(match)) is None:
            return self.world.auditor.truth(match) or []
        moves = (move for game in live.games for move in game.moves)
        return [(live.seats[move.seat].player, move.text) for move in moves if move.seat is not None]

    def _check_count(self, match: int, moves: int) -> None:
        true, _ = self._true.get(match, (-1, False))
        if moves > true:
            raise Violation("pages show what is on the disk", f"match {match}: {moves} moves are shown of {true}")


@define(eq=False)
class Operator(Spectator):
    """The person with the token: reads the lobby, ends connections and matches, stops the server."""

    listener: ClassVar[str] = "admin"
    last_pages: ClassVar[tuple[str, ...]] = ("/health", "/api/status", "/")
    headers: tuple[tuple[str, str], ...] = (("Authorization", f"Bearer {TOKEN}"),)

    def _wish(self) -> tuple[str, str, dict[str, Any]]:
        chance, lobby, faults = self.chance, self.world.truth.lobby, self.world.plan.faults
        roll, by = chance.random(), {"by": "operator"}
        if roll < 0.05 and lobby.matches and "teacher" in faults:
            return "POST", f"/api/matches/{chance.choice(list(lobby.matches))}/void", {"why": "seen enough", **by}
        if roll < 0.1 and lobby.players and "teacher" in faults:
            player = quote(chance.choice(list(lobby.players)))
            return "POST", f"/api/players/{player}/kick", {"why": "enough", **by}
        if roll < 0.12 and "drain" in faults:
            return "POST", "/api/drain", {"within_s": chance.choice((0, 3, 20)), **by}
        if roll < 0.2 and lobby.tournaments:
            page = chance.choice(("/tournaments/{}", "/tournaments/{}/board", "/tournaments/{}/board/events"))
            return "GET", page.format(chance.choice(list(lobby.tournaments))), {}
        return "GET", chance.choice(("/", "/api/status", "/api/status", "/api/tournaments", "/health")), {}

    def _look(self, path: str, body: bytes) -> None:
        super()._look(path, body)
        if path == "/api/status":
            for line in orjson.loads(body)["matches"]:
                self._check_count(line["match"], line["moves"])
        elif path.endswith("/void") and int(path.split("/")[3]) not in self.world.auditor.records:
            raise Violation("pages show what is on the disk", f"{path} is done, and the match is not on record")


def _steps(page: str) -> Iterator[tuple[str, str]]:
    """Yield player and move of each line in a list of moves; a draw has no player."""
    for player, text in _STEP.findall(page):
        yield html.unescape(player), html.unescape(text)
