"""What a game offers to the server: everything that a game author has to read.

A game is two small classes of pure values. `Game` is the game as such: its name, its options, how a
move is written. `State` is one position: who is to act, what is legal, what a move leads to, how it
ends. Neither knows of players, clocks, sockets or protocols; the server adds those. No method may
read a clock, draw a random number, or change anything: the server replays a match by calling the
same methods again and expects the same answers.

The shortest complete game is `games/tic_tac_toe.py`: copy it, change it, export it as `GAME`, and
run `gameserver.testing.check_game(GAME)`, which tells what is still wrong.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, Self, TypeVar

import attrs
from attrs import field, validators

from gameserver.drawing import Picture
from gameserver.values import frozen

__all__ = [
    "Chance",
    "Choose",
    "Export",
    "Game",
    "IllegalMove",
    "NoOptions",
    "Outcome",
    "Picture",
    "PlayedGame",
    "PlayedMatch",
    "Seat",
    "State",
    "Strategy",
    "Turn",
]

Seat = int
"""A place at the table, from 0. Seat 0 is the document's "player one"."""

MoveT = TypeVar("MoveT")
ChosenT = TypeVar("ChosenT")


class IllegalMove(ValueError):
    """The move cannot be played here. Its text is shown to the player: one line, which rule, and what would do.

    It is the one exception that `Game.read_move` and `State.play` may raise. Anything else is taken
    for a bug of the game: the server then voids the match, and nobody loses by it.
    """


@attrs.frozen
class NoOptions:
    """The options of a game that has none."""


@frozen
class Turn:
    """Who is to act.

    `number` rises when the turn passes on, that is whenever a seat that did not have it gets it; the
    clock of a turn starts again when it changes. A turn of several moves (roll, move, move) keeps its
    number, and seats that have acted may drop out under it. `seats` are those that have to act, all
    at once; it is empty at the end of the game and while a chance draw is due.
    """

    number: int = field(validator=validators.ge(0))
    seats: tuple[Seat, ...]


@frozen
class Chance:
    """A draw that the position waits for: `count` numbers from 1 to `sides`, as of so many dice."""

    count: int = field(validator=[validators.ge(1), validators.le(1000)])
    sides: int = field(validator=[validators.ge(1), validators.le(1_000_000)])


@frozen
class Outcome:
    """How a game ended.

    `points` are the game's own score, one a seat: 1 and -1, or the discs of either colour.
    `winners` are the seats that won, none of them at a draw; it is given apart from the points
    because a forfeited Reversi has a loser whatever the discs say. `reason` is a few words for
    people, empty where the game simply came to its end. `revealed` is what was hidden and may be
    seen now, such as a secret code, in the game's own text form.
    """

    points: tuple[int, ...]
    winners: tuple[Seat, ...]
    reason: str = ""
    revealed: str = ""


class State(ABC, Generic[MoveT]):
    """One position of a game: a frozen value. Two states of the same moves must be equal.

    Every game must end, whatever its players do: nobody else ends it for them. All texts (`prompt`,
    `reaction`, and the game's `seen` and `write_move`) are one line without double quotes, because
    protocols put them between quotes.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def turn(self) -> Turn:
        """Who is to act now."""

    @abstractmethod
    def legal_moves(self, seat: Seat) -> Sequence[MoveT]:
        """Every move that `seat` may play now, each once, in a fixed order. Moves are compared with `==`.

        Always a valid question: the answer is empty for a seat that is not to act, and at the end.
        """

    @abstractmethod
    def play(self, seat: Seat, move: MoveT) -> Self:
        """The position after `move`; raises `IllegalMove` where it is not in `legal_moves(seat)`.

        A forced pass is the state's own business: give the turn back to the same seat, with the
        next turn number, as Reversi does. There is no move for it unless the rules have one.
        """

    @property
    def chance(self) -> Chance | None:
        """The draw this position waits for; None where the players decide."""
        return None

    def drawn(self, values: tuple[int, ...]) -> Self:
        """The position after the draw it waited for; called only where `chance` is not None."""
        raise NotImplementedError(f"{type(self).__name__} asks for no draw")

    def awaiting_draw(self, seat: Seat) -> "Self | None":
        """The position in which a draw falls as soon as the other seats are ready, or have made the same move.

        Optional: give it where `seat`, which is ready itself, may know its own value beforehand, the one
        at its index, such as its die of an opening roll. None keeps all values until the draw falls.
        """
        return None

    @property
    @abstractmethod
    def outcome(self) -> Outcome | None:
        """How the game ended; None while it goes on."""

    @abstractmethod
    def resigned(self, seat: Seat) -> Outcome:
        """How the game ends if `seat` gives up now, or loses by an illegal move."""

    @abstractmethod
    def view(self, viewer: Seat | None) -> Mapping[str, object]:
        """What a seat, or a spectator (None), may know, in terms of JSON. Leave out what is hidden."""

    @abstractmethod
    def board(self, viewer: Seat | None) -> str:
        """The position as lines of text for a person, hiding what that viewer may not know."""

    def picture(self, viewer: Seat | None) -> Picture | None:
        """The position as a drawing for pages and projectors, hiding what that viewer may not know.

        Optional: without one, pages show `board`. The shapes are in `gameserver.drawing`.
        """
        return None

    def prompt(self, seat: Seat) -> str:
        """A word to the seat that is to act, such as the dice: the text protocol's TURNMESSAGE."""
        return ""

    def reaction(self, viewer: Seat | None) -> str:
        """The game's answer to the last move, such as "higher": the text protocol's DETAILS.

        Where draws follow a move, it is asked after them, so it can tell what the dice showed.
        """
        return ""


class Series(ABC):
    """A match of several games as it stands between two of them: a frozen value. `Game.series` makes the first.

    Seats stay what they are through all games; who begins a game is for its options to say.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def next_game(self) -> "tuple[Game[Any], Any] | None":
        """The game that comes next, and its options; None when the match is over."""

    @abstractmethod
    def after(self, outcome: Outcome) -> Self:
        """The match after the next game has ended like that."""

    @abstractmethod
    def given_up(self, seat: Seat) -> Self:
        """The match, ended, if `seat` gives it up now."""

    @property
    @abstractmethod
    def outcome(self) -> Outcome:
        """The points so far, and who has won once the match is over."""


Choose = Callable[[Sequence[ChosenT]], ChosenT]
"""Picks one of several, by chance. Handed to a strategy, which must not import `random`."""

Strategy = Callable[[Any, Seat, Choose[Any]], Any]
"""A house player's way to play: `(state, seat, choose) -> move`, one of `state.legal_moves(seat)`."""


class Game(ABC, Generic[MoveT]):
    """The game as such. One instance serves every match, so it holds no state.

    `name` is the name on every wire, in its one spelling, without `" { } [ ]`. `seats` are two, in
    this version of the server. `version` rises when old moves would lead
    somewhere else: a match saved under another version is voided at the next start, not misread.
    """

    name: str
    version: int = 1
    seats: int = 2
    options_type: ClassVar[type] = NoOptions
    """An attrs class; its validators say what is allowed. It must work without arguments."""

    strategies: ClassVar[Mapping[str, Strategy]] = {}
    """House players beyond `random`, which every game has: `{"greedy": pick}` is listed as `house-greedy`."""

    aliases: tuple[str, ...] = ()
    """Other names of the game. A player who writes one is told `name`; they name nothing by themselves."""

    guide: str = ""
    """A few lines for players: how a move is written, and what the game's own words mean.

    Draw the numbering as a board, give one example, say what loses. Lines of at most 71 characters
    fit a terminal. Where it is empty, players are shown the start position and its legal moves.
    """

    exports: ClassVar[Mapping[str, "Export"]] = {}
    """How to write a finished match for programs that know the game: `{"sgf": write_sgf}`, by the file's ending."""

    @abstractmethod
    def start(self, options: Any) -> State[MoveT]:
        """The position that a match begins with; `options` is an instance of `options_type`."""

    def series(self, options: Any) -> Series | None:
        """The match that these options ask for, if it is of several games; None for a single one.

        A game whose matches are always series, such as three games in turns, need not be playable
        itself: its `start` is not called.
        """
        return None

    @abstractmethod
    def read_move(self, text: str) -> MoveT:
        """The move that a player wrote; raises `IllegalMove` where it is none in any position."""

    @abstractmethod
    def write_move(self, move: MoveT) -> str:
        """The move in its one spelling; `read_move(write_move(m)) == m`."""

    def move_number(self, move: MoveT) -> int | None:
        """The move as an integer from 0, for protocols that send integers; None where there is none.

        `read_move` reads the integer too.
        """
        return None

    def seen(self, state: State[MoveT], move: MoveT, by: Seat, viewer: Seat | None) -> str:
        """The move as that viewer may see it; `state` is the position after it. "?" hides it.

        Where a move is hidden, nothing else may tell it from another that is shown alike: view, board,
        picture, prompt and reaction are the same for this viewer. `check_game` compares them.
        """
        return self.write_move(move)

    def seen_draw(self, state: State[MoveT], values: tuple[int, ...], viewer: Seat | None) -> str:
        """A draw as that viewer may see it, as `seen` does for moves: override it where chance draws a secret."""
        return " ".join(map(str, values))


@frozen
class PlayedGame:
    """A game that is over, to be looked at or written out. `steps` are moves by seat, and draws by None."""

    game: Game[Any]
    options: Any
    steps: tuple[tuple[Seat | None, str], ...]
    points: tuple[int, ...]
    winners: tuple[Seat, ...]
    reason: str
    """How it ended, in the words of the records: "played", "resigned", "late", and so on."""

    def positions(self) -> Iterator[State[Any]]:
        """Every position, from the start on; one more than there are steps."""
        state = self.game.start(self.options)
        yield state
        for seat, text in self.steps:
            if seat is None:
                state = state.drawn(tuple(int(word) for word in text.split()))
            else:
                state = state.play(seat, self.game.read_move(text))
            yield state


@frozen
class PlayedMatch:
    """A match that is over: who played, when it was opened (ISO 8601, UTC), and its games."""

    number: int
    game: Game[Any]
    options: Any
    players: tuple[str, ...]
    opened_at: str
    games: tuple[PlayedGame, ...]


Export = Callable[[PlayedMatch], str]
"""Writes a match in one of the formats that other programs read."""
