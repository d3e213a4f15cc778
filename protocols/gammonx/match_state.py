"""One client's knowledge of its match: everything that payloads are made of, kept up by the lobby's events.

The lobby tells moves; the position that they lead to is worked out here, by the games themselves.
"""

from functools import lru_cache
from typing import Any, Self

from attrs import define, field

from games.backgammon.match import MATCH_KINDS, Length, MatchScore
from games.backgammon.phases import TurnPhase
from games.backgammon.rules import BackgammonFamily
from games.backgammon.state import GameState
from games.backgammon.variants import VARIANTS
from gameserver.protocol import GameEnded, MatchEnded, MatchOpened, MatchPaired, MatchShown, MovePlayed
from protocols.gammonx.guids import PLAYER_PREFIX, named_guid

GAMES = {name: BackgammonFamily(variant) for name, variant in VARIANTS.items()}
"""The single games, by their names in the lobby."""

POSITIONS_SHARED = 1_024
"""Positions that are kept for the opponent's client, which is told of the same moves right after."""


@define
class OwnMatch:
    """A match that is played, or was."""

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
        """The match before its first game."""
        players = _ids(event.players, event.identities)
        names = _names(event.players, event.identities)
        score = _score(event.game, event.options)
        ids = event.match_ids or (match_id,)
        return cls(ids, event.match, event.seat, players, names, score, turn_time_ms=event.turn_time_ms)

    @classmethod
    def shown(cls, match_id: str, event: MatchShown) -> Self:
        """The match as it stands."""
        players = _ids(event.players, event.identities)
        score = _score(event.whole or event.game, event.whole_options or event.options)
        names = _names(event.players, event.identities)
        ids = event.match_ids or (match_id,)
        view = cls(ids, event.match, event.seat, players, names, score, turn_time_ms=event.turn_time_ms)
        for played in event.played:
            view.game_number = played.number
            view.score = _after(view.score, played)
        if event.ready is None:
            view.begin(event.game, event.number, event.options, event.moves)
        else:
            view.is_ready = event.seat in event.ready
        return view

    @property
    def match_id(self) -> str:
        """The id of the match in payloads."""
        return self.match_ids[0]

    @property
    def variant_name(self) -> str:
        """The lobby's name of the game that the match is made of."""
        return self.score.kind.name

    @property
    def opponent(self) -> str:
        """The other player's GUID."""
        return self.players[1 - self.seat]

    @property
    def has_started(self) -> bool:
        """True once the dice have told who starts: before that there is no game to speak of."""
        return self.state is not None and self.state.phase not in {TurnPhase.OPENING, TurnPhase.TIED}

    @property
    def is_active(self) -> bool:
        """True if this client is to act."""
        return self.state is not None and self.is_playing and self.seat in self.state.turn.seats

    @property
    def active_seat(self) -> int:
        """The seat that is to act; while dice fall, their owner."""
        assert self.state is not None, "there is a game"
        seats = self.state.turn.seats
        return seats[0] if seats else self.state.mover

    def opened(self, event: MatchOpened) -> None:
        """A game has begun."""
        self.begin(event.game, event.number, event.options, event.draws)

    def begin(self, game: str, number: int, options: Any, moves: tuple[MovePlayed, ...]) -> None:
        """Set the game up, and play what was played of it."""
        self.state, self.game_number = GAMES[game].start(options), number
        self.game_id = named_guid(f"match {self.number}, game {number}")
        self.is_playing, self.is_ready = True, False
        for move in moves:
            self.played(move)

    def shown_own_die(self, value: int) -> None:
        """This client's die is known before the opponent's."""
        self.start_dice = (value, None) if self.seat == 0 else (None, value)

    def stages_of(self, event: MovePlayed) -> tuple[GameState, ...]:
        """The positions at which a player by hand would have stopped on the way; none for a move by hand or a draw."""
        assert self.state is not None, "moves are of a game that has begun"
        if event.seat is None or self.state.options.by_hand[event.seat]:
            return ()
        return self.state.stages_of(GAMES[self.state.position.variant.name].read_move(event.text))

    def played(self, event: MovePlayed) -> None:
        """Go on to the position after a move or a draw."""
        assert self.state is not None, "moves are of a game that has begun"
        if self.state.phase is TurnPhase.TIED:
            self.start_dice = None
        if event.seat is None and self.state.phase is TurnPhase.OPENING and self.game_number == 1:
            self.start_dice = _dice(event.text)
        self.state = _after_move(self.state, event.seat, event.text)

    def game_ended(self, event: GameEnded, *, is_last: bool) -> None:
        """A game is over; `is_last` where the match ends with it."""
        self.is_playing, self.is_ready = False, False
        self._before_last = self.score if is_last else None
        if not self.score.is_over:
            self.score = _after(self.score, event)

    def ended(self, event: MatchEnded) -> None:
        """Notes the match's end. A player who gives it up loses more than the game at hand: then the points tell."""
        self.is_playing, self.is_over = False, True
        if event.points == self.score.points and self.score.is_over:
            return
        before = self.score if self._before_last is None else self._before_last
        if event.by is not None and not before.is_over:
            self.score = before.after_resignation(event.by)


@lru_cache(maxsize=POSITIONS_SHARED)
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


def _after(score: MatchScore, event: GameEnded) -> MatchScore:
    winner = event.winners[0] if event.winners else None
    return score.after(winner, 0 if winner is None else event.points[winner])
