"""The hub's methods: a table of what may be invoked where.

`TABLE` is what a client is told in `allowedCommands`, in the document's order, and what is carried
out; `ALSO` may be invoked besides. Everything else is refused, with the method's own code, and
changes nothing. The lobby has the last word: what it refuses is told in the same way.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from games.backgammon.notation import Word, write_hops
from gameserver.protocol import Code, Command, Play, Ready, Rejected, Resign, Scope
from protocols.gammonx import payloads, refusals
from protocols.gammonx.guids import read_guid
from protocols.gammonx.hub_methods import (
    AcceptDouble,
    DeclineDouble,
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
)
from protocols.gammonx.joining import join
from protocols.gammonx.match_state import OwnMatch
from protocols.gammonx.schema import Commands
from protocols.gammonx.session import GammonXSession
from protocols.gammonx.stage import Stage
from protocols.signalr import Steps


def invoke(session: GammonXSession, call: Any) -> Steps | None:
    """Carry out a method, or say why not."""
    table = TABLES[session.profile.name]
    if isinstance(call, JoinMatch):
        return join(session, call)
    refusal = _wrong_match(session, call.match_id)
    if refusal is not None:
        session.refuse(session.profile.wordings[type(call)].code, refusal)
        return None
    standing = session.standing
    handler = table[standing].get(type(call)) or ALSO.get(standing, _EVERYWHERE).get(type(call))
    if handler is None:
        _refuse_unlisted(session, call)
        return None
    return handler(session, call)


def _wrong_match(session: GammonXSession, text: str) -> str | None:
    """The fault of a match id, if it has one."""
    match_id = read_guid(text)
    if match_id is None:
        return refusals.not_a_guid("matchId", text)
    if session.view is not None and session.knows(match_id):
        return None
    is_waiting = session.standing is Stage.WAITING and session.knows(match_id)
    return refusals.NO_OPPONENT if is_waiting and session.profile.names_the_unlisted else refusals.NO_MATCH


def _refuse_unlisted(session: GammonXSession, call: Any) -> None:
    if session.profile.names_the_unlisted:
        view, why = _view(session), refusals.NOT_LISTED.format(method=type(call).__name__)
        if isinstance(call, StartGame | StartMatch) and view.is_playing and view.has_started:
            why += f" {session.profile.wordings[type(call)].not_now}"
        why += " The match is over." if session.standing is Stage.OVER else _possible(session.allowed)
        session.refuse(session.profile.wordings[type(call)].code, why)
    else:
        session.refuse_call(call, _why_not(session, call))


def _why_not(session: GammonXSession, call: Any) -> str:
    """Why a method cannot be invoked where the client stands, and which can."""
    wording, view, standing = session.profile.wordings[type(call)], _view(session), session.standing
    state = view.state
    if isinstance(call, OfferDouble) and state is not None and view.is_playing and state.cube is None:
        return refusals.NO_CUBE.format(match=view.match_id)
    if standing is Stage.OVER:
        return "The match is over."
    if standing is Stage.OPPONENTS_TURN:
        return wording.not_your_turn.format(player=view.players[view.seat])
    if standing in _NO_GAME and not isinstance(call, StartMatch | StartGame | ResignGame):
        return refusals.NO_GAME.format(round=len(view.score.rounds) + 1) + _possible(session.allowed)
    return wording.not_now.format(player=view.players[view.seat]) + _possible(session.allowed)


def _possible(possible: Commands) -> str:
    return f" Possible now: {', '.join(possible)}." if possible else " Wait for the other player."


def _view(session: GammonXSession) -> OwnMatch:
    assert session.view is not None, "methods are of a match"
    return session.view


def _ask(session: GammonXSession, call: Any, command: Command) -> Steps:
    """Ask the lobby for what a method means."""
    told = yield command
    if isinstance(told.answer, Rejected):
        session.refuse_call(call, refusals.reason(told.answer))


def _start(session: GammonXSession, call: StartGame | StartMatch) -> Steps:
    view = _view(session)
    if view.is_playing:  # the dice that were to tell who starts were a tie
        told = yield Play(session.peer.session, Word.ROLL.value, view.number)
    else:
        told = yield Ready(session.peer.session)
    if isinstance(told.answer, Rejected):
        session.refuse_call(call, refusals.reason(told.answer))
    elif session.standing is Stage.STARTED:
        session.tell_start()


def _play(session: GammonXSession, call: Any, word: Word) -> Steps:
    return _ask(session, call, Play(session.peer.session, word.value, _view(session).number))


def _move(session: GammonXSession, call: Move) -> Steps:
    view = _view(session)
    state = view.state
    assert state is not None, "checkers are moved in a game"
    fields = payloads.fields_shown(state, session.dialect)
    hop = payloads.hop_between(fields, call.from_, call.to)
    told = None if hop is None else (yield Play(session.peer.session, write_hops((hop,)), view.number))
    if told is None or (isinstance(told.answer, Rejected) and told.answer.code is Code.ILLEGAL_MOVE):
        session.refuse_call(call, refusals.no_move(call, state, hop, fields))
    elif isinstance(told.answer, Rejected):
        session.refuse_call(call, refusals.reason(told.answer))


def _resign(session: GammonXSession, call: Any, scope: Scope) -> Steps:
    return _ask(session, call, Resign(session.peer.session, scope, _view(session).number))


def _tell_game(session: GammonXSession, call: GameState) -> None:
    if not _view(session).has_started:
        session.refuse_call(call, _why_not(session, call))
    else:
        session.tell_game("game-state")


def _tell_match(session: GammonXSession, _: MatchState) -> None:
    session.tell_match("match-state")


Handler = Callable[[GammonXSession, Any], Steps | None]
Row = Mapping[type, Handler]

_WORDS: Row = {
    method: partial(_play, word=word)
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


TABLE: Mapping[Stage, Row] = {
    Stage.OUTSIDE: {},
    Stage.WAITING: {},
    Stage.BEFORE_MATCH: {StartGame: _start},
    Stage.BEFORE_GAME: {StartGame: _start},
    Stage.STARTED: {},
    Stage.TO_ROLL: {**_words(Roll), **_RESIGN},
    Stage.TO_ROLL_OR_DOUBLE: {**_words(Roll), **_RESIGN, **_words(OfferDouble)},
    Stage.ROLLED: {**_MOVE, **_RESIGN},
    Stage.STUCK: {**_words(EndTurn), **_RESIGN},
    Stage.MOVED: {**_MOVE, **_words(UndoMove), **_RESIGN},
    Stage.DONE: {**_words(EndTurn, UndoMove), **_RESIGN},
    Stage.DOUBLED: {**_words(AcceptDouble, DeclineDouble), **_RESIGN},
    Stage.OPPONENTS_TURN: _RESIGN,
    Stage.OVER: {},
}
"""The methods allowed in each standing. `JoinMatch` is everywhere: it comes before there is a match."""

TABLES: Mapping[str, Mapping[Stage, Row]] = {
    "document": TABLE,
    "2026": {
        **TABLE,
        Stage.BEFORE_MATCH: {StartMatch: _start, **_RESIGN},
        Stage.BEFORE_GAME: {StartGame: _start, **_RESIGN},
        Stage.STARTED: _RESIGN,
    },
}
"""By profile. In 2026 a game can be begun only once the match is; and `ResignGame` is listed where the lobby
refuses it, because there is no game."""

ALLOWED: Mapping[str, Mapping[Stage, Commands]] = {
    profile: {stage: tuple(method.__name__ for method in row) for stage, row in table.items()}
    for profile, table in TABLES.items()
}
"""The methods that a payload names as allowed, by profile and stage."""

_NO_GAME = {Stage.BEFORE_MATCH, Stage.BEFORE_GAME, Stage.STARTED}

_EVERYWHERE: Row = {GameState: _tell_game, MatchState: _tell_match}

ALSO: Mapping[Stage, Row] = {
    Stage.BEFORE_MATCH: {**_RESIGN_MATCH, **_EVERYWHERE},
    Stage.BEFORE_GAME: {**_RESIGN_MATCH, **_EVERYWHERE},
    Stage.STARTED: {**_RESIGN_MATCH, **_EVERYWHERE},
}
"""The methods that can be invoked without being listed; where nothing is said, the two that only ask."""
