"""A client of the GammonX protocol: it joins over REST, and plays over the hub.

It does what the last payload allows, as the known clients do; sometimes something else, which must
be refused and change nothing. Boards are counted, what was told of a game is never taken back, and
the end that is told is the one on record.
"""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, ClassVar
from uuid import UUID

import orjson
from attrs import define, field

from tests.clients import Refused
from tests.clients.gammonx import HANDSHAKE, PING, GammonXClient, Progress
from tests.clients.websocket import Frames, Responses, handshake, request
from tests.simulation.client import Client
from tests.simulation.violation import Violation

WISHES = ((1, 0), (1, 0), (1, 2), (2, 0), (2, 2), (1, 1))
"""Variant and modus: Tavla or Tavli, against anybody, the house or somebody of the same rating; always for cash."""
SERIES = (2, 0)
WRONG_METHODS = ("Roll", "EndTurn", "OfferDouble", "AcceptDouble", "UndoMove", "StartGame", "GameState")
PATIENCE_MS = 3_000
"""Time in the calm that a client waits at the hub for an opponent who may not come."""
LATER_SHARE = 0.3
NO_MATCH = "No match lobby was found"

OUR_MISTAKE = "An unexpected error occurred invoking"
"""The beginning of what SignalR's servers say of a method that failed."""


@define(eq=False)
class TicketClient(Client):
    """A player with a GUID."""

    listener: ClassVar[str] = "http"
    patience_ms: ClassVar[int] = 3_000
    """Wait for the answer to a request, before it tries again on another connection."""
    ticket: str = ""
    """The match id of the last join, as long as it may lead anywhere."""
    token: str = ""
    queue: str = ""
    """The queue at which a client of 2026 asks how its search stands, until it has led to something."""
    hub: GammonXClient = field(factory=GammonXClient)
    """Its progress outlives connections and restarts."""
    at_hub: bool = False
    """True if the connection is one to the hub; the others are for one request each."""
    joined: bool = False
    payload: dict[str, Any] | None = None
    """The last payload that told what is allowed."""
    reply_due_ms: int | None = None
    """Time to do what is allowed."""
    result: dict[str, Any] | None = None
    since_ms: int = 0
    _responses: Responses = field(factory=Responses)
    _frames: Frames = field(init=False)
    _modus: int = 0
    _leads_nowhere: bool = False
    """True if it was told that there is nothing behind its ticket."""

    @property
    def guid(self) -> str:
        return str(UUID(bytes=Random(f"{self.world.plan.seed}/{self.name}").randbytes(16), version=4))

    @property
    def prefix(self) -> str:
        """The beginning of paths: some clients are of the document, some of 2026, who roll who starts."""
        is_later = self.world.plan.stream(f"generation of bot {self.index}").random() < LATER_SHARE
        return "/game" if is_later else ""

    @property
    def unsettled(self) -> str:
        if self.at_hub and self.payload is not None:
            return "every end is told"
        return (
            "every command is answered once" if self.hub.called or (self.wire is not None and not self.at_hub) else ""
        )

    def connect(self, address: str | None = None) -> None:
        self.at_hub = bool(self.ticket)
        super().connect(address)

    def begin(self, chance: Random) -> None:
        self.since_ms = self.world.real_ms
        self.joined = self._leads_nowhere = False
        self.payload = self.result = self.reply_due_ms = None
        self.hub = GammonXClient(self.hub.progress)
        self._responses, self._frames = Responses(), Frames(chance)
        if self.at_hub:
            shown = f"?access_token={self.token}" if chance.random() < 0.8 else ""
            self.send(handshake(f"{self.prefix}/matchhub{shown}"), "a handshake")
            return
        if self.queue:
            asked = orjson.dumps({"PlayerId": self.guid, "MatchModus": self._modus})
            self.send(request("POST", f"{self.prefix}/api/matches/queues/{self.queue}", asked), "how does it stand")
            return
        variant, modus = WISHES[1] if self.world.menu[0] == "Tavla" else self.chance.choice(WISHES)
        if self.world.plan.overtakes_tickets():
            variant, modus = SERIES
        self._modus = modus
        wanted = {"PlayerId": self.guid, "MatchVariant": variant, "MatchModus": modus, "MatchType": 2}
        self.send(
            request("POST", f"{self.prefix}/api/matches/join", orjson.dumps(wanted), self._proof()), f"join {wanted}"
        )

    def _proof(self) -> tuple[str, ...]:
        secret = self.world.rosters.shown_by(self)
        return (f"Authorization: Bearer {secret}",) if secret else ()

    def forget(self) -> None:
        self.payload = self.reply_due_ms = None
        self.joined = self.at_hub = False
        self.hub = GammonXClient(self.hub.progress)

    # What it does.

    def act(self) -> None:
        if not self.is_connected() or not self.can_speak:
            return
        if not self.at_hub:
            self._lose_patience()
        elif self.joined and self.chance.random() < 0.05:
            self._invoke(self.chance.choice(WRONG_METHODS))
        elif self.hub.is_greeted and self.chance.random() < 0.1:
            self._record(PING, "a ping")

    @property
    def is_due(self) -> bool:
        due_ms = self.reply_due_ms
        return self.payload is not None and due_ms is not None and due_ms <= self.world.real_ms and self.can_speak

    def tend(self) -> None:
        if not self.is_due:
            return
        self.reply_due_ms = None
        resigns = [name for name in self.payload["allowedCommands"] if name.startswith("Resign")]
        share = 0.2 if self.world.calm else 0.08 if self.world.plan.overtakes_tickets() else 0.02
        if resigns and self.chance.random() < share:
            self._invoke(resigns[0] if self.chance.random() < 0.8 else resigns[-1])
        else:
            self._do_what_is_allowed()

    def _do_what_is_allowed(self) -> None:
        method = next((name for name in self.payload["allowedCommands"] if not name.startswith("Resign")), None)
        if method == "Move":
            step = self.choose(self.payload["moveSequences"])["moves"][0]
            self._invoke("Move", step["from"], step["to"])
        elif method is not None:
            self._invoke(method)

    def choose(self, sequences: Sequence[Any]) -> Any:
        return self.chance.choice(sequences)

    def wind_up(self) -> None:
        """Come back to a match that may go on; give up what nobody answers."""
        self.queue = "" if self.wire is None else self.queue
        if (self.wire is None and not self.ticket) or not self.is_connected():
            return
        if not self.at_hub:
            self._lose_patience()
        elif self.joined and self.payload is None and self.world.real_ms - self.since_ms > PATIENCE_MS:
            self.ticket = ""
            self.hang_up()

    def rob(self, victim: "TicketClient", public_id: str) -> None:
        """Come with the id that somebody's opponent knows too, without the token."""
        self.name, self.ticket, self.token, self.queue = victim.name, public_id, "", ""
        self.world.secrets.keep_own(self.ticket, self.index)
        self.connect()

    def _lose_patience(self) -> None:
        if self.world.real_ms - self.since_ms > self.patience_ms:
            self.hang_up()

    def _invoke(self, method: str, *arguments: Any) -> None:
        self._record(self.hub.call(method, self.ticket, *arguments), f"{method} {arguments}")

    def _record(self, record: bytes, what: str) -> None:
        self.send(self._frames.message(record), what)

    # What it hears.

    def hear(self, data: bytes) -> None:
        if not self.at_hub:
            for status, body in self._responses.feed(data):
                self._answered(status, orjson.loads(body) if body.startswith(b"{") else {})
            return
        was_open, records = self._frames.is_open, b"".join(self._frames.feed(data))
        if self._frames.is_open and not was_open and self.can_speak:
            self._record(HANDSHAKE, "a SignalR handshake")
        hub, was_greeted = self.hub, self.hub.is_greeted
        try:
            for name, payload in hub.receive(records):
                if self.wire is not None:
                    self._hear_event(name, payload)
        except Refused as refused:
            if OUR_MISTAKE not in str(refused) or "bug" not in self.world.plan.faults:
                raise  # else a bug that was planted; the connection ends
        if hub.is_greeted and not was_greeted and not hub.is_over and self.can_speak:
            self._invoke("JoinMatch", self.guid)

    def _answered(self, status: int, content: dict[str, Any]) -> None:
        self.world.note("%s hears %s %s", self, status, content)
        self.world.count(f"join {status}")
        payload = content.get("payload", {})
        if self.queue:
            # Nobody has the id of a match before there is one; who is not known any more joins anew.
            self.ticket = (payload.get("matchId") or "") if status == 200 else ""
            self.queue = "" if self.ticket or status == 400 else self.queue
        elif status == 200:
            self.ticket, self.token = payload["matchId"] or "", payload["token"]
            self.queue = "" if self.ticket else payload["queueId"]
            self.hub.progress = Progress()
        elif status not in {400, 503}:
            raise Violation("an answer fits its question", f"{self} joined and hears {status} {content}")
        self.hang_up()

    def _completed(self, method: str) -> None:
        self.world.count(f"{method} {'refused' if self.hub.refused else 'ok'}")
        if method == "JoinMatch" and self.hub.refused:
            self._join_refused()

    def _join_refused(self) -> None:
        """Give up a ticket that leads nowhere, or whose seat a connection holds that is not dead yet."""
        if self.chance.random() < 0.5 or self.world.calm:
            self.ticket = "" if self.gives_up() or self._leads_nowhere else self.ticket
        self.hang_up()

    def gives_up(self) -> bool:
        """Draw whether it forgets a ticket that may lead somewhere."""
        return self.world.chance.random() < 0.3

    def _hear_event(self, name: str, payload: Any) -> None:
        if name == "done":
            self._completed(payload)
            return
        self.world.note("%s hears %s %s", self, name, payload if name == "error" else payload.get("allowedCommands"))
        self.world.count(f"hub {name}")
        _HEARD.get(name, TicketClient._allowed)(self, payload)

    def _allowed(self, payload: dict[str, Any]) -> None:
        """Take in a payload that tells what may be done now."""
        self.joined = True
        self.payload = payload
        self._think(bool(payload["allowedCommands"]))

    def _think(self, is_asked: bool) -> None:
        if not is_asked:
            self.reply_due_ms = None
            return
        quick, extra = self.chance.random(), self.chance.random()
        slow_ms = (self.world.rules.ticket_clock.with_turn_limit().turn_time_ms or 0) + 500
        is_quick = self.world.calm or quick < (0.6 if self.world.plan.overtakes_tickets() else 0.97)
        self.reply_due_ms = self.world.real_ms + int(60 * extra * extra if is_quick else slow_ms * extra)

    def _waits(self, _: dict[str, Any]) -> None:
        """Wait in a lobby without an opponent, or with one that `match-started` follows."""
        self.joined = True
        self.since_ms = self.world.real_ms

    def _match_ended(self, payload: dict[str, Any]) -> None:
        wire = self.wire
        record = self.world.auditor.records.get(wire.matches_told[-1].match)
        if record is None:
            raise Violation("nothing undecided is told", f"{self} is told the end of {wire.matches_told[-1]}")
        seats = [payload["player1"], payload["player2"]]
        points = [seat.points for seat in record.seats]
        if [player["points"] for player in seats] != points:
            raise Violation("everybody is told what is on record", f"{payload}, recorded is {record}")
        winners = [player["id"] for player, seat in zip(seats, record.seats, strict=True) if seat.result == "win"]
        if winners != ([] if payload["winner"] is None else [payload["winner"]]):
            raise Violation("everybody is told what is on record", f"{payload}, recorded is {record}")
        self.result = payload
        self.world.count(f"hub ended {record.reason}")

    def _left(self, _: dict[str, Any]) -> None:
        wire = self.wire
        match = wire.matches_told[-1].match if self.payload is not None else None
        record = None if match is None else self.world.auditor.records.get(match)
        if match is not None and record is None and (self.result is not None or not wire.is_displaced):
            raise Violation("every match ends once", f"{self} has left match {match}, which has no record")
        # A displaced player has left before the end, and may read of it after that.
        if record is not None and self.result is None and record.reason != "void" and not wire.is_displaced:
            raise Violation("every end is told", f"{self} was not told of {record}")
        self.ticket = self.ticket if wire.is_displaced else ""
        self.hang_up()

    def _refused(self, payload: dict[str, Any]) -> None:
        self._leads_nowhere = self._leads_nowhere or payload["message"].startswith(NO_MATCH)
        if self.payload is not None and self.reply_due_ms is None:
            self._think(bool(self.payload["allowedCommands"]))


_HEARD: Mapping[str, Callable[[TicketClient, dict[str, Any]], None]] = {
    "match-lobby-waiting": TicketClient._waits,
    "match-lobby-found": TicketClient._waits,
    "player-disconnected": lambda _, __: None,
    "player-connected": lambda _, __: None,
    "turn-timer": lambda _, __: None,
    "match-ended": TicketClient._match_ended,
    "force-disconnect": TicketClient._left,
    "error": TicketClient._refused,
}
