"""Consequences of the lobby's events: what a connection keeps of them, and what its client is told.

A game's state is told when a move has had all its consequences: dice that a move makes fall come with
it, and a game that a move ends is told of by the match's state. Moves of players who do not play by
hand are told step by step, as if they did. Events of other matches than this client's do not come.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from games.backgammon.notation import Word
from games.backgammon.phases import TurnPhase
from gameserver.protocol import (
    Displaced,
    EndReason,
    Event,
    GameEnded,
    MatchEnded,
    MatchOpened,
    MatchPaired,
    MatchShown,
    MovePlayed,
    OwnDrawShown,
    SeatDropped,
    SeatReady,
    SeatReturned,
    TicketClosed,
    TicketShown,
    TurnStarted,
)
from protocols.gammonx import payloads
from protocols.gammonx.payloads import OwnMatch
from protocols.gammonx.schema import EmptyPayload, GameState, MatchState
from protocols.gammonx.session import GammonXSession


def hear(session: GammonXSession, events: Sequence[Event]) -> None:
    """Keeps what follows from the lobby's events, and tells the GammonX client; some mean nothing here."""
    # A game that ends its match is told of by the match's end alone.
    session.is_ending = MatchEnded in map(type, events)
    for event in events:
        handler = _HEARD.get(type(event))
        if handler is not None:
            session.release_ms = getattr(event, "release_ms", 0)
            handler(session, event)
    session.release_ms = 0


def _note_search(session: GammonXSession, event: TicketShown) -> None:
    session.paired_id = event.public_id


def _pair(session: GammonXSession, event: MatchPaired) -> None:
    if session.match_id is not None:
        session.view = OwnMatch.paired(session.match_id, event)
        session.deadlines.act_by_ms = event.ready_by_ms
        session.tell_found()
        session.tell_start()


def _come_back(session: GammonXSession, event: MatchShown) -> None:
    if session.match_id is not None:
        session.view = OwnMatch.shown(session.match_id, event)
        if event.own_draw is not None and session.profile.opens_with_dice:
            session.view.shown_own_die(event.own_draw)
        session.deadlines.act_by_ms = None if session.view.is_ready else event.paired.ready_by_ms
        if session.is_attaching:
            _tell_connected(session, session.view)
        else:
            session.tell_all()


def _tell_connected(session: GammonXSession, view: OwnMatch) -> None:
    """Tell that a player is back, and which methods are allowed now."""
    known = GameState if view.is_playing and view.has_started else MatchState
    session.tell("player-connected", payloads.lobby(view, (known.__name__,)))


def _note_ready(session: GammonXSession, event: SeatReady) -> None:
    if session.view is not None and event.seat == session.view.seat:
        session.view.is_ready = True
        session.deadlines.act_by_ms = None


def _note_own_die(session: GammonXSession, event: OwnDrawShown) -> None:
    if session.view is not None and session.profile.opens_with_dice:
        session.view.shown_own_die(event.value)


def _open(session: GammonXSession, event: MatchOpened) -> None:
    session.deadlines.act_by_ms = None
    if session.view is not None:
        session.view.opened(event)
        _tell_opened(session, session.view)


def _tell_opened(session: GammonXSession, view: OwnMatch) -> None:
    """Tell of a game that has begun, if the dice have told who starts."""
    if not view.has_started:
        session.tell_start()
        return
    if session.profile.opens_with_dice and view.game_number == 1:
        session.tell_match("match-started")
    session.tell_game("game-started")


def _note_turn(session: GammonXSession, event: TurnStarted) -> None:
    session.deadlines.act_by_ms = event.deadline_ms


def _play(session: GammonXSession, event: MovePlayed) -> None:
    view = session.view
    if view is None:
        return
    had_started, stages = view.has_started, view.played(event)
    if stages:
        after = view.state
        for stage in stages:
            view.state = stage
            session.tell_game("game-state")
        view.state = after
    if not view.is_active:
        session.deadlines.act_by_ms = None
    if had_started:
        _tell_played(session, view, event)
    elif event.seat is None:
        _tell_opened(session, view)


def _tell_played(session: GammonXSession, view: OwnMatch, event: MovePlayed) -> None:
    assert view.state is not None, "something was played"
    if event.text == Word.DOUBLE:
        by_us_in_document = event.seat == view.seat and not session.profile.opens_with_dice
        # The document's server told who offered a double to wait, and 2026 tells both of the offer.
        session.tell_game("game-waiting" if by_us_in_document else "double-offered")
        return
    if event.text == Word.TAKE:
        session.tell_game("double-accepted")
        # 2026 tells of a taken double by one event; the document by two, the second being the state.
        if session.profile.opens_with_dice:
            return
    elif event.text == Word.DROP:
        # In the document's list of events, though no version of the original ever sent it.
        session.tell_game("double-declined")
    if view.state.phase not in {TurnPhase.ROLLING, TurnPhase.OVER}:
        session.tell_game("game-state")


def _end_game(session: GammonXSession, event: GameEnded) -> None:
    if session.view is not None:
        session.view.game_ended(event, is_last=session.is_ending)
        session.deadlines.act_by_ms = event.ready_by_ms
        if not session.is_ending:
            session.tell_match("game-ended")


def _end(session: GammonXSession, event: MatchEnded) -> None:
    session.deadlines.absent = None
    session.deadlines.act_by_ms = None
    if session.view is None:
        return
    session.view.ended(event)
    # A match that the teacher voided has no winner to tell of.
    if event.result.reason is not EndReason.VOID:
        session.tell_match("match-ended")
    _disconnect(session)


def _lapse(session: GammonXSession, _: TicketClosed) -> None:
    session.leave_match()
    _disconnect(session)


def _displace(session: GammonXSession, _: Displaced) -> None:
    session.leave_match()
    _disconnect(session)
    # The original replaces an old connection at once, too.
    session.client.close("You have joined the match by another connection; this one ends.")


def _disconnect(session: GammonXSession) -> None:
    session.tell("force-disconnect", EmptyPayload())


def _note_drop(session: GammonXSession, event: SeatDropped) -> None:
    session.deadlines.absent = event
    if session.view is not None and not (session.view.is_playing and session.view.has_started):
        session.deadlines.act_by_ms = None


def _note_return(session: GammonXSession, event: SeatReturned) -> None:
    session.deadlines.absent = None
    if session.view is not None:
        if event.ready_by_ms is not None and not session.view.is_ready:
            session.deadlines.act_by_ms = event.ready_by_ms
        _tell_connected(session, session.view)


_HEARD: Mapping[type, Callable[[GammonXSession, Any], None]] = {
    TicketShown: _note_search,
    MatchPaired: _pair,
    MatchShown: _come_back,
    SeatReady: _note_ready,
    OwnDrawShown: _note_own_die,
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
"""Functions by event; all other events mean nothing here."""
