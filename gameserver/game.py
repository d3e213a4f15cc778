"""The interface of a game: everything that a game author has to read.

A game is two small classes of pure values. `Game` is the game itself: its name, its options, how a
move is written. `State` is one position: the turn, the legal moves, the position after a move, the
outcome. Neither knows of players, clocks, sockets or protocols; the server adds those. No method may
read a clock, draw a random number, or change anything: the server replays a match by calling the
same methods again and expects the same answers.

The shortest complete game is `games/tic_tac_toe.py`: copy it, change it, export it as `GAME`, and
run `gameserver.testing.check_game(GAME)`, which tells what is still wrong.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, Self, TypeVar

import attrs
from attrs import field, validators

from gameserver.drawing import Picture, Side
from gameserver.values import value

__all__ = [
    "Chance",
    "Choose",
    "Coding",
    "Evaluator",
    "Export",
    "Game",
    "GameLibrary",
    "GameOffer",
    "IllegalMove",
    "NoOptions",
    "Outcome",
    "Picture",
    "PlayedGame",
    "PlayedMatch",
    "Seat",
    "Side",
    "State",
    "Strategy",
    "Turn",
]

Seat = int
"""A player's place in a match, from 0. Seat 0 is the document's "player one"."""

MoveT = TypeVar("MoveT")
ChosenT = TypeVar("ChosenT")


class IllegalMove(ValueError):
    """A move cannot be played in this position of a game. The text is one line: the rule, and a legal move.

    It is the only exception that `Game.read_move` and `State.play` may raise. Any other exception is a bug
    of the game: the server then voids the match, and nobody loses it.
    """


@attrs.frozen
class NoOptions:
    """The options of a game that has none."""


def _from_zero(_instance: object, _attribute: object, number: int) -> None:
    """`validators.ge(0)` without its two further calls: every move of every game comes by here."""
    if number < 0:
        raise ValueError(f"'number' must be >= 0: {number}")


@value
class Turn:
    """The seats that are to act in a game's position.

    `number` rises when the turn passes on, that is, whenever a seat that did not have it gets it. The
    clock of a turn restarts when it changes. A turn of several moves (roll, move, move) keeps its
    number, and seats that have acted may drop out under it. `seats` are the seats that have to act, all
    at once. It is empty at the end of the game and while a chance draw is due.
    """

    number: int = field(validator=_from_zero)
    seats: tuple[Seat, ...]


@value
class Chance:
    """A draw that a game's position waits for: `count` numbers from 1 to `sides`, as of so many dice."""

    count: int = field(validator=[validators.ge(1), validators.le(1000)])
    sides: int = field(validator=[validators.ge(1), validators.le(1_000_000)])


@value
class Outcome:
    """The outcome of a game: its winners and its points.

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
        """The seats that are to act now in a game's position."""

    @abstractmethod
    def legal_moves(self, seat: Seat) -> Sequence[MoveT]:
        """Every move of the game that `seat` may play now, each once, in a fixed order, compared with `==`.

        It may be called at any time. It is empty for a seat that is not to act, and at the end.
        """

    @abstractmethod
    def play(self, seat: Seat, move: MoveT) -> Self:
        """The game's position after `move`; raises `IllegalMove` if it is not in `legal_moves(seat)`.

        The state handles a forced pass: it gives the turn back to the same seat, with the next turn
        number, as Reversi does. A pass is no move unless the rules have one.
        """

    @property
    def chance(self) -> Chance | None:
        """The draw that this position of a game waits for; None if the players decide."""
        return None

    def drawn(self, values: tuple[int, ...]) -> Self:
        """The game's position after the draw that it waited for; called only if `chance` is not None."""
        raise NotImplementedError(f"{type(self).__name__} asks for no draw")

    def awaiting_draw(self, seat: Seat) -> "Self | None":
        """The game's position in which a draw falls as soon as the other seats are ready, or moved the same.

        Optional: give it where `seat`, which is ready itself, may know its own value beforehand, the one
        at its index, such as its die of an opening roll. None keeps all values until the draw falls.
        """
        return None

    @property
    @abstractmethod
    def outcome(self) -> Outcome | None:
        """The outcome of the game; None while it goes on."""

    @property
    def ending(self) -> str:
        """How the game was decided, in a few words for pages, such as "three in the left column".

        Optional: without it, pages say who won. Programs are told `Outcome.reason`, which need not repeat it.
        """
        return ""

    @abstractmethod
    def resigned(self, seat: Seat) -> Outcome:
        """The game's outcome if `seat` gives up now, or loses by an illegal move."""

    @abstractmethod
    def view(self, viewer: Seat | None) -> Mapping[str, object]:
        """The game's position for a seat, or a spectator (None), as JSON values. Leave out hidden facts."""

    @abstractmethod
    def board(self, viewer: Seat | None) -> str:
        """The game's position as lines of text for a person, without facts that this viewer may not know."""

    def picture(self, viewer: Seat | None) -> Picture | None:
        """The game's position as a drawing for pages and projectors, without facts that are secret to this viewer.

        Optional: without one, pages show `board`. The shapes are in `gameserver.drawing`. Give the seat that is
        to act `touches`, and it can play by touching the board; every other legal move is a button.
        """
        return None

    def small_picture(self, viewer: Seat | None) -> Picture | None:
        """The game's position as a drawing some 300 pixels wide, for many boards. Same secrets as `picture`.

        Optional: without one, pages scale `picture` down. Omit here what cannot be read at that size, but offer the
        seat that is to act the same moves: on a phone this is the board to play on.
        """
        return self.picture(viewer)

    def sides(self, viewer: Seat | None) -> Sequence[Side]:
        """Each seat's colour or mark and its score in the game's position, by seat. Same secrets as `view`.

        Optional: if it is empty, pages show neither.
        """
        return ()

    def prompt(self, seat: Seat) -> str:
        """The game's short message to the seat that is to act, such as the dice: the text protocol's TURNMESSAGE."""
        return ""

    def reaction(self, viewer: Seat | None) -> str:
        """The game's answer to the last move, such as "higher": the text protocol's DETAILS.

        If draws follow a move, it is called after them, so it can tell the dice.
        """
        return ""

    def reaction_words(self, viewer: Seat | None) -> str:
        """The game's answer for people, without what `Game.move_words` has told them. Same secrets as `reaction`."""
        return self.reaction(viewer)


class Series(ABC):
    """A match of several games between two of them: a frozen value. `Game.series` makes the first.

    Players keep their seats through all games. The options of a game say which seat begins.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def next_game(self) -> "tuple[Game[Any], Any] | None":
        """The next game of a match of several, and its options; None when the match is over."""

    @abstractmethod
    def after(self, outcome: Outcome) -> Self:
        """The match of several games after the next one has ended with this outcome."""

    @abstractmethod
    def given_up(self, seat: Seat) -> Self:
        """The match of several games as it ends if `seat` gives it up now."""

    @property
    @abstractmethod
    def outcome(self) -> Outcome:
        """The points of a match of several games so far, and the winners once it is over."""


class Coding(ABC, Generic[MoveT]):
    """A game in numbers, for agents that learn: its moves as actions, its positions as observations.

    `Game.coding` gives one, and `gameserver.environment` makes a PettingZoo environment of it. `actions` is how many
    numbers there are. An observation has the `shape`, row after row in one flat sequence, and each of its numbers is
    from `low` to `high`. A match of several games, `Game.series`, has one coding for the positions of all of them.
    """

    actions: int
    shape: tuple[int, ...]
    low: float = 0
    high: float = 1
    text_decides: bool = True
    """True if a written move has one number in all positions, and a number one move. False where the position tells the
    rest, as whether a move captures: then `check_game` cannot tell if numbers are stable."""

    @abstractmethod
    def number(self, state: State[MoveT], seat: Seat, move: MoveT) -> int | None:
        """The number, from 0, of a legal move of the game; None for one that is several numbered moves in a row.

        It is the same in every position: an agent could not learn what an index among the legal moves means. A seat
        that is to act has at least one move with a number.
        """

    @abstractmethod
    def observation(self, state: State[MoveT], seat: Seat) -> Sequence[float]:
        """The game's position for a seat: all that matters to its next move, and nothing that is hidden from it.

        It is asked for when a seat is to act, and at the end. Best seen from the seat, its own pieces first: then
        what an agent learns at one seat serves it at the other.
        """

    def moves(self, state: State[MoveT], seat: Seat) -> Mapping[int, MoveT]:
        """The legal moves of the game that have a number, by it. Override it where to list all of them takes long."""
        numbered = ((self.number(state, seat, move), move) for move in state.legal_moves(seat))
        return {number: move for number, move in numbered if number is not None}


def after_draws(state: State[MoveT], randint: Callable[[int, int], int]) -> State[MoveT]:
    """Makes the draws that are due in a game's position, with the `randint` of a `random.Random`."""
    while state.outcome is None and (due := state.chance) is not None:
        state = state.drawn(tuple(randint(1, due.sides) for _ in range(due.count)))
    return state


Choose = Callable[[Sequence[ChosenT]], ChosenT]
"""Picks one of several, by chance. Handed to a strategy, which must not import `random`."""

Strategy = Callable[[Any, Seat, Choose[Any]], Any]
"""A house player's way to play: `(state, seat, choose) -> move`, one of `state.legal_moves(seat)`."""


Evaluator = Callable[[Any], float]
"""A house player's opinion of a position that is not over: seat 0's chance to win, 0 to 1. A draw counts half."""


class Game(ABC, Generic[MoveT]):
    """The rules of a game itself. One instance serves every match, so it holds no state.

    `name` is the name on every wire, in its one spelling, without `" { } [ ]`. `seats` is two in
    this version of the server. Raise `version` when old moves would lead to other positions: a match
    saved under another version is voided at the next start, not misread.
    """

    name: str
    version: int = 1
    seats: int = 2
    family: str = ""
    """The heading under which pages list the game with others of its kind."""
    roles: ClassVar[tuple[str, ...]] = ()
    """What each of the two seats plays where they play different parts, such as ("code maker", "code breaker").

    A challenger may then choose one. Otherwise seats are drawn by lot.
    """
    options_type: ClassVar[type] = NoOptions
    """An attrs class whose validators say what is allowed. It must work without arguments."""

    strategies: ClassVar[Mapping[str, Strategy]] = {}
    """House players: `{"greedy": pick}` can be challenged as `house-greedy`.

    The levels `novice`, `club` and `master` are on the list of players, too. `house-random` plays every game, choosing
    among all legal moves; a strategy named `random` replaces that. House players think in another process: a strategy
    belongs into a module, and a game's instances and positions have to work with `pickle`.
    """

    evaluators: ClassVar[Mapping[str, Evaluator]] = {}
    """Optional: `{"master": win_chance}`, the opinion of `house-master` for the bar beside the featured board.
    It sees the whole state, so a game that hides anything must have none. The first one is asked."""

    aliases: tuple[str, ...] = ()
    """Other names of the game. A player who writes one is told `name`; they do not select the game."""

    guide: str = ""
    """A few lines for players: how to write a move, and what the game's own terms mean.

    Draw the numbering as a board, give one example, say what loses. Lines of at most 71 characters
    fit a terminal. If it is empty, players are shown the start position and its legal moves.
    """

    how_to_play: str = ""
    """The rules for a person who plays in a browser: the aim, a turn, the end, and what to touch.

    One paragraph a line. The guide is for programs; this is shown on `/play`, where nobody writes a move.
    """

    draw_noun: str = "draw"
    """The word for a draw on pages: "roll" if it is a roll of dice."""

    exports: ClassVar[Mapping[str, "Export"]] = {}
    """Writers of finished matches for programs that know the game, by file extension: `{"sgf": write_sgf}`."""

    @abstractmethod
    def start(self, options: Any) -> State[MoveT]:
        """The position that a game begins with; `options` is an instance of `options_type`."""

    def series(self, options: Any) -> Series | None:
        """The match of several games that these options ask for; None for a single game.

        A game whose matches are always series, such as three games in turns, need not be playable
        itself: its `start` is not called.
        """
        return None

    def coding(self, options: Any) -> Coding[MoveT] | None:
        """The numbers by which agents learn the game with these options; None if it has none."""
        return None

    @abstractmethod
    def read_move(self, text: str) -> MoveT:
        """Reads a move of the game as a player wrote it; raises `IllegalMove` if it is a move in no position."""

    @abstractmethod
    def write_move(self, move: MoveT) -> str:
        """Writes a move of the game in its one spelling; `read_move(write_move(m)) == m`."""

    def move_words(self, state: State[MoveT], move: MoveT) -> str:
        """Says a move of the game as people do, such as "d3"; `state` is the position after it.

        Optional: if it is empty, pages show `write_move`. Where `seen` shows something else, it is not asked.
        """
        return ""

    def move_number(self, move: MoveT) -> int | None:
        """The game's move as an integer from 0, for protocols that send integers; None if it has none.

        `read_move` reads the integer too.
        """
        return None

    def seen(self, state: State[MoveT], move: MoveT, by: Seat, viewer: Seat | None) -> str:
        """The game's move as that viewer may see it; `state` is the position after it. "?" hides it.

        A hidden move must not show through elsewhere: view, board, picture, prompt and reaction must be the
        same for this viewer as after any other move that is shown alike. `check_game` compares them.
        """
        return self.write_move(move)

    def seen_draw(self, state: State[MoveT], values: tuple[int, ...], viewer: Seat | None) -> str:
        """The game's draw as that viewer may see it, like `seen` for moves. Override it if chance draws a secret."""
        return " ".join(map(str, values))


@value
class GameOffer:
    """One game that a library offers, before it is made."""

    what: str
    """The game as the config calls it, for messages."""
    make: Callable[[], Game[Any]]
    """Makes the game; raises `ValueError` with the reason, in a line, if it cannot be played here."""
    is_probed: bool = False
    """True if making or playing the game might crash or hang: then a child process plays it first, with limits.

    `make` has to work with `pickle`, as a function of a module or a `functools.partial` of one does.
    """


class GameLibrary(ABC):
    """Games that the config asks for by a table of its own, such as the games of another project's library.

    A plug-in as a game is: exported as `LIBRARY`, named by an entry point of `gameserver.games`, or in the config.
    Its module is imported at every start: import what is heavy in `games`, where a game is asked for.
    """

    name: str
    """The library's table in the config, which no protocol may have."""
    options_type: ClassVar[type] = NoOptions
    """An attrs class: the library's table in the config. It must work without arguments, and offer nothing then."""

    @abstractmethod
    def games(self, options: Any) -> Iterable[GameOffer]:
        """The games of a library that its options ask for; raises `ValueError` with the reason if none can be had.

        A game that cannot be used is left out with the reason, and the server starts without it.
        """


@value
class PlayedGame:
    """A game that is over, for showing or export. `steps` are moves by a seat, and draws by None."""

    game: Game[Any]
    options: Any
    steps: tuple[tuple[Seat | None, str], ...]
    points: tuple[int, ...]
    winners: tuple[Seat, ...]
    reason: str
    """The reason for its end, in the words of the records: "played", "resigned", "late", and so on."""
    left_ms: tuple[int | None, ...] = ()
    """The time left of its player's bank after each step; empty if not known."""

    def positions(self) -> Iterator[State[Any]]:
        """Every position of a played game from the start, one more than there are steps."""
        state = self.game.start(self.options)
        yield state
        for seat, text in self.steps:
            if seat is None:
                state = state.drawn(tuple(int(word) for word in text.split()))
            else:
                state = state.play(seat, self.game.read_move(text))
            yield state


@value
class PlayedMatch:
    """A match that is over: its players, the time at which it was opened (ISO 8601, UTC), and its games."""

    number: int
    game: Game[Any]
    options: Any
    players: tuple[str, ...]
    opened_at: str
    games: tuple[PlayedGame, ...]
    clock: str = "none"
    """The terms of time, such as "turn 10s" or "3m+2s", as a setting has them."""


Export = Callable[[PlayedMatch], str]
"""Writes a match in one of the formats that other programs read."""
