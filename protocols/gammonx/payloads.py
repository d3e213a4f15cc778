"""Payloads: a match as its client sees it.

Every client sees itself as white: its own checkers are negative and go from field 0 up, its bar is -1, and -100 is off
the board. So black is told a board with the colours exchanged, and the way there and back is the same for both: fields
are counted from the far end of one's own points.

`OwnMatch` is one client's knowledge of its match, kept up by the lobby's events. The lobby tells moves; the position
that they lead to is worked out here, by the games themselves.

Sequences are thinned out. GammonX clients ask the list of sequences one thing: where can a checker from here go, alone
or in a chain of steps that follow each other directly? The full list answers it thousands of times over (538 sequences
for 2 2 at the start, over 4,000 at worst, and 350 KB on the wire), so of all sequences only those are kept that add an
answer to the ones before. A client gets a new list after each step, thinned in the same way. The full list is never
written out for it: the graph of positions is walked, and a branch all of whose answers are known is left alone.
"""

from collections.abc import Mapping
from enum import StrEnum, auto
from functools import lru_cache
from typing import Any, Self

from attrs import define, field

from games.backgammon.board import BackgammonBoard, CheckerMove, Dice, Hop, PlaySearch, Sequence
from games.backgammon.fields import fields_of, numbering, pinned_fields_of
from games.backgammon.match import MATCH_KINDS, Length, MatchScore, Round
from games.backgammon.notation import Word
from games.backgammon.phases import TurnPhase
from games.backgammon.rules import BackgammonFamily
from games.backgammon.state import GameState
from games.backgammon.variants import VARIANTS
from gameserver.protocol import GameEnded, MatchEnded, MatchOpened, MatchPaired, MatchShown, MovePlayed, Result
from gameserver.values import value
from protocols.gammonx.schema import (
    MODUS_OF,
    PLAYER_PREFIX,
    TYPE_OF,
    VARIANT_OF,
    BoardState,
    Commands,
    DiceRoll,
    GamePhase,
    GameRound,
    GameStatePayload,
    LegalMove,
    LobbyPayload,
    MatchStatePayload,
    MoveSequence,
    PlayerScore,
    modus_of,
    named_guid,
)

# The lobby tells moves as text: which game reads them is known by the name in the event.
GAMES = {name: BackgammonFamily(variant) for name, variant in VARIANTS.items()}
"""The single games, by their names in the lobby."""

_POSITIONS_SHARED = 1_024
"""Positions that are kept for the opponent's client, which is told of the same moves right after."""

_WHITE = 0
"""The colour that every player sees as its own."""


class GammonXStage(StrEnum):
    """The stages of a GammonX client: the rows of the table of methods."""

    OUTSIDE = auto()
    """No match has been joined."""
    WAITING = auto()
    """It has, and the opponent is not there."""
    BEFORE_MATCH = auto()
    """Before the first game."""
    BEFORE_GAME = auto()
    """Between two games."""
    STARTED = auto()
    """Ready for a game, for which the opponent is not."""
    TO_ROLL = auto()
    TO_ROLL_OR_DOUBLE = auto()
    ROLLED = auto()
    """The dice can be played, and there is nothing to undo."""
    STUCK = auto()
    """The dice cannot be played, and there is nothing to undo."""
    MOVED = auto()
    """Some dice are played, others can be."""
    DONE = auto()
    """All dice that can be played are played."""
    DOUBLED = auto()
    """The opponent has offered to double."""
    OPPONENTS_TURN = auto()
    OVER = auto()
    """The match is over."""


@define
class OwnMatch:
    """A GammonX client's knowledge of its match, which is played, or was."""

    match_ids: tuple[str, ...]
    """The ids by which this client may call the match; the first is what both players are told."""
    number: int
    """The lobby's number of the match."""
    seat: int
    """0 is player 1, white, and 1 is player 2, black."""
    players: tuple[str, ...]
    """The GUIDs of both, by seat."""
    names: tuple[str | None, ...]
    """Names of players who have no GUID of their own, by seat."""
    score: MatchScore
    """The match after the games that are over."""
    state: GameState | None = None
    """The game's position; between games that of the last one, None before the first."""
    turn_time_ms: int | None = None
    """The limit of a turn, and of starting a game."""
    game_number: int = 0
    """The number of the game in `state`, from 1."""
    game_id: str = ""
    """The GUID of the game in `state`."""
    is_playing: bool = field(default=False)
    is_ready: bool = field(default=False)
    """True if this client has asked for the next game to start."""
    is_over: bool = field(default=False)
    start_dice: tuple[int | None, ...] | None = field(default=None)
    """The dice that decide who starts the match, by seat; None for the opponent's until both have fallen."""
    _before_last: MatchScore | None = field(default=None, init=False)
    """The match before the game that it ends with."""

    @classmethod
    def paired(cls, match_id: str, event: MatchPaired) -> Self:
        """Begins a GammonX client's knowledge of a match whose players have just met."""
        players = _ids(event.players, event.identities)
        names = _names(event.players, event.identities)
        score = _score(event.game, event.options)
        ids = event.match_ids or (match_id,)
        return cls(ids, event.match, event.seat, players, names, score, turn_time_ms=event.clock.turn_time_ms)

    @classmethod
    def shown(cls, match_id: str, event: MatchShown) -> Self:
        """Rebuilds a GammonX client's knowledge of a match that it comes back to."""
        view = cls.paired(match_id, event.paired)
        for played in event.played:
            view.game_number = played.number
            view.score = _after(view.score, played.result)
        if event.ready is None:
            view.begin(event.game, event.number, event.options, event.moves)
        else:
            # Between two games nothing else is left to take over.
            view.is_ready = event.seat in event.ready
        return view

    @property
    def match_id(self) -> str:
        """The id of the match in GammonX payloads."""
        return self.match_ids[0]

    @property
    def variant_name(self) -> str:
        """The lobby's name of the game that a GammonX match is made of."""
        return self.score.kind.name

    @property
    def opponent(self) -> str:
        """The GUID of the other player of a GammonX match."""
        return self.players[1 - self.seat]

    @property
    def has_started(self) -> bool:
        """True once the dice have told who starts a GammonX game: before that there is none to speak of."""
        return self.state is not None and self.state.phase not in {TurnPhase.OPENING, TurnPhase.TIED}

    @property
    def is_active(self) -> bool:
        """True if it is for this GammonX client to act."""
        return self.state is not None and self.is_playing and self.seat in self.state.turn.seats

    @property
    def stage(self) -> GammonXStage:
        """The stage of a GammonX client whose match has been found."""
        if self.is_over:
            return GammonXStage.OVER
        if not self.is_playing or self.state is None:
            if self.is_ready:
                return GammonXStage.STARTED
            return GammonXStage.BEFORE_GAME if self.score.rounds else GammonXStage.BEFORE_MATCH
        if not self.has_started:
            return GammonXStage.BEFORE_MATCH if self.is_active else GammonXStage.STARTED
        return _in_turn(self.state) if self.is_active else GammonXStage.OPPONENTS_TURN

    @property
    def active_seat(self) -> int:
        """The seat that is to act in a GammonX game; while dice fall, their owner."""
        assert self.state is not None, "there is a game"
        seats = self.state.turn.seats
        return seats[0] if seats else self.state.mover

    def opened(self, event: MatchOpened) -> None:
        """Notes that a game of a GammonX match has begun."""
        self.begin(event.game, event.number, event.options, event.draws)

    def begin(self, game: str, number: int, options: Any, moves: tuple[MovePlayed, ...]) -> None:
        """Sets a game of a GammonX match up, and plays what was played of it."""
        self.state, self.game_number = GAMES[game].start(options), number
        self.game_id = named_guid(f"match {self.number}, game {number}")
        self.is_playing, self.is_ready = True, False
        for move in moves:
            self.played(move)

    def shown_own_die(self, value: int) -> None:
        """Notes a GammonX client's own opening die, which it knows before the opponent's."""
        self.start_dice = (value, None) if self.seat == 0 else (None, value)

    def played(self, event: MovePlayed) -> tuple[GameState, ...]:
        """Goes on to the position of a GammonX game after a move or a draw.

        Returns the positions at which a player by hand would have stopped on the way; none for a move by hand or a
        draw.
        """
        state, seat = self.state, event.seat
        assert state is not None, "moves are of a game that has begun"
        stages: tuple[GameState, ...] = ()
        if seat is not None and not state.options.by_hand[seat]:
            stages = state.stages_of(GAMES[state.position.variant.name].read_move(event.text))
        if state.phase is TurnPhase.TIED:
            self.start_dice = None
        if seat is None and state.phase is TurnPhase.OPENING and self.game_number == 1:
            self.start_dice = _dice(event.text)
        self.state = _after_move(state, seat, event.text)
        return stages

    def game_ended(self, event: GameEnded, *, is_last: bool) -> None:
        """Notes that a game of a GammonX match is over; `is_last` where the match ends with it."""
        self.is_playing, self.is_ready = False, False
        self._before_last = self.score if is_last else None
        if not self.score.is_over:
            self.score = _after(self.score, event.result)

    def ended(self, event: MatchEnded) -> None:
        """Notes the end of a GammonX match; one that was given up costs what its points tell."""
        self.is_playing, self.is_over = False, True
        if event.result.points == self.score.points and self.score.is_over:
            return
        before = self.score if self._before_last is None else self._before_last
        by = event.result.by
        if by is not None and not before.is_over:
            self.score = before.after_resignation(by)


def _in_turn(state: GameState) -> GammonXStage:
    can_undo = state.allows(Word.UNDO)
    match state.phase:
        case TurnPhase.MOVING:
            return GammonXStage.MOVED if can_undo else GammonXStage.ROLLED
        case TurnPhase.ENDING:
            return GammonXStage.DONE if can_undo else GammonXStage.STUCK
        case TurnPhase.DOUBLED:
            return GammonXStage.DOUBLED
        case _:
            return GammonXStage.TO_ROLL_OR_DOUBLE if state.may_double else GammonXStage.TO_ROLL


@lru_cache(maxsize=_POSITIONS_SHARED)
def _after_move(state: GameState, seat: int | None, text: str) -> GameState:
    """The position after a move, or after a draw, which is nobody's."""
    if seat is None:
        return state.drawn(_dice(text))
    return state.play(seat, GAMES[state.position.variant.name].read_move(text))


def _dice(text: str) -> tuple[int, ...]:
    return tuple(int(value) for value in text.split())


def _ids(players: tuple[str, ...], identities: tuple[str, ...]) -> tuple[str, ...]:
    """Ids of the players here; a player of another protocol has only a name."""
    known = identities or ("",) * len(players)
    return tuple(identity or named_guid(name) for name, identity in zip(players, known, strict=True))


def _names(players: tuple[str, ...], identities: tuple[str, ...]) -> tuple[str | None, ...]:
    """Names of the players who have one: not those that are made of a GUID."""
    known = identities or ("",) * len(players)
    is_made = [bool(identity) and name.startswith(PLAYER_PREFIX) for name, identity in zip(players, known, strict=True)]
    return tuple(None if made else name for name, made in zip(players, is_made, strict=True))


def _score(game: str, options: Any) -> MatchScore:
    length = getattr(options, "length", None)
    return MatchScore(MATCH_KINDS[game], Length.CASH if length is None else length)


def _after(score: MatchScore, result: Result) -> MatchScore:
    winner = result.winners[0] if result.winners else None
    return score.after(winner, 0 if winner is None else result.points[winner])


@value
class Dialect:
    """The form in which a game is told to a GammonX client."""

    maps_moves: bool = True
    """True if black's moves are on its own board, not on white's."""
    is_unowned_none: bool = False
    """True if a cube without an owner is None, not False."""


def _group_name(match_id: str) -> str:
    return f"match_{match_id}"


def waiting_lobby(match_id: str, player: str, commands: Commands = ()) -> LobbyPayload:
    """Makes the GammonX payload of a match without an opponent yet."""
    return LobbyPayload(match_id, _group_name(match_id), player, None, match_found=False, allowed_commands=commands)


def lobby(view: OwnMatch, commands: Commands = ()) -> LobbyPayload:
    """Makes the GammonX payload of the two players who have met."""
    player1, player2 = view.players
    return LobbyPayload(
        view.match_id, _group_name(view.match_id), player1, player2, match_found=True, allowed_commands=commands
    )


def match_state(view: OwnMatch, commands: Commands) -> MatchStatePayload:
    """Makes the GammonX payload of a match: its games, its points, its winner."""
    rounds = [_round(view, index, each) for index, each in enumerate(view.score.rounds)]
    # The round at hand has no result yet: all but its phase is null.
    if view.is_playing and view.has_started:
        assert view.state is not None, "it has started"
        modus = MODUS_OF[view.state.position.variant.name]
        rounds.append(GameRound(len(rounds), modus, _phase(view.state), None, None, None))
    dice = view.start_dice or (None, None)
    player1, player2 = (
        PlayerScore(player, name, points, points, die)
        for player, name, points, die in zip(view.players, view.names, view.score.points, dice, strict=True)
    )
    winner = view.score.winner if view.is_over else None
    won, lost = (player1, player2) if winner == _WHITE else (player2, player1)
    return MatchStatePayload(
        id=view.match_id,
        group_name=_group_name(view.match_id),
        game_round=max(1, len(rounds)),
        game_rounds=tuple(rounds),
        variant=VARIANT_OF[view.variant_name],
        # Read off the id: the lobby knows no modus, and a restart keeps nothing else of it.
        modus=modus_of(view.match_id),
        type=TYPE_OF[view.score.length],
        player1=player1,
        player2=player2,
        winner=None if winner is None else won.id,
        winner_points=None if winner is None else won.points,
        loser=None if winner is None else lost.id,
        loser_points=None if winner is None else lost.points,
        allowed_commands=commands,
    )


def _round(view: OwnMatch, index: int, played: Round) -> GameRound:
    winner = None if played.winner is None else view.players[played.winner]
    modus = MODUS_OF[played.variant.name]
    return GameRound(index, modus, GamePhase.GAME_OVER, winner, played.points, played.points)


def game_state(view: OwnMatch, commands: Commands, dialect: Dialect) -> GameStatePayload:
    """Makes the GammonX payload of a game that has begun: board, dice, legal sequences."""
    state = view.state
    assert state is not None, "there is a game"
    # Both see themselves as white, so black is told the board with the colours exchanged.
    board = state.position if view.seat == _WHITE else state.position.swapped()
    variant = board.variant
    over, active = state.phase is TurnPhase.OVER or not view.is_playing, view.active_seat
    return GameStatePayload(
        modus=MODUS_OF[variant.name],
        match_id=view.match_id,
        id=view.game_id,
        phase=GamePhase.GAME_OVER if over else _phase(state) if active == view.seat else GamePhase.WAITING_FOR_OPPONENT,
        active_turn=view.players[active],
        turn_number=state.turns,
        dice_rolls=_dice_rolls(state.rolled, state.left),
        move_sequences=() if over else _move_sequences(state, view.seat if dialect.maps_moves else _WHITE),
        board_state=_board_state(board, state, view.seat, None if dialect.is_unowned_none else False),
        allowed_commands=commands,
    )


def _phase(state: GameState) -> GamePhase:
    match state.phase:
        case TurnPhase.MOVING:
            return GamePhase.MOVING if state.earlier else GamePhase.ROLLING
        case TurnPhase.ENDING:
            return GamePhase.WAITING_FOR_END_TURN
        case TurnPhase.OVER:
            return GamePhase.GAME_OVER
        case _:
            return GamePhase.WAITING_FOR_ROLL


def _dice_rolls(rolled: Dice, left: Dice) -> tuple[DiceRoll, ...]:
    """The dice as they fell; of equal ones the first are used first."""
    still = list(left)
    rolls: list[DiceRoll] = []
    for die in reversed(rolled):
        is_left = die in still
        if is_left:
            still.remove(die)
        rolls.insert(0, DiceRoll(die, used=not is_left))
    return tuple(rolls)


def _move_sequences(state: GameState, viewer: int) -> tuple[MoveSequence, ...]:
    """The plays, the same list for both players, in the fields of `viewer`'s board."""
    if state.phase is not TurnPhase.MOVING:
        return ()
    board, mover = state.position, state.mover
    # Every client is white to itself, so the mover's moves are in white's fields for the mover, in black's for the
    # other.
    fields = numbering(board.variant, _WHITE if mover == viewer else 1 - _WHITE)
    return tuple([_sequence(fields, steps) for steps in _playable(board, mover, state.left)])


@lru_cache(maxsize=_POSITIONS_SHARED)
def _playable(board: BackgammonBoard, mover: int, left: Dice) -> tuple[Sequence, ...]:
    """The sequences that are told, which are the dearest part of a payload and the same for both players."""
    return tuple(thinned(board.search(mover), board.checkers[mover], left))


def _sequence(fields: tuple[int, ...], steps: Sequence) -> MoveSequence:
    moves = tuple([LegalMove(fields[step.source], fields[step.target]) for step in steps])
    return MoveSequence(moves, tuple([step.die for step in steps]))


def _board_state(board: BackgammonBoard, state: GameState, seat: int, unowned: bool | None) -> BoardState:  # noqa: FBT001
    cube = state.cube
    owned = unowned if cube is None or cube.owner is None else cube.owner == seat
    (white_off, white_bar, white_pips), (black_off, black_bar, black_pips) = board.tally(0), board.tally(1)
    return BoardState(
        fields=fields_of(board),
        bear_off_count_white=white_off,
        bear_off_count_black=black_off,
        pinned_fields=pinned_fields_of(board),
        # The original forgets to swap these two for Fevga's second player.
        home_bar_count_white=white_bar,
        home_bar_count_black=black_bar,
        # 0 and not 1, as the original has it for games without a cube.
        doubling_cube_value=0 if cube is None else cube.value,
        doubling_cube_owner=owned,
        pip_count_black=black_pips,
        pip_count_white=white_pips,
    )


def fields_shown(state: GameState, dialect: Dialect) -> tuple[int, ...]:
    """Numbers each place of the board as in the payloads for the mover's GammonX client."""
    return numbering(state.position.variant, _WHITE if dialect.maps_moves else state.mover)


def hop_between(fields: tuple[int, ...], source: int, target: int) -> Hop | None:
    """Translates two fields, numbered as in a GammonX payload, into a hop; None if it is none or leads back."""
    if source not in fields or target not in fields:
        return None
    hop = fields.index(source), fields.index(target)
    return hop if hop[0] > hop[1] else None


Chain = tuple[int, ...]
"""The place to which the last step led, then every place from which an unbroken chain of steps led there."""

Ahead = tuple[int, Mapping[int, int]]
"""The continuations of a position: all its answers, and by the place where a chain has come to, the places, as
bits, to which it can go on at once."""

_NOTHING: Ahead = (0, {})

_PLACES = 26
"""Each answer, `(from, to)`, is the bit `_PLACES * from + to`, so that sets of them are integers."""


def thinned(search: PlaySearch, own: int, dice: Dice) -> list[Sequence]:
    """Picks for a payload the sequences of hops that a GammonX client can learn a move from."""
    return _Thinning(search).run(own, dice)


def _longer(chain: Chain, step: CheckerMove) -> Chain:
    if chain and chain[0] == step.source:
        return (step.target, *chain[1:], step.source)
    return step.target, step.source


class _Thinning:
    """The walk through the graph, with the answers given so far and those that each position could give."""

    def __init__(self, search: PlaySearch) -> None:
        self._search = search
        self._known = 0
        self._ahead: dict[tuple[int, Dice], Ahead] = {}
        self._kept: list[Sequence] = []

    def run(self, own: int, dice: Dice) -> list[Sequence]:
        self._walk(own, dice, (), 0, ())
        return self._kept

    def _walk(self, own: int, dice: Dice, chain: Chain, given: int, before: Sequence) -> None:
        offers = self._search.steps(own, dice) if dice else []
        if not offers and given & ~self._known:
            self._known |= given
            self._kept.append(before)
        for step, after, rest in offers:
            longer = _longer(chain, step)
            answers = given | _spread(longer, 1 << longer[0])
            below, going_on = self._look_ahead(after, rest)
            if (answers | below | _spread(longer, going_on.get(longer[0], 0))) & ~self._known:
                self._walk(after, rest, longer, answers, (*before, step))

    def _look_ahead(self, own: int, dice: Dice) -> Ahead:
        if not dice:
            return _NOTHING
        key = own, dice
        found = self._ahead.get(key)
        if found is None:
            below, going_on = 0, dict[int, int]()
            for (source, target, _), after, rest in self._search.steps(own, dice):
                below_it, going_on_from = self._look_ahead(after, rest)
                reached = 1 << target | going_on_from.get(target, 0)
                below |= below_it | reached << _PLACES * source
                going_on[source] = going_on.get(source, 0) | reached
            found = self._ahead[key] = below, going_on
        return found


def _spread(chain: Chain, reached: int) -> int:
    """The answers that all sources of a chain have in common, from the places that it reaches."""
    answers = 0
    for source in chain[1:]:
        answers |= reached << _PLACES * source
    return answers
