"""The only caller of game code in the core; it makes the draws that games ask for, too (`chance` has the rule).

A game may be a third party's, and a bug in it must cost only its own match. So no other module of the core calls a
game: here every call is guarded, its answers are checked, and every failure comes out as `GameBug`, which names the
match that has to be voided. Where a player may be at fault, `IllegalMove` comes out as `PlayersMistake`; from anywhere
else it is a bug.
"""

from collections.abc import Callable, Mapping
from functools import cache, wraps
from itertools import islice
from typing import Any, ParamSpec, TypeVar

from gameserver.chance import number_below
from gameserver.core.events import By, MovePlayed
from gameserver.core.identity import is_text
from gameserver.core.match import Match, PlayedMove
from gameserver.drawing import Picture, Side
from gameserver.game import Chance, Game, IllegalMove, Outcome, Seat, Series, State, Turn
from gameserver.values import value

_MOVES_TOTAL_MAX = 2**53 - 1
"""The most moves that are counted: the largest integer that every JSON reader keeps."""

# Judgement: a game that draws so often without a turn is stuck.
_CHANCE_DRAWS_MAX = 10_000
"""The most draws in a row before the game is taken to be stuck."""

P = ParamSpec("P")

R = TypeVar("R")


class PlayersMistake(Exception):
    """Raised for a move that cannot be played; the text says why."""


class GameBug(Exception):
    """Raised where a game's code is at fault. `match` is None where the match had not begun."""

    def __init__(self, why: str, match: int | None = None) -> None:
        super().__init__(why)
        self.why = why
        self.match = match


def _guarded(function: Callable[P, R]) -> Callable[P, R]:
    """Turn any exception of a game's code into `GameBug`."""

    @wraps(function)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except (PlayersMistake, GameBug):
            raise
        # Whatever a plug-in raises, a RecursionError too, costs its own match alone.
        except Exception as error:
            raise GameBug(f"{type(error).__name__}: {error}") from error

    return guarded


@value
class Played:
    """The outcome of a move: the steps in order (the move itself, then draws), and the position after."""

    state: State[Any]
    turn: Turn
    outcome: Outcome | None
    prompts: tuple[str, ...]
    """The prompt to each seat that is to act now, in the order of the turn's seats."""
    steps: tuple[PlayedMove, ...]
    shown: tuple[tuple[MovePlayed, ...], ...]
    """For each step, the event that each seat is sent."""
    draws: int


@_guarded
def start(game: Game[Any], options: Any) -> State[Any]:
    """Asks the game, as its referee, for the state in which it waits for its players: nothing has been drawn yet."""
    return game.start(options)


@_guarded
def open_position(match: Match, now_ms: int) -> Played:
    """Makes, as a game's referee, the draws before its first turn, and asks for the position that they lead to."""
    return _settled(match, match.state, (), (), now_ms)


def play(
    match: Match,
    seat: Seat,
    said: str,
    by: By,
    now_ms: int,
    think_ms: int,
    lag_ms: int,
    sides: int | None = None,
    lot: int | None = None,
) -> Played:
    """Has a game's code read, judge and play a move as it was written; raises `PlayersMistake` if it cannot be."""
    if not (said.isascii() or is_text(said)):
        raise PlayersMistake("a move must be text, this one holds half a character (a lone surrogate)")
    game = match.game
    try:  # as `_guarded` has it, without one call more for every move
        try:
            move = game.read_move(said)
            state = match.state.play(seat, move)
        except IllegalMove as error:
            raise PlayersMistake(str(error)) from error
        text = game.write_move(move)
        if type(text) is not str:  # `_text` asks the same; every move comes by here
            _text(text)
        steps = (PlayedMove(seat, text, by, now_ms, think_ms, lag_ms, sides, lot),)
        if _hides_nothing(type(game), type(state)):
            player, words = match.seats[seat].player, game.move_words(state, move)
            if words != "":
                _text(words)
            alike = MovePlayed(match.id, seat, player, text, game.move_number(move), "", by, words=words)
            return _settled(match, state, steps, ((alike,) * len(match.seats),), now_ms)
        played = _settled(match, state, steps, (), now_ms)
        views = tuple(_shown(match, state, played.state, move, steps[0], viewer) for viewer in range(len(match.seats)))
    except (PlayersMistake, GameBug):
        raise
    except Exception as error:
        raise GameBug(f"{type(error).__name__}: {error}") from error
    shown = (views, *played.shown)
    return Played(played.state, played.turn, played.outcome, played.prompts, played.steps, shown, played.draws)


@cache
def _hides_nothing(game_type: type[Game[Any]], state_type: type[State[Any]]) -> bool:
    """True if every seat sees a move alike, because neither the game nor its state overrides what is seen."""
    return game_type.seen is Game.seen and state_type.reaction is State.reaction


def _settled(
    match: Match,
    state: State[Any],
    steps: tuple[PlayedMove, ...],
    shown: tuple[tuple[MovePlayed, ...], ...],
    now_ms: int,
) -> Played:
    """Make the draws that the position waits for, until players are to act or the game is over."""
    game, draws = match.game, match.draws
    for _ in range(_CHANCE_DRAWS_MAX):
        draws_nothing, says_nothing = _as_state_has_it(type(state))
        wanted = None if draws_nothing else state.chance
        if wanted is None:
            turn, outcome = _turn_and_outcome(state, game.seats)
            acting = turn.seats if outcome is None else ()
            if says_nothing:
                prompts = ("",) * len(acting)
            else:
                prompts = tuple(map(state.prompt, acting))
                for prompt in prompts:
                    if prompt != "":
                        _text(prompt)
            return Played(state, turn, outcome, prompts, steps, shown, draws)
        values = _draw(match, wanted, draws)
        state = state.drawn(values)
        draws += wanted.count
        steps = (*steps, PlayedMove(None, " ".join(map(str, values)), By.CHANCE, now_ms, sides=wanted.sides))
        shown = (*shown, tuple(_draw_shown(match.id, game, state, values, viewer) for viewer in range(game.seats)))
    message = f"{game.name} asked for {_CHANCE_DRAWS_MAX} draws in a row"
    raise GameBug(message)


@cache
def _as_state_has_it(state_type: type[State[Any]]) -> tuple[bool, bool]:
    """True for each of `chance` and `prompt` that positions of this type do not override: they are not called then."""
    return state_type.chance is State.chance, state_type.prompt is State.prompt


def _turn_and_outcome(state: State[Any], seats: int) -> tuple[Turn, Outcome | None]:
    """The turn and the outcome of a state. Raises `GameBug` if they cannot be."""
    outcome = state.outcome
    turn = state.turn
    if outcome is not None:
        _looked_over(outcome, seats)
    elif not turn.seats or not 0 <= min(turn.seats) <= max(turn.seats) < seats:
        message = f"nobody is to act though the game goes on: {turn!r}"
        raise GameBug(message)
    return turn, outcome


def _looked_over(outcome: Outcome, seats: int) -> Outcome:
    right_points = len(outcome.points) == seats and all(map(_is_countable, outcome.points))
    if not right_points or not set(range(seats)).issuperset(outcome.winners):
        message = f"an outcome for {seats} seats cannot be {outcome!r}"
        raise GameBug(message)
    _text(outcome.reason)
    _text(outcome.revealed)
    return outcome


def _is_countable(points: object) -> bool:
    """True if the points are an integer that every journal can keep."""
    # SQLite and PostgreSQL keep integers of 64 bits. A bool is an int to `isinstance`, and JSON would say `true`.
    return type(points) is int and abs(points) < 1 << 63


@_guarded
def state_after(game: Game[Any], options: Any, moves: tuple[PlayedMove, ...], seats: int) -> State[Any]:
    """Has the game, as its referee, play recorded moves and draws again; returns the state that they lead to."""
    state = game.start(options)
    for step in moves:
        state = _after(game, state, step)
    _turn_and_outcome(state, seats)
    return state


def _after(game: Game[Any], state: State[Any], step: PlayedMove) -> State[Any]:
    if step.seat is None:
        return state.drawn(_values(step.text))
    return state.play(step.seat, game.read_move(step.text))


@_guarded
def options_of(game: Game[Any], given: Mapping[str, Any]) -> Any:
    """Asks the game, as its referee, for options of these arguments; raises `PlayersMistake` if it refuses them."""
    try:
        return game.options_type(**given)
    # An attrs class raises TypeError for a name that it does not have, ValueError for a value that it refuses.
    except (TypeError, ValueError) as error:
        raise PlayersMistake(_reason(error)) from error


def _reason(error: Exception) -> str:
    """The message of a validator, without the attribute and the value that attrs puts behind it."""
    return str(error.args[0]) if error.args else type(error).__name__


def hides_draws(game: Game[Any]) -> bool:
    """Finds out, as a game's referee, whether its code hides some of its draws from a player."""
    # Asked of the class, not of a draw: a tournament has to know it before the first one.
    return type(game).seen_draw is not Game.seen_draw


@_guarded
def series(game: Game[Any], options: Any) -> Series | None:
    """Asks the game, as its referee, for the series of games that these options ask for, if any."""
    return game.series(options)


@_guarded
def next_game(series: Series) -> tuple[Game[Any], Any] | None:
    """Asks a game's series, as its referee, for the next game and the options; None after the last."""
    return series.next_game


@_guarded
def series_after(series: Series, outcome: Outcome) -> Series:
    """Asks a game's series, as its referee, how it stands after one more game."""
    return series.after(outcome)


@_guarded
def series_outcome(series: Series, seats: int) -> Outcome:
    """Asks a series, which is a game's code, for its outcome, and checks it."""
    return _looked_over(series.outcome, seats)


@_guarded
def series_given_up(series: Series, seat: Seat, seats: int) -> Outcome:
    """Asks a series, which is a game's code, for its outcome if this seat gives it up, and checks it."""
    return _looked_over(series.given_up(seat).outcome, seats)


@_guarded
def legal_moves(match: Match, seat: Seat) -> tuple[str, ...]:
    """Asks a game's code for every legal move of a seat, written out."""
    return tuple(match.game.write_move(move) for move in match.state.legal_moves(seat))


@_guarded
def first_moves(match: Match, seat: Seat, count_max: int) -> tuple[tuple[str, ...], int]:
    """Asks the game, as its referee, for a seat's first legal moves, written out, and for the number of all."""
    moves = match.state.legal_moves(seat)
    first = tuple(match.game.write_move(move) for move in islice(moves, count_max))
    try:
        return first, min(len(moves), _MOVES_TOTAL_MAX)
    except OverflowError:  # of a sequence that is worked out, such as the codes of a large Mastermind
        return first, _MOVES_TOTAL_MAX


@_guarded
def resigned(match: Match, seat: Seat) -> Outcome:
    """Asks the game, as its referee, for the outcome if this seat gives up or forfeits, and checks it."""
    return _looked_over(match.state.resigned(seat), len(match.seats))


@_guarded
def prompts(match: Match) -> tuple[str, ...]:
    """Asks the game, as its referee, for its words to each seat that is to act, in the order of `match.turn.seats`."""
    return tuple(_text(match.state.prompt(seat)) for seat in match.turn.seats)


@_guarded
def board(match: Match, viewer: Seat) -> tuple[str, ...]:
    """Asks the game, as its referee, for the position as lines of text, as a seat may see it."""
    return tuple(_text(match.state.board(viewer)).splitlines())


@_guarded
def picture(match: Match, viewer: Seat, *, is_small: bool) -> Picture | None:
    """Asks the game, as its referee, for the position as a drawing, or a small one, as a seat may see it.

    None where the game draws none.
    """
    drawn: object = match.state.small_picture(viewer) if is_small else match.state.picture(viewer)
    if drawn is None or isinstance(drawn, Picture):
        return drawn
    message = f"a picture was expected, not {type(drawn).__name__}"
    raise TypeError(message)


@_guarded
def sides(match: Match, viewer: Seat) -> tuple[Side, ...]:
    """Asks the game, as its referee, for each seat's colour and score, as a seat may see them; empty without any."""
    return tuple(match.state.sides(viewer))


@_guarded
def story(match: Match, viewer: Seat) -> tuple[MovePlayed, ...]:
    """Has the game, as its referee, play a match again for a seat to see: an event for each move and draw so far.

    It is not stored, because only a returning player needs it.
    """
    game = match.game
    states = [game.start(match.options)]
    for step in match.moves:
        states.append(_after(game, states[-1], step))
    shown: list[MovePlayed] = []
    answer = states[-1]
    # Backwards: what a move came to is told by the state after the draws that followed it.
    for index in reversed(range(len(match.moves))):
        step, state = match.moves[index], states[index + 1]
        if step.seat is None:
            shown.append(_draw_shown(match.id, game, state, _values(step.text), viewer))
        else:
            shown.append(_shown(match, state, answer, game.read_move(step.text), step, viewer))
            answer = states[index]
    return tuple(reversed(shown))


def _shown(
    match: Match, state: State[Any], answer: State[Any], move: Any, step: PlayedMove, viewer: Seat
) -> MovePlayed:
    """A move as a viewer may see it; `answer` is the state after the draws that followed, which gives the outcome."""
    game = match.game
    seat = step.seat
    assert seat is not None, "a draw is shown by _draw_shown"
    text, details = _text(game.seen(state, move, seat, viewer)), _text(answer.reaction(viewer))
    is_open = text == step.text
    return MovePlayed(
        match=match.id,
        seat=seat,
        player=match.seats[seat].player,
        text=text,
        number=game.move_number(move) if is_open else None,
        details=details,
        by=step.by,
        words=_text(game.move_words(state, move)) if is_open else "",
        details_words=_text(answer.reaction_words(viewer)),
    )


def _draw_shown(match: int, game: Game[Any], state: State[Any], values: tuple[int, ...], viewer: Seat) -> MovePlayed:
    text = _text(game.seen_draw(state, values, viewer))
    details, words = _text(state.reaction(viewer)), _text(state.reaction_words(viewer))
    return MovePlayed(match, None, "", text, None, details, By.CHANCE, details_words=words)


@_guarded
def own_draw(match: Match, seat: Seat) -> int | None:
    """Works out, as referee, a seat's value of the draw made when the others are ready; None if hidden till then.

    The draw is computed and not made, so it comes out the same later.
    """
    # The draw falls later under the same number, and so with the same values: its place among the match's draws is all
    # it depends on.
    state, draws, value = match.state.awaiting_draw(seat), match.draws, None
    for _ in range(_CHANCE_DRAWS_MAX):
        wanted = None if state is None else state.chance
        if state is None or wanted is None:
            return value
        values = _draw(match, wanted, draws)
        # A draw may be repeated unseen, such as a tie that no player is told of; then the next one counts.
        state, draws, value = state.drawn(values).awaiting_draw(seat), draws + wanted.count, values[seat]
    message = f"{match.game.name} waits for {_CHANCE_DRAWS_MAX} draws in a row"
    raise GameBug(message)


def _draw(match: Match, wanted: Chance, draws: int) -> tuple[int, ...]:
    """The values of the draw after this many draws of the match; the same at every call."""
    places = range(draws, draws + wanted.count)
    return tuple(1 + number_below(wanted.sides, match.chance.draw_key, "draw", place) for place in places)


def _values(text: str) -> tuple[int, ...]:
    return tuple(int(word) for word in text.split())


def _text(value: object) -> str:
    if not isinstance(value, str):
        message = f"text was expected, not {value!r}"
        raise TypeError(message)
    return value
