"""The state of one connection to the hub: what it has joined, and how it is told of it.

    nothing --JoinMatch--> a match without an opponent --both are there--> a match, until it is over

What a client may do depends on its stage alone (`handlers`); what follows from the lobby's events is in `rendering`.

By the clock a client is told that its time is half over, and how long an absent opponent may take. Its time is a
turn's, or that for starting the next game. The lobby says until when, at its beginning and whenever that changes; while
the match waits for a player who is away, the clock stands.

A connection names its player by the query of the hub's address, by a JSON Web Token, or by our own. Clients of 2026
name their match and themselves when they connect, in the query (`matchId`, `playerId`) or in the claims of a JWT; those
of the document say it by `JoinMatch`. A JWT that is signed with the server's secret proves what it says. Without a
secret there is nothing to prove it by, and it counts as much as the query: it says whose seat is meant.
"""

from collections.abc import Callable, Mapping
from typing import Any

import jwt
from attrs import Attribute, define, field, validators

from gameserver.protocol import Peer, SeatDropped
from gameserver.values import value
from protocols.gammonx import payloads
from protocols.gammonx.payloads import Dialect, GammonXStage, OwnMatch
from protocols.gammonx.profiles import GammonXProfile
from protocols.gammonx.schema import (
    Commands,
    DisconnectedPayload,
    ErrorPayload,
    EventMessage,
    TurnTimerPayload,
    read_guid,
)
from protocols.signalr import HubPeer, HubSession

TOKEN_PREFIX = "gx."  # noqa: S105 - what is secret comes behind it
"""The beginning of our tokens; others, which clients have from elsewhere, are not the lobby's business."""

_PLAYER_CLAIMS = (
    "playerId",
    # The name that .NET gives to `nameid` when it reads a token.
    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/nameidentifier",
    "nameidentifier",
    "nameid",
    "sub",
)
"""Claims by which a token may name the player; the first one that is there counts."""

_SECRET_LENGTH_MIN = 32
"""A shorter key than its 256 bits would be the weak part of HS256 (RFC 7518, 3.2)."""


@define
class _Deadlines:
    """The times that one GammonX client is to be told of, on the server's axis in milliseconds."""

    _date_at: Callable[[int], str]
    """Same as in `Context`."""
    act_by_ms: int | None = field(default=None, init=False)
    """The client has so long; None while it has not to act, or its clock stands."""
    absent: SeatDropped | None = field(default=None, init=False)
    """The opponent's absence, until the client has been told of it; None if the opponent is back, or need not be."""
    _warned_of_ms: int | None = field(default=None, init=False)
    """The deadline that the client has been told of: one of the same turn is told again with each of its moves."""

    def due_ms(self, view: OwnMatch | None) -> int | None:
        """The time at which a GammonX client hears of its clock; at once for an absence, as that needs the time."""
        if self.absent is not None:
            return 0
        if view is None or self.act_by_ms is None or self.act_by_ms == self._warned_of_ms:
            return None
        # At half of the time, as the original warns at 30 s of its 60. If the player's bank ends sooner than the turn,
        # it comes that much earlier, or at once: nothing else tells this client of a bank.
        return None if view.turn_time_ms is None else self.act_by_ms - view.turn_time_ms // 2

    def absence(self, view: OwnMatch, now_ms: int) -> DisconnectedPayload | None:
        """Takes the opponent's absence that a GammonX client has not been told of, if there is one."""
        dropped, self.absent = self.absent, None
        if dropped is None:
            return None
        # Rounded up: a player is never told less time than there is.
        seconds = max(0, dropped.return_by_ms - now_ms + 999) // 1000
        period = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
        return DisconnectedPayload(period, self._date_at(dropped.return_by_ms), view.players[dropped.seat])

    def warning(self, view: OwnMatch, now_ms: int) -> TurnTimerPayload | None:
        """Makes a GammonX client's warning that half of its time has passed, if it has."""
        due_ms, deadline_ms = self.due_ms(view), self.act_by_ms
        if due_ms is None or deadline_ms is None or now_ms < due_ms:
            return None
        self._warned_of_ms = deadline_ms
        return TurnTimerPayload(view.players[view.seat], self._date_at(deadline_ms))


@value
class Identity:
    """The statements of a connection to the GammonX hub about itself; None for one that it does not make."""

    match_id: str | None = None
    player_id: str | None = None
    is_proven: bool = False
    """True if a signed token names the player."""
    token: str = ""
    """The token that a join answered, if the client shows it."""


def identity_of(client: HubPeer, jwt_secret: str) -> Identity:
    """Reads who a connection to the GammonX hub claims to be from its query and its tokens."""
    handshake = client.handshake
    if handshake is None:
        return Identity()
    # The original reads the header and `token`; browsers' SignalR clients can only send `access_token`.
    shown = [token for token in (client.access_token, handshake.query.get("token")) if token]
    own = next((token for token in shown if token.startswith(TOKEN_PREFIX)), "")
    claims = next(filter(None, (_claims(token, jwt_secret) for token in shown)), {})
    claimed = next((str(claims[name]) for name in _PLAYER_CLAIMS if name in claims), None)
    return Identity(
        match_id=read_guid(handshake.query.get("matchId")) or read_guid(claims.get("matchId")),
        player_id=read_guid(claimed) or read_guid(handshake.query.get("playerId")),
        is_proven=bool(jwt_secret) and read_guid(claimed) is not None,
        token=own,
    )


def _claims(token: str, secret: str) -> Mapping[str, Any]:
    """The claims of a JWT; empty if it is none, or is not valid for the secret."""
    if token.startswith(TOKEN_PREFIX):
        return {}
    try:
        # HS256 alone, as the original signs.
        claims: Mapping[str, Any] = jwt.decode(
            token, secret, algorithms=["HS256"], options={"verify_aud": False, "verify_signature": bool(secret)}
        )
    except (jwt.PyJWTError, RecursionError):
        return {}
    return claims


def _is_long_enough(_instance: object, attribute: "Attribute[str]", secret: str) -> None:
    if secret and len(secret.encode()) < _SECRET_LENGTH_MIN:
        raise ValueError(f"{attribute.name} must have {_SECRET_LENGTH_MIN} bytes or more, or be empty")


@value
class GammonXOptions:
    """The GammonX protocol's table in the configuration."""

    jwt_secret: str = field(default="", repr=False, validator=[validators.instance_of(str), _is_long_enough])
    """The HS256 key of JSON Web Tokens, of 32 bytes or more. With it they prove who a player is. Empty: they prove
    nothing."""
    maps_moves: bool = field(default=True, validator=validators.instance_of(bool))
    """True if player 2 receives and sends moves in the coordinates of its own board. The servers of September 2025
    showed player 2 its own board, but moves as on player 1's; clients that correct for that need `false`. Moves of
    clients of 2026 are always mapped."""


class GammonXSession(HubSession):
    """The state of one connection to the GammonX hub."""

    def __init__(
        self,
        client: HubPeer,
        peer: Peer,
        profile: GammonXProfile,
        options: GammonXOptions,
        date_at: Callable[[int], str],
        allowed: Mapping[GammonXStage, Commands],
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
        self.deadlines = _Deadlines(date_at)
        self._allowed = allowed
        self.is_ending = False
        """True if the match's end is among the events being heard: then its last game's end is not told by itself."""
        self.release_ms = 0
        """Before when nothing is to be sent of what is being heard."""

    @property
    def identified(self) -> bool:
        """True once a connection to the GammonX hub has joined a match."""
        return self.has_entered

    @property
    def stage(self) -> GammonXStage:
        """The stage of a connection to the GammonX hub, with a match or without one."""
        if self.view is not None:
            return self.view.stage
        return GammonXStage.OUTSIDE if self.match_id is None else GammonXStage.WAITING

    @property
    def public_id(self) -> str:
        """The id by which GammonX payloads call this connection's match."""
        return self.view.match_id if self.view is not None else self.paired_id or self.match_id or ""

    def knows(self, match_id: str) -> bool:
        """True if a GammonX client was ever told its match by this id."""
        if self.view is not None and match_id in self.view.match_ids:
            return True
        return match_id in {self.match_id, self.paired_id}

    @property
    def allowed(self) -> Commands:
        """The methods of the GammonX hub that the client may call now, as payloads name them."""
        return self._allowed[self.stage]

    @property
    def due_ms(self) -> int | None:
        """The time of the next message that a GammonX client gets by the clock."""
        return self.deadlines.due_ms(self.view)

    def tick(self, now_ms: int) -> None:
        """Tells a GammonX client that its opponent is away, or that its time runs out."""
        if self.view is None:
            self.deadlines.absent = None
            return
        absence = self.deadlines.absence(self.view, now_ms)
        if absence is not None:
            self.tell("player-disconnected", absence)
        warning = self.deadlines.warning(self.view, now_ms)
        if warning is not None:
            self.tell("turn-timer", warning)

    # Telling the client.

    def tell(self, event: str, payload: Any) -> None:
        """Sends an event of the GammonX hub."""
        self.client.send(event, EventMessage(event, payload), release_ms=self.release_ms)

    def tell_game(self, event: str) -> None:
        """Sends the state of the game to a GammonX client."""
        assert self.view is not None, "there is a game"
        self.tell(event, payloads.game_state(self.view, self.allowed, self.dialect))

    def tell_match(self, event: str) -> None:
        """Sends the state of the match to a GammonX client."""
        assert self.view is not None, "there is a match"
        self.tell(event, payloads.match_state(self.view, self.allowed))

    def tell_found(self) -> None:
        """Tells a GammonX client which opponent has been found."""
        assert self.view is not None, "there is a match"
        self.tell("match-lobby-found", payloads.lobby(self.view))

    def tell_all(self) -> None:
        """Tells a GammonX client that came back, or lost track, how the match and its game stand."""
        assert self.view is not None, "there is a match"
        self.tell_found()
        if self.view.is_playing and self.view.has_started:
            self.tell_game("game-state")
        else:
            self.tell_start()

    def tell_start(self) -> None:
        """Tells a GammonX client what is waited for before a game."""
        assert self.view is not None, "there is a match"
        is_first = not self.view.score.rounds
        if self.stage is GammonXStage.STARTED:
            self.tell_match(self.profile.waiting_for_match if is_first else "game-waiting")
        else:
            self.tell_match(self.profile.before_match if is_first else "match-started")

    def refuse(self, code: str, message: str) -> None:
        """Sends an error of the GammonX hub."""
        self.tell("error", ErrorPayload(code, message, allowed_commands=self.profile.allowed_after_error))

    def refuse_call(self, call: Any, why: str) -> None:
        """Sends the error of a method of the GammonX hub, with the reason put into its sentence."""
        wording = self.profile.wordings[type(call)]
        self.refuse(wording.code, wording.sentence.format(why=why))

    def leave_match(self) -> None:
        """Forgets the match that a connection to the GammonX hub has joined."""
        self.match_id, self.paired_id, self.view = None, "", None
