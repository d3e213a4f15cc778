"""One connection to the hub: what it has joined, and what it is told of it.

    nothing --JoinMatch--> a match without an opponent --both are there--> a match, until it is over

Methods are in `methods`; this is what follows from the lobby's events, whoever brought them about. A
game's state is told when a move has had all its consequences: dice that a move makes fall come with
it, and a game that a move ends is told of by the match's state.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from games.backgammon.notation import Word
from games.backgammon.phases import Phase
from gameserver.adapter import (
    Displaced,
    EndReason,
    Event,
    GameEnded,
    MatchEnded,
    MatchOpened,
    MatchPaired,
    MatchShown,
    MovePlayed,
    Peer,
    SeatDropped,
    SeatReady,
    SeatReturned,
    TicketClosed,
    TurnStarted,
)
from protocols.gammonx import payloads
from protocols.gammonx.commands import GameState, MatchState
from protocols.gammonx.deadlines import Deadlines
from protocols.gammonx.match_view import MatchView
from protocols.gammonx.profiles import Profile
from protocols.gammonx.schema import (
    Commands,
    EmptyPayload,
    ErrorPayload,
    EventMessage,
)
from protocols.gammonx.standing import Standing, standing_of
from protocols.signalr import Client, HubSession, Steps

AllowedIn = Callable[[Standing], Commands]
"""The methods that a payload names as allowed to who stands there."""


class GammonXSession(HubSession):
    """The state of one connection."""

    def __init__(
        self,
        client: Client,
        peer: Peer,
        profile: Profile,
        methods: Callable[["GammonXSession", Any], Any],
        allowed_in: AllowedIn,
        date_at: Callable[[int], str],
    ) -> None:
        self.client = client
        self.peer = peer
        self.profile = profile
        self.match_id: str | None = None
        """The id that this client has joined with, or tries to."""
        self.player_id = ""
        self.view: MatchView | None = None
        self.has_entered = False
        """Whether the lobby knows this connection as a player."""
        self._methods = methods
        self._allowed_in = allowed_in
        self.deadlines = Deadlines(date_at)
        self.is_ending = False
        """Whether the match's end is among the events being heard: then its last game's is not told apart."""
        self._release_ms = 0
        """Before when nothing is to be sent of what is being heard."""

    @property
    def identified(self) -> bool:
        """Whether a match has been joined."""
        return self.has_entered

    @property
    def standing(self) -> Standing:
        """Where the client stands."""
        if self.view is not None:
            return standing_of(self.view)
        return Standing.OUTSIDE if self.match_id is None else Standing.WAITING

    @property
    def allowed(self) -> Commands:
        """What it may do now, as payloads name it."""
        return self._allowed_in(self.standing)

    def invoke(self, call: Any) -> Steps | Any:
        """Carry out a method."""
        return self._methods(self, call)

    def heard(self, events: Sequence[Event]) -> None:
        """Keep what follows from events, and tell the client."""
        self.is_ending = any(isinstance(event, MatchEnded) for event in events)
        for event in events:
            handler = _HEARD.get(type(event))
            if handler is not None:
                self._release_ms = getattr(event, "release_ms", 0)
                handler(self, event)
        self._release_ms = 0

    @property
    def due_ms(self) -> int | None:
        """When something is to be told by the clock."""
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

    # What is told.

    def tell(self, event: str, payload: Any) -> None:
        """Send an event."""
        self.client.send(event, EventMessage(event, payload), release_ms=self._release_ms)

    def tell_game(self, event: str) -> None:
        """Send the game's state."""
        assert self.view is not None, "there is a game"
        self.tell(event, payloads.game_state(self.view, self.allowed, is_unowned_none=self.profile.opens_with_dice))

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
        if self.standing is Standing.STARTED:
            self.tell_match(self.profile.waiting_for_match if is_first else "game-waiting")
        else:
            self.tell_match(self.profile.before_match if is_first else "match-started")

    def refuse(self, code: str, message: str) -> None:
        """Send an error."""
        self.tell("error", ErrorPayload(code, message, allowed_commands=self.profile.allowed_after_error))

    def leave_match(self) -> None:
        """Have nothing joined."""
        self.match_id, self.view = None, None


# What is heard. Events of other matches than this client's do not come.


def _pair(session: GammonXSession, event: MatchPaired) -> None:
    if session.match_id is not None:
        session.view = MatchView.paired(session.match_id, event)
        session.deadlines.act_by(event.ready_by_ms)
        session.tell_found()
        session.tell_start()


def _come_back(session: GammonXSession, event: MatchShown) -> None:
    if session.match_id is not None:
        session.view = MatchView.shown(session.match_id, event)
        session.deadlines.act_by(None if session.view.is_ready else event.ready_by_ms)
        session.tell_all()


def _note_ready(session: GammonXSession, event: SeatReady) -> None:
    if session.view is not None and event.seat == session.view.seat:
        session.view.is_ready = True
        session.deadlines.act_by(None)


def _open(session: GammonXSession, event: MatchOpened) -> None:
    session.deadlines.act_by(None)
    if session.view is not None:
        session.view.opened(event)
        _tell_opened(session, session.view)


def _tell_opened(session: GammonXSession, view: MatchView) -> None:
    """Tell of a game that has begun, if the dice have told who starts."""
    if not view.has_started:
        session.tell_start()
        return
    if session.profile.opens_with_dice and view.game_number == 1:
        session.tell_match("match-started")
    session.tell_game("game-started")


def _note_turn(session: GammonXSession, event: TurnStarted) -> None:
    session.deadlines.act_by(event.deadline_ms)


def _play(session: GammonXSession, event: MovePlayed) -> None:
    view = session.view
    if view is None:
        return
    had_started = view.has_started
    state = view.played(event)
    if not view.is_active:
        session.deadlines.act_by(None)
    if not had_started:
        if event.seat is None:
            _tell_opened(session, view)
        return
    if event.text == Word.DOUBLE:
        by_us_in_document = event.seat == view.seat and not session.profile.opens_with_dice
        session.tell_game("game-waiting" if by_us_in_document else "double-offered")
        return
    if event.text == Word.TAKE:
        session.tell_game("double-accepted")
        if session.profile.opens_with_dice:
            return
    elif event.text == Word.DROP:
        session.tell_game("double-declined")
    if state.phase not in {Phase.ROLLING, Phase.OVER}:
        session.tell_game("game-state")


def _end_game(session: GammonXSession, event: GameEnded) -> None:
    if session.view is not None:
        session.view.game_ended(event, is_last=session.is_ending)
        session.deadlines.act_by(event.ready_by_ms)
        if not session.is_ending:
            session.tell_match("game-ended")


def _end(session: GammonXSession, event: MatchEnded) -> None:
    session.deadlines.returned()
    session.deadlines.act_by(None)
    if session.view is None:
        return
    session.view.ended(event)
    if event.reason is not EndReason.VOID:
        session.tell_match("match-ended")
    _disconnect(session)


def _lapse(session: GammonXSession, _: TicketClosed) -> None:
    session.leave_match()
    _disconnect(session)


def _displace(session: GammonXSession, _: Displaced) -> None:
    session.leave_match()
    _disconnect(session)
    session.client.close("You have joined the match by another connection; this one ends.")


def _disconnect(session: GammonXSession) -> None:
    session.tell("force-disconnect", EmptyPayload())


def _note_drop(session: GammonXSession, event: SeatDropped) -> None:
    session.deadlines.dropped(event)
    if session.view is not None and not (session.view.is_playing and session.view.has_started):
        session.deadlines.act_by(None)


def _note_return(session: GammonXSession, event: SeatReturned) -> None:
    session.deadlines.returned()
    if session.view is not None:
        if event.ready_by_ms is not None and not session.view.is_ready:
            session.deadlines.act_by(event.ready_by_ms)
        known = GameState if session.view.is_playing and session.view.has_started else MatchState
        session.tell("player-connected", payloads.lobby(session.view, (known.__name__,)))


_HEARD: Mapping[type, Callable[[GammonXSession, Any], None]] = {
    MatchPaired: _pair,
    MatchShown: _come_back,
    SeatReady: _note_ready,
    MatchOpened: _open,
    TurnStarted: _note_turn,
    MovePlayed: _play,
    GameEnded: _end_game,
    MatchEnded: _end,
    TicketClosed: _lapse,
    Displaced: _displace,
    SeatDropped: _note_drop,
    SeatReturned: _note_return,
}
"""What follows from events; the others mean nothing here."""
