"""The state of one connection to the hub: what it has joined, and how it is told of it.

    nothing --JoinMatch--> a match without an opponent --both are there--> a match, until it is over

Methods are in `handlers`, how a match is come to in `joining`, and what follows from the lobby's events in
`rendering`; this is what they share, and `hub_connection` joins them.
"""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

from gameserver.protocol import Peer
from protocols.gammonx import payloads
from protocols.gammonx.deadlines import Deadlines
from protocols.gammonx.identity import identity_of
from protocols.gammonx.match_state import OwnMatch
from protocols.gammonx.options import GammonXOptions
from protocols.gammonx.payloads import Dialect
from protocols.gammonx.profiles import Profile
from protocols.gammonx.schema import (
    Commands,
    ErrorPayload,
    EventMessage,
)
from protocols.gammonx.stage import Stage, standing_of
from protocols.signalr import Client, HubSession


class GammonXSession(HubSession):
    """The state of one connection. `date_at` is that of `Context`."""

    def __init__(
        self, client: Client, peer: Peer, profile: Profile, options: GammonXOptions, date_at: Callable[[int], str]
    ) -> None:
        self.client = client
        self.peer = peer
        self.profile = profile
        self.identity = identity_of(client, options.jwt_secret)
        self.match_id: str | None = None
        """The id that this client has joined with, or tries to."""
        self.paired_id = ""
        """The id by which both are told of the match while there is none yet, where that is another one."""
        self.player_id = ""
        self.view: OwnMatch | None = None
        self.has_entered = False
        """True once the lobby knows this connection as a player."""
        self.is_attaching = False
        """True while the seat is being taken back that the connection named when it was made."""
        maps_moves = options.maps_moves or profile.always_maps_moves
        self.dialect = Dialect(maps_moves=maps_moves, is_unowned_none=profile.opens_with_dice)
        """The form in which games are told to this client."""
        self.deadlines = Deadlines(date_at)
        self.is_ending = False
        """True if the match's end is among the events being heard: then its last game's end is not told by itself."""
        self.release_ms = 0
        """Before when nothing is to be sent of what is being heard."""

    @property
    def identified(self) -> bool:
        """True once a match has been joined."""
        return self.has_entered

    @property
    def standing(self) -> Stage:
        """The client's stage."""
        if self.view is not None:
            return standing_of(self.view)
        return Stage.OUTSIDE if self.match_id is None else Stage.WAITING

    @property
    def public_id(self) -> str:
        """The id of the match in payloads."""
        return self.view.match_id if self.view is not None else self.paired_id or self.match_id or ""

    def knows(self, match_id: str) -> bool:
        """True if the client's match is meant: by any id that it was ever told."""
        if self.view is not None and match_id in self.view.match_ids:
            return True
        return match_id in {self.match_id, self.paired_id}

    @property
    @abstractmethod
    def allowed(self) -> Commands:
        """The methods that the client may call now, as payloads name them."""

    @property
    def due_ms(self) -> int | None:
        """The time of the next message by the clock."""
        return self.deadlines.due_ms(self.view)

    def tick(self, now_ms: int) -> None:
        """Tell of an absence, and that time runs out."""
        if self.view is None:
            self.deadlines.returned()
            return
        absence = self.deadlines.absence(self.view, now_ms)
        if absence is not None:
            self.tell("player-disconnected", absence)
        warning = self.deadlines.warning(self.view, now_ms)
        if warning is not None:
            self.tell("turn-timer", warning)

    # Telling the client.

    def tell(self, event: str, payload: Any) -> None:
        """Send an event."""
        self.client.send(event, EventMessage(event, payload), release_ms=self.release_ms)

    def tell_game(self, event: str) -> None:
        """Send the game's state."""
        assert self.view is not None, "there is a game"
        self.tell(event, payloads.game_state(self.view, self.allowed, self.dialect))

    def tell_match(self, event: str) -> None:
        """Send the match's state."""
        assert self.view is not None, "there is a match"
        self.tell(event, payloads.match_state(self.view, self.allowed))

    def tell_found(self) -> None:
        """Send who has been found."""
        assert self.view is not None, "there is a match"
        self.tell("match-lobby-found", payloads.lobby(self.view))

    def tell_all(self) -> None:
        """Send what a client needs that has come back, or has lost track: how the match and its game stand."""
        assert self.view is not None, "there is a match"
        self.tell_found()
        if self.view.is_playing and self.view.has_started:
            self.tell_game("game-state")
        else:
            self.tell_start()

    def tell_start(self) -> None:
        """Send what is waited for before a game."""
        assert self.view is not None, "there is a match"
        is_first = not self.view.score.rounds
        if self.standing is Stage.STARTED:
            self.tell_match(self.profile.waiting_for_match if is_first else "game-waiting")
        else:
            self.tell_match(self.profile.before_match if is_first else "match-started")

    def refuse(self, code: str, message: str) -> None:
        """Send an error."""
        self.tell("error", ErrorPayload(code, message, allowed_commands=self.profile.allowed_after_error))

    def refuse_call(self, call: Any, why: str) -> None:
        """Send the error of a method, with the reason put into its sentence."""
        wording = self.profile.wordings[type(call)]
        self.refuse(wording.code, wording.sentence.format(why=why))

    def leave_match(self) -> None:
        """Have nothing joined."""
        self.match_id, self.paired_id, self.view = None, "", None
