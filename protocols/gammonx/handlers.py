"""The hub's methods: a table of what may be invoked where.

`TABLE` is what a client is told in `allowedCommands`, in the document's order, and what is carried out; `ALSO` may be
invoked besides. Everything else is refused, with the method's own code, and changes nothing. The lobby has the last
word: what it refuses is told in the same way.

A connection comes to its match by `JoinMatch`, or by what it says of itself when it is made:

    connected, names its match and itself -- its seat is there       --> in its seat: `player-connected`
                                          -- it still searches (2026) --> `player-connected`, allows `JoinMatch`
                                          -- there is nothing (2026)  --> `force-disconnect`
    connected, names nothing, or nothing that there is                --> waits for `JoinMatch`

So a client that reconnects by itself is back in its seat before it has said a word. One that has lost the id of its
match names itself alone: if it may be told the id, it goes on as if it had named both.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from games.backgammon.notation import Word, write_hops
from gameserver.protocol import (
    Arrive,
    Capability,
    Code,
    Command,
    Leave,
    Play,
    Ready,
    RecallTicket,
    Rejected,
    Resign,
    Scope,
    ShowTicket,
    TicketShown,
    TicketStatus,
)
from protocols.gammonx import payloads, profiles
from protocols.gammonx.payloads import GammonXStage, OwnMatch
from protocols.gammonx.schema import (
    AcceptDouble,
    Commands,
    DeclineDouble,
    EmptyPayload,
    EndTurn,
    GameState,
    JoinMatch,
    MatchState,
    Move,
    OfferDouble,
    ResignGame,
    ResignMatch,
    Roll,
    StartGame,
    StartMatch,
    UndoMove,
    read_guid,
)
from protocols.gammonx.session import GammonXSession
from protocols.signalr import Steps


def join(session: GammonXSession, call: JoinMatch) -> Steps | None:
    """Carries out the GammonX hub's `JoinMatch`."""
    match_id, player_id = read_guid(call.match_id), read_guid(call.player_id)
    if match_id is None or player_id is None:
        wrong = ("matchId", call.match_id) if match_id is None else ("playerId", call.player_id)
        session.refuse(session.profile.wordings[JoinMatch].code, profiles.not_a_guid(*wrong))
        return None
    if session.has_entered and session.stage not in {GammonXStage.OUTSIDE, GammonXStage.OVER}:
        if session.knows(match_id) and player_id == session.player_id:
            _tell_again(session)
        else:
            why = "This connection has joined another match; use another connection for this one."
            session.refuse_call(call, why)
        return None
    return _join(session, match_id, player_id)


def attach(session: GammonXSession) -> Steps | None:
    """Takes back the seat that a new connection to the GammonX hub names, or tells how its search stands."""
    match_id, player_id = session.identity.match_id, session.identity.player_id
    if player_id is None:
        return None
    return _recall(session, player_id) if match_id is None else _attach(session, match_id, player_id)


def _tell_again(session: GammonXSession) -> None:
    """Joining twice does no harm."""
    if session.view is not None:
        session.tell_all()
    elif session.match_id is not None:
        session.tell("match-lobby-waiting", payloads.waiting_lobby(session.public_id, session.player_id))


def _join(session: GammonXSession, match_id: str, player_id: str) -> Steps:
    # The connection's earlier match is over: its player leaves the lobby before coming in for the next.
    if session.has_entered:
        yield Leave(session.peer.session)
        session.has_entered = False
    refusal = yield from _arrive(session, match_id, player_id)
    if refusal is not None:
        _refuse(session, refusal)
    elif session.view is None:
        session.tell("match-lobby-waiting", payloads.waiting_lobby(session.public_id, player_id))


def _recall(session: GammonXSession, player_id: str) -> Steps:
    """Find the match of a client that names nobody but itself, if it may be told."""
    peer, identity = session.peer, session.identity
    # A token proves the player that it names, and nobody else whom the client may name besides.
    is_proven = identity.is_proven and identity.player_id == player_id
    told = yield RecallTicket(peer.session, player_id, peer.address, identity.token, is_proven)
    shown = next((event for event in told.events if isinstance(event, TicketShown)), None)
    if shown is not None:
        yield from _attach(session, shown.public_id or shown.ticket, player_id)


def _attach(session: GammonXSession, match_id: str, player_id: str) -> Steps:
    told = yield ShowTicket(session.peer.session, match_id, player_id)
    shown = next((event for event in told.events if isinstance(event, TicketShown)), None)
    if shown is not None and shown.status is TicketStatus.SEATED:
        # The match is told in one event then, `player-connected`, and not from its beginning.
        session.is_attaching = True
        refusal = yield from _arrive(session, match_id, player_id)
        session.is_attaching = False
        if refusal is not None and session.profile.tells_at_connecting:
            _refuse(session, refusal)
    elif session.profile.tells_at_connecting:
        if shown is None:
            # As in 2026; the document's server ignored what a connection named.
            session.tell("force-disconnect", EmptyPayload())
        else:
            called = shown.public_id or shown.ticket
            lobby = payloads.waiting_lobby(called, player_id, (JoinMatch.__name__,))
            session.tell("player-connected", lobby)


def _arrive(session: GammonXSession, match_id: str, player_id: str) -> Steps:
    """Come in, or back; gives why not, or None."""
    peer, identity = session.peer, session.identity
    session.leave_match()
    session.match_id, session.player_id = match_id, player_id
    is_proven = identity.is_proven and identity.player_id == player_id
    told = yield Arrive(
        peer.session, match_id, player_id, "gammonx", peer.address, (Capability.READY,), identity.token, is_proven
    )
    if isinstance(told.answer, Rejected):
        session.leave_match()
        return told.answer
    session.has_entered = True
    return None


def _refuse(session: GammonXSession, refusal: Rejected) -> None:
    wording, why = session.profile.wordings[JoinMatch], profiles.reason(refusal)
    is_bare = refusal.code is Code.NO_SUCH_TICKET
    # The original does not put this one reason into its sentence.
    session.refuse(wording.code, why if is_bare else wording.sentence.format(why=why))


def invoke(session: GammonXSession, call: Any) -> Steps | None:
    """Carries out a method of the GammonX hub, or tells the client why not."""
    table = TABLES[session.profile.name]
    if isinstance(call, JoinMatch):
        return join(session, call)
    view = session.view
    # The usual spelling of the id is compared first; only other texts take a closer look.
    refusal = None if view is not None and call.match_id in view.match_ids else _wrong_match(session, call.match_id)
    if refusal is not None:
        session.refuse(session.profile.wordings[type(call)].code, refusal)
        return None
    stage = session.stage
    handler = table[stage].get(type(call)) or ALSO.get(stage, _EVERYWHERE).get(type(call))
    if handler is None:
        _refuse_unlisted(session, call)
        return None
    return handler(session, call)


def _wrong_match(session: GammonXSession, text: str) -> str | None:
    match_id = read_guid(text)
    if match_id is None:
        return profiles.not_a_guid("matchId", text)
    if session.view is not None and session.knows(match_id):
        return None
    is_waiting = session.stage is GammonXStage.WAITING and session.knows(match_id)
    return profiles.NO_OPPONENT if is_waiting and session.profile.names_the_unlisted else profiles.NO_MATCH


def _refuse_unlisted(session: GammonXSession, call: Any) -> None:
    if session.profile.names_the_unlisted:
        view, why = _view(session), profiles.NOT_LISTED.format(method=type(call).__name__)
        if isinstance(call, StartGame | StartMatch) and view.is_playing and view.has_started:
            why += f" {session.profile.wordings[type(call)].not_now}"
        why += " The match is over." if session.stage is GammonXStage.OVER else _possible(session.allowed)
        session.refuse(session.profile.wordings[type(call)].code, why)
    else:
        session.refuse_call(call, _why_not(session, call))


def _why_not(session: GammonXSession, call: Any) -> str:
    """The reason for which a method cannot be invoked at this stage, and the methods that can."""
    wording, view, stage = session.profile.wordings[type(call)], _view(session), session.stage
    state = view.state
    if isinstance(call, OfferDouble) and state is not None and view.is_playing and state.cube is None:
        return profiles.NO_CUBE.format(match=view.match_id)
    if stage is GammonXStage.OVER:
        return "The match is over."
    if stage is GammonXStage.OPPONENTS_TURN:
        return wording.not_your_turn.format(player=view.players[view.seat])
    if stage in _NO_GAME and not isinstance(call, StartMatch | StartGame | ResignGame):
        return profiles.NO_GAME.format(round=len(view.score.rounds) + 1) + _possible(session.allowed)
    return wording.not_now.format(player=view.players[view.seat]) + _possible(session.allowed)


def _possible(possible: Commands) -> str:
    return f" Possible now: {', '.join(possible)}." if possible else " Wait for the other player."


def _view(session: GammonXSession) -> OwnMatch:
    assert session.view is not None, "methods are of a match"
    return session.view


def _ask(session: GammonXSession, call: Any, command: Command) -> Steps:
    told = yield command
    if isinstance(told.answer, Rejected):
        session.refuse_call(call, profiles.reason(told.answer))


def _start(session: GammonXSession, call: StartGame | StartMatch) -> Steps:
    view = _view(session)
    # The original would take a second roll before the opponent's.
    if view.is_playing:  # the dice that were to tell who starts were a tie
        told = yield Play(session.peer.session, Word.ROLL.value, view.number)
    else:
        told = yield Ready(session.peer.session)
    if isinstance(told.answer, Rejected):
        session.refuse_call(call, profiles.reason(told.answer))
    elif session.stage is GammonXStage.STARTED:
        session.tell_start()


def _play(session: GammonXSession, call: Any, word: str) -> Steps:
    return _ask(session, call, Play(session.peer.session, word, _view(session).number))


def _move(session: GammonXSession, call: Move) -> Steps:
    view = _view(session)
    state = view.state
    assert state is not None, "checkers are moved in a game"
    fields = payloads.fields_shown(state, session.dialect)
    # Looked at before anything is played: the original took dice for used before it found the move illegal.
    hop = payloads.hop_between(fields, call.from_, call.to)
    told = None if hop is None else (yield Play(session.peer.session, write_hops((hop,)), view.number))
    if told is None or (isinstance(told.answer, Rejected) and told.answer.code is Code.ILLEGAL_MOVE):
        session.refuse_call(call, profiles.no_move(call, state, hop, fields))
    elif isinstance(told.answer, Rejected):
        session.refuse_call(call, profiles.reason(told.answer))


def _resign(session: GammonXSession, call: Any, scope: Scope) -> Steps:
    return _ask(session, call, Resign(session.peer.session, scope, _view(session).number))


def _tell_game(session: GammonXSession, call: GameState) -> None:
    if not _view(session).has_started:
        session.refuse_call(call, _why_not(session, call))
    else:
        # To the caller alone; the original tells both.
        session.tell_game("game-state")


def _tell_match(session: GammonXSession, _: MatchState) -> None:
    session.tell_match("match-state")


Handler = Callable[[GammonXSession, Any], Steps | None]
Row = Mapping[type, Handler]

_WORDS: Row = {
    method: partial(_play, word=word.value)
    for method, word in (
        (Roll, Word.ROLL),
        (EndTurn, Word.END),
        (UndoMove, Word.UNDO),
        (OfferDouble, Word.DOUBLE),
        (AcceptDouble, Word.TAKE),
        (DeclineDouble, Word.DROP),
    )
}
_RESIGN_MATCH: Row = {ResignMatch: partial(_resign, scope=Scope.MATCH)}
_RESIGN: Row = {ResignGame: partial(_resign, scope=Scope.GAME), **_RESIGN_MATCH}
_MOVE: Row = {Move: _move}


def _words(*methods: type) -> Row:
    return {method: _WORDS[method] for method in methods}


TABLE: Mapping[GammonXStage, Row] = {
    GammonXStage.OUTSIDE: {},
    GammonXStage.WAITING: {},
    GammonXStage.BEFORE_MATCH: {StartGame: _start},
    GammonXStage.BEFORE_GAME: {StartGame: _start},
    GammonXStage.STARTED: {},
    GammonXStage.TO_ROLL: {**_words(Roll), **_RESIGN},
    GammonXStage.TO_ROLL_OR_DOUBLE: {**_words(Roll), **_RESIGN, **_words(OfferDouble)},
    GammonXStage.ROLLED: {**_MOVE, **_RESIGN},
    # The server of the document offered Move even where no move was legal; EndTurn was taken all the same.
    GammonXStage.STUCK: {**_words(EndTurn), **_RESIGN},
    GammonXStage.MOVED: {**_MOVE, **_words(UndoMove), **_RESIGN},
    GammonXStage.DONE: {**_words(EndTurn, UndoMove), **_RESIGN},
    # The document's server left these two out of the list that came with the offer.
    GammonXStage.DOUBLED: {**_words(AcceptDouble, DeclineDouble), **_RESIGN},
    # Either player may resign at any time of a game.
    GammonXStage.OPPONENTS_TURN: _RESIGN,
    GammonXStage.OVER: {},
}
"""The methods allowed in each stage. `JoinMatch` is everywhere: it comes before there is a match."""

TABLES: Mapping[str, Mapping[GammonXStage, Row]] = {
    "document": TABLE,
    "2026": {
        **TABLE,
        GammonXStage.BEFORE_MATCH: {StartMatch: _start, **_RESIGN},
        GammonXStage.BEFORE_GAME: {StartGame: _start, **_RESIGN},
        GammonXStage.STARTED: _RESIGN,
    },
}
"""By profile. In 2026 a game can be begun only once the match is; and `ResignGame` is listed where the lobby
refuses it, because there is no game."""

ALLOWED: Mapping[str, Mapping[GammonXStage, Commands]] = {
    profile: {stage: tuple(method.__name__ for method in row) for stage, row in table.items()}
    for profile, table in TABLES.items()
}
"""The methods that a payload names as allowed, by profile and stage."""

_NO_GAME = {GammonXStage.BEFORE_MATCH, GammonXStage.BEFORE_GAME, GammonXStage.STARTED}

_EVERYWHERE: Row = {GameState: _tell_game, MatchState: _tell_match}

ALSO: Mapping[GammonXStage, Row] = {
    GammonXStage.BEFORE_MATCH: {**_RESIGN_MATCH, **_EVERYWHERE},
    GammonXStage.BEFORE_GAME: {**_RESIGN_MATCH, **_EVERYWHERE},
    GammonXStage.STARTED: {**_RESIGN_MATCH, **_EVERYWHERE},
}
"""The methods that can be invoked without being listed; where nothing is said, the two that only ask."""
