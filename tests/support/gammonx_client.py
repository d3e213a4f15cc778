"""GammonX clients at a lobby in memory: bytes to the hub's adapters, their commands to the lobby, its events back.

Everything is real but the network and the dice, which fall as a test says.
"""

import itertools
from collections.abc import Iterable
from typing import Any

from attrs import Factory, define

from games.backgammon import BACKGAMMON, FEVGA, PLAKOTO, PORTES, TAVLA, TAVLI
from gameserver.core.commands import Against, Book, Leave
from gameserver.core.events import Accepted, TicketShown
from gameserver.protocol import Context, Handshake, Peer
from protocols.gammonx import PROTOCOL
from protocols.gammonx.profiles import PROFILES
from protocols.gammonx.schema import MatchModus, match_guid, player_name
from tests.clients import gammonx as strict
from tests.games.backgammon.positions import board_of
from tests.support.by_hand import MemoryConnection
from tests.support.games import catalogue
from tests.support.lobbies import LobbyHarness

GAMES = catalogue(BACKGAMMON, TAVLA, TAVLI, PORTES, PLAKOTO, FEVGA)
ANN = "fdd907ca-794a-43f4-83e6-cadfabc57c45"
BOB = "f6f9bb06-cbf6-4f42-80bf-5d62be34cff6"
CYD = "281ccec7-ea50-4ab1-be58-32669e11ee14"
BOOKING_SESSION = 90

Heard = tuple[str, Any]
"""An event's name and payload."""


@define
class Hub:
    """The lobby, and everybody who is connected."""

    harness: LobbyHarness = Factory(lambda: LobbyHarness(GAMES))
    clients: dict[int, "GammonXClient"] = Factory(dict)
    numbers: Any = Factory(lambda: itertools.count(1))

    profile: str = "document"
    options: dict[str, Any] = Factory(dict)

    def book(self, player: str, game: str = "Tavla", length: str = "cash", **more: Any) -> str:
        """Makes the REST part's request to the lobby; gives the id of the match."""
        modus = MatchModus.BOT if more.get("against") is Against.HOUSE else MatchModus.NORMAL
        match_id = match_guid(f"ticket {next(self.numbers)}", modus)
        booking = Book(
            BOOKING_SESSION,
            match_id,
            player_name(player),
            player,
            "10.0.0.1",
            game,
            {"length": length},
            {"by_hand": True, "plays_opening_dice": PROFILES[self.profile].opens_with_dice},
            token=f"gx.secret of {player}",
            **more,
        )
        assert self.harness.do(booking) == Accepted()
        assert isinstance(self.harness.hear(BOOKING_SESSION)[-1], TicketShown)
        return match_id

    def connect(self, player: str, match_id: str, **more: Any) -> "GammonXClient":
        """A connection, after its handshake."""
        session = 100 + next(self.numbers)
        client = GammonXClient(self, session, player, match_id, **more)
        self.clients[session] = client
        client.receive(strict.HANDSHAKE)
        return client

    def join(self, player: str, **wishes: Any) -> "GammonXClient":
        """Book, connect and join."""
        client = self.connect(player, self.book(player, **wishes))
        client.ask("JoinMatch", player)
        return client

    def paired(self, **wishes: Any) -> tuple["GammonXClient", "GammonXClient"]:
        """Ann and bob, who have met; ann is player 1. What they heard is forgotten."""
        ann, bob = self.join(ANN, **wishes), self.join(BOB, **wishes)
        ann.forget()
        bob.forget()
        return ann, bob

    def started(self, **wishes: Any) -> tuple["GammonXClient", "GammonXClient"]:
        """Ann and bob in their first game: who is to roll, and the other."""
        ann, bob = self.paired(**wishes)
        start = "StartMatch" if PROFILES[self.profile].opens_with_dice else "StartGame"
        ann.ask(start)
        bob.ask(start)
        first = ann if ann.state["activeTurn"] == ANN else bob
        second = bob if first is ann else ann
        ann.forget()
        bob.forget()
        return first, second

    def deliver(self, asker: "GammonXClient | None" = None, answer: Any = None) -> None:
        """Bring everybody what they were told; who asked has the answer with it."""
        heard, self.harness.heard = self.harness.heard, {}
        if asker is not None:
            asker.told(answer, heard.pop(asker.session, []))
        for session, events in heard.items():
            if session in self.clients:
                self.clients[session].told(None, events)


@define(eq=False)
class GammonXClient(MemoryConnection):
    """One connection to the hub."""

    hub: Hub
    session: int
    player: str
    match_id: str
    address: str = "10.0.0.1"
    query: dict[str, str] = Factory(dict)
    headers: dict[str, str] = Factory(dict)
    client: strict.GammonXClient = Factory(strict.GammonXClient)
    _heard: list[Heard] = Factory(list)
    _state: Any = None

    def __attrs_post_init__(self) -> None:
        peer = Peer(self.session, self.address, 0, Handshake("/matchhub", self.query, self.headers))
        context = Context(
            self.hub.profile,
            PROTOCOL.options_type(**self.hub.options),
            (),
            new_id=lambda: f"id {next(self.hub.numbers)}",
            date_at=lambda axis_ms: (
                f"2026-01-01T{axis_ms // 3_600_000:02}:{axis_ms // 60_000 % 60:02}:"
                f"{axis_ms // 1000 % 60:02}.{axis_ms % 1000:03}Z"
            ),
        )
        self.adapter = PROTOCOL.adapter(peer, context)

    @property
    def state(self) -> Any:
        """The last state of a game."""
        self._read()
        return self._state

    def ask(self, method: str, *arguments: Any) -> list[Heard]:
        """Invoke a method, with the match's id before its arguments; what this client heard meanwhile."""
        return self.invoke(method, self.match_id, *arguments)

    def invoke(self, method: str, *arguments: Any) -> list[Heard]:
        """Invoke a method with just these arguments. It must be completed, after everything it brought about."""
        self.receive(self.client.call(method, *arguments))
        heard = self.heard()
        assert not self.client.called, "every call is completed, in order"
        return heard

    def heard(self) -> list[Heard]:
        """The events since the last call."""
        self._read()
        heard, self._heard = self._heard, []
        return heard

    def names(self) -> list[str]:
        """The names of what was heard."""
        return [name for name, _ in self.heard()]

    def forget(self) -> None:
        self.heard()

    def receive(self, data: bytes) -> None:
        """Bytes come in."""
        self.hear(data, self.hub.harness.now_ms)

    def told(self, answer: Any, events: Iterable[Any]) -> None:
        """The lobby says something."""
        for output in self.adapter.render(answer, list(events)):
            self.said += output.data
        self.tick(now=True)

    def tick(self, *, now: bool = False) -> None:
        """Do what is due; `now` where nothing but what cannot wait is."""
        due_ms = self.adapter.due_ms
        if self.ended is None and due_ms is not None and due_ms <= (0 if now else self.hub.harness.now_ms):
            self.attempt(lambda: self.adapter.tick(self.hub.harness.now_ms))
            self.pump()

    def drop(self) -> None:
        """The connection is lost."""
        del self.hub.clients[self.session]
        self.hub.harness.do(Leave(self.session))
        self.hub.deliver()

    def take(self, item: Any) -> None:
        self.hub.deliver(self, self.hub.harness.do(item))

    def _read(self) -> None:
        for name, payload in self.client.receive(bytes(self.said)):
            if name == "done":
                continue
            self._heard.append((name, payload))
            if "boardState" in payload:
                self._state = payload
        self.said.clear()


def allowed(heard: list[Heard]) -> list[tuple[str, list[str]]]:
    """The events with the commands that they allow."""
    return [(name, payload["allowedCommands"]) for name, payload in heard]


def shut_out(monkeypatch: Any) -> None:
    """Let games begin with white on the bar before six blocked points: whatever it rolls cannot be played."""
    points = {1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 5}
    board = board_of(TAVLA.variant, ({25: 1, 13: 14}, points))
    monkeypatch.setattr("games.backgammon.rules.start_of", lambda _: board)


def scripted(monkeypatch: Any, dice: Iterable[int]) -> None:
    """Let the dice of each match fall like this, one after the other, however often the server looks at one."""
    falling, fallen = iter(dice), list[int]()

    def number_below(_limit: int, _key: str, _purpose: str, place: int) -> int:
        fallen.extend(next(falling) for _ in range(len(fallen), place + 1))
        return fallen[place] - 1

    monkeypatch.setattr("gameserver.core.referee.number_below", number_below)
