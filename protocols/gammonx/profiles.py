"""The two generations of the protocol, as data.

`document` is what was written down in September 2025: both players start a game, and the first player rolls. `2026` is
what the original server made of it by June 2026: both start the match, for which a die each is rolled; the higher one
plays them both at once. Later games are as they were.

Refusals have the codes and texts of the document's server, and words of our own where it had none. A text that the
original has is kept as it is. What may be done instead is added to it, because the original's texts tell what was wrong
and seldom what to do.
"""

from collections.abc import Mapping

from attrs import evolve

from games.backgammon.board import Hop
from games.backgammon.state import GameState
from games.backgammon.variants import BAR, OFF
from gameserver.protocol import Code, Rejected
from gameserver.values import value
from protocols.gammonx import schema
from protocols.gammonx.schema import LATER_METHODS, METHODS, Commands
from protocols.wording import SENTENCES, echo, filled


@value
class _Wording:
    """The wording of a GammonX method's errors: its code, and the sentence that a reason is put into."""

    code: str
    sentence: str
    not_your_turn: str = "It is not your turn."
    not_now: str = "That cannot be done at this moment."


_TRYING = "An error occurred while trying to {}: '{{why}}'"

# The codes and sentences of the original; where it says the same for two faults, so does this.
WORDINGS: Mapping[type, _Wording] = {
    schema.JoinMatch: _Wording("LOBBY_ERROR", _TRYING.format("join the match lobby")),
    schema.StartMatch: _Wording(
        "START_MATCH_ERROR", _TRYING.format("start the match"), not_now="The match has been started already."
    ),
    schema.StartGame: _Wording(
        "MATCH_ERROR", _TRYING.format("start the game"), not_now="The game has been started already."
    ),
    schema.Roll: _Wording(
        "ROLL_ERROR",
        _TRYING.format("roll the dices"),
        "It is not your turn to roll the dices.",
        "The dices cannot be rolled at this moment.",
    ),
    schema.Move: _Wording(
        "MOVE_ERROR",
        _TRYING.format("move checkers"),
        "It is not your turn to move the checkers.",
        "The checkers cannot be moved at this moment.",
    ),
    # In no document: the original took it from 2 October 2025 on.
    schema.UndoMove: _Wording(
        "UNDO_MOVE_ERROR",
        "{why}",
        "You cannot undo a move at this moment.",
        "You cannot undo a move at this moment.",
    ),
    # The document's server answered some faults of this one by ROLL_ERROR.
    schema.EndTurn: _Wording(
        "END_TURN_ERROR",
        "{why}",
        "You cannot end your turn at this moment.",
        "You cannot end your turn at this moment.",
    ),
    schema.ResignGame: _Wording(
        "RESIGN_GAME_ERROR",
        "An error occurred while resigning the game: '{why}'",
        not_now="There is no game to resign.",
    ),
    schema.ResignMatch: _Wording(
        "RESIGN_MATCH_ERROR", "An error occurred while resigning the match: '{why}'", not_now="The match is over."
    ),
    schema.OfferDouble: _Wording(
        "OFFER_DOUBLE_ERROR",
        "{why}",
        "The player with the id '{player}' cannot offer a double at the moment.",
        "The player with the id '{player}' cannot offer a double at the moment.",
    ),
    schema.AcceptDouble: _Wording(
        "ACCEPT_DOUBLE_ERROR",
        "An error occurred while accepting a double offer: '{why}'",
        "No double is offered to you.",
        "No double is offered to you.",
    ),
    schema.DeclineDouble: _Wording(
        "DECLINE_DOUBLE_ERROR",
        "An error occurred while declining a double offer: '{why}'",
        "No double is offered to you.",
        "No double is offered to you.",
    ),
    schema.GameState: _Wording("GET_GAME_STATE_ERROR", "{why}"),
    schema.MatchState: _Wording("GET_MATCH_STATE_ERROR", "{why}"),
}
"""The wording of every method of the document."""

_LATER_WORDINGS: Mapping[type, _Wording] = {
    **WORDINGS,
    schema.StartGame: evolve(WORDINGS[schema.StartGame], code="START_GAME_ERROR"),
}
"""The wording of every method of 2026."""

_NO_GUID = "The given {what} '{value}' is not a valid GUID."
# The document's server wrote "seesion".
NO_MATCH = "No match session was found with the given matchId."
NO_OPPONENT = "The opponent has not come yet. Wait for match-lobby-found."
"""The refusal of every method until then in 2026; the document's server said that there is no match."""
_NO_LOBBY = "No match lobby was found with the given matchId."
NO_GAME = "No game session exists for round {round}."
NO_CUBE = "The match with matchId '{match}' does not support doubling cubes."
NOT_LISTED = "The given command '{method}' is not in the list of allowed commands."
"""The refusal of every method that is not for now in 2026."""
_WAY = "from '{}' to '{}'"
_NO_MOVE = f"No legal move exists for {_WAY}."

_REASONS: Mapping[Code, str] = {
    **{code: f"{sentence}." for code, sentence in SENTENCES.items()},
    Code.NOT_ENTERED: "The calling player is not part of the match session.",
    Code.ALREADY_ENTERED: "This connection has joined a match already; use another connection for another match.",
    Code.NAME_TAKEN: (
        "Another connection of this player is part of the match session. "
        "Close it, or connect with the token that the join answered."
    ),
    Code.NAME_HELD: (
        "Others know this matchId too, so the seat can be taken back from the computer that joined or played "
        "alone, or with the token that the join answered."
    ),
    Code.TOKEN_WRONG: (
        "The token is not the one of this search; connect with the token that its join answered, or without any."
    ),
    Code.UNPROVEN: (
        "The PlayerId {name} belongs to somebody with a secret; join with it as 'Authorization: Bearer SECRET', "
        "and connect with the token that the join answered."
    ),
    Code.PROOF_WRONG: "That is not the secret of the PlayerId {name}; ask the teacher for yours.",
    Code.PROOF_TOO_OFTEN: (
        "That is not the secret of the PlayerId {name} either, and this connection ends after so many wrong ones; "
        "ask the teacher for yours."
    ),
    Code.NAME_SLIP: "No PlayerId {name} is on the list of players, but one that differs by a letter; correct it.",
    Code.NOT_LISTED: "The PlayerId {name} is not on the list of players; ask the teacher to be put on it.",
    Code.NAME_RESERVED: "The name {name} is reserved.",
    Code.NAME_INVALID: "The name {name} cannot be used: {why}.",
    Code.UNKNOWN_GAME: "This server does not have the game {game}.",
    Code.IN_MATCH: "The player is part of a match session already; play it or resign it first.",
    Code.NOT_IN_ROOM: "You are not at any table.",
    Code.READY_ALREADY: "The game has been started already.",
    Code.TICKETS_FULL: "There are {count} searches from {address} whose players have not come; "
    "join their matches, or cancel them",
    Code.NO_SUCH_TICKET: _NO_LOBBY,
    Code.NOT_YOUR_TICKET: (
        "The calling player is not part of the match session. "
        "Use the matchId together with the PlayerId that it was answered to."
    ),
    # The original's, word for word and without a stop.
    Code.TICKET_SEATED: "Unable to cancel the queue entry. Matchlobby was already created",
    Code.NOT_IN_MATCH: NO_MATCH,
    Code.NOT_STARTED: "The game has not been started; invoke StartGame.",
    Code.TURN_NOT_BEGUN: "It is not your turn yet.",
    Code.ILLEGAL_MOVE: "{why}.",
}
"""The lobby's refusals, with a full stop as the original's sentences have it."""


def reason(rejected: Rejected) -> str:
    """The sentence for a refusal of the lobby, alike in both generations of GammonX's protocol."""
    return filled(_REASONS[rejected.code], rejected.facts)


def not_a_guid(what: str, value: str) -> str:
    """The error, alike in both generations of GammonX's protocol, for a text that should be a GUID."""
    return _NO_GUID.format(what=what, value=echo(value))


def no_move(call: schema.Move, state: GameState, hop: Hop | None, fields: tuple[int, ...]) -> str:
    """Says in both generations of GammonX why a `Move` is refused, and what has to come first if that helps.

    `fields` are the mover's: the document's `GetLegalToPositions` offers a step wherever it stands in a sequence, so
    clients ask for a step before the one that makes it possible.
    """
    sentence = _NO_MOVE.format(call.from_, call.to)
    if hop is None:
        return sentence
    position, mover = state.position, state.mover
    before = position.steps_before(mover, state.left, (hop,)) or ()
    if position.variant.enters_first and position.count(mover, BAR) and hop[0] != BAR:
        sentence += " A checker on the bar has to enter first"
    elif not before:
        return sentence
    elif hop[1] == OFF and not position.is_home(mover):
        sentence += " All of your checkers have to be home first"
    else:
        sentence += " Another checker has to move first"
    ways = " and ".join(_WAY.format(fields[step.source], fields[step.target]) for step in before)
    return f"{sentence}, such as {ways}." if ways else f"{sentence}."


@value
class GammonXProfile:
    """A generation of the GammonX protocol: its paths, methods and words."""

    name: str
    prefix: str
    """The beginning of its paths."""
    opens_with_dice: bool
    """True if a match is begun by `StartMatch`, and its first game by the dice that decide who starts."""
    polls: bool
    """True if a join answers no match id: the client asks for it."""
    before_match: str
    """The event that tells both that they are to begin the match."""
    waiting_for_match: str
    """The event for the player who has started the match while the opponent has not."""
    allowed_after_error: Commands
    methods: tuple[type, ...]
    """The hub's methods."""
    tells_at_connecting: bool
    """True if a connection that names its match is told at once the state of its search, or that there is none."""
    always_maps_moves: bool
    """True if black is told moves on its own board whatever the options say."""
    wordings: Mapping[type, _Wording]
    names_the_unlisted: bool
    """True if a method that is not for now is refused as not listed, not in words of its own."""
    already_searching: str
    unknown_modus: str | None
    """Texts of the REST part; None for one that says what there is."""


PROFILES: Mapping[str, GammonXProfile] = {
    profile.name: profile
    for profile in (
        GammonXProfile(
            name="document",
            # By October 2025 the same protocol stood under `/game/api`, where that of 2026 is now.
            prefix="",
            opens_with_dice=False,
            polls=False,
            before_match="match-started",
            waiting_for_match="game-waiting",
            allowed_after_error=(),
            methods=METHODS,
            tells_at_connecting=False,
            always_maps_moves=False,
            wordings=WORDINGS,
            names_the_unlisted=False,
            already_searching="Already part of the match lobby queue",
            unknown_modus=None,
        ),
        GammonXProfile(
            name="2026",
            prefix="/game",
            opens_with_dice=True,
            polls=True,
            before_match="match-waiting-for-start",
            waiting_for_match="match-waiting",
            # An error changes nothing, so 2026 names what tells how things stand.
            allowed_after_error=("GameState", "MatchState"),
            methods=LATER_METHODS,
            tells_at_connecting=True,
            always_maps_moves=True,
            wordings=_LATER_WORDINGS,
            names_the_unlisted=True,
            already_searching="Player '{player}' is already part of a match lobby queue",
            # The original's, word for word, as is the text before it.
            unknown_modus="Cannot join a match for a unknown modus.",
        ),
    )
}
"""By name; the first is the default."""
