"""The contract kit for games: plays many random games and checks that the game keeps its contract.

In one line, in a test of your own:

    def test_contract() -> None:
        check_game(GAME)

It knows nothing of the rules. Other tests have to check that a Reversi move turns the right discs over; this kit finds
faults that would break the server, a protocol or a replay.

A viewer must not be able to tell hidden moves from one another. `Game.seen` hides a move from a viewer. The other
answers to this viewer have to keep the secret, too. So the kit also plays other moves that would have been shown alike,
and compares the answers. At the end of a game secrets may be revealed.
"""

import random
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import attrs
from attrs import define, field
from cattrs.preconf.orjson import make_converter

from gameserver.core.identity import FORBIDDEN
from gameserver.game import Chance, Game, PlayedGame, PlayedMatch, Seat, State, Strategy, Turn
from gameserver.testing import game_positions as checks
from gameserver.testing.contract import Trail, describe, is_frozen, is_line
from gameserver.testing.game_coding import CodingCheck, coding_of
from gameserver.testing.game_positions import JUNK, Answers, answers_of, check_touches, difference

_Question = Callable[[State[Any], Seat | None], object]

_Step = Callable[[State[Any]], State[Any]]

_GAMES_PLAYED = 20
STEPS_MAX = 10_000
"""The most moves and draws of a game. A random game that is longer counts as endless."""

_KNOWN_MOVES_MAX = 8
"""Moves of earlier positions that are tried again in each position."""

_SECRETS_MAX = 20
"""Other moves that a hidden move is compared with."""

_WALKS_MAX = 5
"""Positions of a game in which a move of several touches is looked for."""

_EVALUATED_EVERY = 25
"""Moves and draws between two positions of which house players are asked what they think: it may take a search."""

_DRAWS_MAX = 100
"""Draws that may follow a move before its reaction is asked for."""


def check_game(
    game: Game[Any], *, games_played: int = _GAMES_PLAYED, seed: int = 0, strategy_moves_max: int | None = None
) -> None:
    """Checks the contract of a game: plays random games, and one for each strategy at each seat.

    Raises `ContractError` where the game is wrong.

    The same seed plays the same games. Every error names the moves that led there, what is wrong
    and how to mend it. A strategy that thinks for long need not play its games to the end:
    `strategy_moves_max` leaves them after so many of its moves.
    """
    trail = Trail(str(getattr(game, "name", type(game).__name__)))
    _check_definition(trail, game)
    chance = random.Random(seed)  # noqa: S311 - the games have to be the same ones each time
    checks.read_junk(trail, game, JUNK)
    coding = coding_of(trail, game, _default_options(trail, game))
    known: list[Any] = []
    for _ in range(games_played):
        _Playthrough(game, chance, known, coding).run()
    for name, strategy in game.strategies.items():
        for seat in range(game.seats):
            _Playthrough(game, chance, known, coding, _House(name, strategy, seat, strategy_moves_max)).run()


@define
class _House:
    """A strategy, and the seat it plays."""

    name: str
    strategy: Strategy
    seat: Seat
    moves_left: int | None

    @property
    def has_moved_enough(self) -> bool:
        """True if its game need not go on."""
        return self.moves_left == 0


@define
class _Playthrough:
    """One game from its start to its end."""

    game: Game[Any]
    chance: random.Random
    known: list[Any]
    """Moves of this game and of earlier ones, to be tried where they are not legal."""

    coding: CodingCheck | None
    house: _House | None = None
    trail: Trail = field(init=False)
    past: list[tuple[State[Any], Answers]] = field(factory=list)
    steps: list[_Step] = field(factory=list)
    texts: list[tuple[Seat | None, str]] = field(factory=list)
    """The same steps as the records keep them."""
    acting: Turn | None = None
    """The last turn of a player."""
    walks: int = 0
    """Positions in which a move of several touches was looked for."""

    def __attrs_post_init__(self) -> None:
        self.trail = Trail(self.game.name)

    def run(self) -> None:
        """Play on until the game ends, then replay it, and write it out."""
        state = self._start()
        while True:
            answers = answers_of(self.trail, self.game, state)
            self._check_turn(answers.turn)
            self.past.append((state, answers))
            self._check_moves(state, answers)
            if self.coding is not None:
                self.coding.check(self.trail, state, answers, self.chance)
            is_over = answers.outcome is not None
            if len(self.steps) % _EVALUATED_EVERY == 1 and answers.turn.seats and self.house is None:
                self._check_evaluators(state)
            if is_over or (self.house is not None and self.house.has_moved_enough):
                break
            self.trail.require(
                len(self.steps) < STEPS_MAX, f"no end after {STEPS_MAX} moves; let every game come to an end"
            )
            state = self._draw(state, answers.chance) if answers.chance else self._move(state, answers)
        self._replay()
        if is_over:
            self._export()

    def _check_evaluators(self, state: State[Any]) -> None:
        """Ask what house players think of the position; nothing in it may be hidden."""
        for name, evaluator in self.game.evaluators.items():
            self.trail.require(name in self.game.strategies, f"the evaluator {name!r} must be named as a strategy")
            is_open = all(state.view(seat) == state.view(None) for seat in range(self.game.seats))
            self.trail.require(is_open, f"a seat is shown more than a spectator: take the evaluator {name!r} away")
            worth: object = self.trail.ask(f"the evaluator {name!r}", evaluator, state)
            well_valued = isinstance(worth, float | int) and 0 <= worth <= 1
            self.trail.require(well_valued, f"the evaluator {name!r} gave {worth!r}; give seat 0's chance, 0 to 1")

    def _start(self) -> State[Any]:
        return self.trail.ask("start()", self.game.start, _default_options(self.trail, self.game))

    def _check_turn(self, turn: Turn) -> None:
        """Compare a turn with the earlier ones; while a draw is due nobody has the turn."""
        last = self.past[-1][1].turn if self.past else turn
        self.trail.require(
            turn.number >= last.number, f"the turn's number fell from {last.number} to {turn.number}; it may only rise"
        )
        if not turn.seats:
            return
        before, self.acting = self.acting or turn, turn
        passed_on = [seat for seat in turn.seats if seat not in before.seats]
        self.trail.require(
            not passed_on or turn.number > before.number,
            f"the turn passed on to seats {passed_on} but its number is still {turn.number}; raise it with the turn",
        )

    def _check_moves(self, state: State[Any], answers: Answers) -> None:
        """Try legal and illegal moves, and draws; none of it may change the position."""
        tried: list[Any] = []
        for seat, moves in enumerate(answers.moves):
            checks.check_texts(self.trail, self.game, checks.some_of(moves, checks.TEXTS_MAX, self.chance))
            some = checks.some_of(moves, checks.PLAYS_MAX, self.chance)
            checks.check_plays(self.trail, state, seat, some)
            tried += some
        tried += checks.some_of(self.known, _KNOWN_MOVES_MAX, self.chance)
        tried += checks.read_junk(self.trail, self.game, checks.junk_for(self.trail, self.game, answers, self.chance))
        checks.check_refusals(self.trail, state, answers, tried)
        self.walks += check_touches(self.trail, self.game, state, answers, self.chance, walks=self.walks < _WALKS_MAX)
        if answers.chance:
            # Faults of a draw lie at its bounds; all values of several dice would be too many.
            for extreme in (1, answers.chance.sides):
                self._drawn(state, (extreme,) * answers.chance.count)
        again = answers_of(self.trail, self.game, state, answers)
        self.trail.require(
            again == answers,
            "the position answers otherwise after moves were tried on it; let play() and drawn() return new states, "
            f"and no method change or draw anything: {difference(answers, again)}",
        )

    def _move(self, state: State[Any], answers: Answers) -> State[Any]:
        seat = self.chance.choice(answers.turn.seats)
        move = self._pick(state, seat, answers.moves[seat])
        text = checks.written(self.trail, self.game, move)
        after = checks.played(self.trail, state, seat, move)
        self.trail.steps.append(f"{seat}:{text}")
        self.texts.append((seat, text))
        checks.check_seen(self.trail, self.game, after, move, seat)
        others = checks.some_of(answers.moves[seat], _SECRETS_MAX, self.chance)
        self._check_secrets(state, seat, move, others)
        self.known.append(move)
        # As the server does after a restart: from the text, not from the value at hand.
        self.steps.append(lambda earlier: earlier.play(seat, self.game.read_move(text)))
        return after

    def _check_secrets(self, before: State[Any], by: Seat, move: Any, others: Iterable[Any]) -> None:
        """Compare what each viewer is told of a move with what the other legal moves of the same seat would lead to."""
        game, after = self.game, before.play(by, move)
        hidden_from = [viewer for viewer in (*range(game.seats), None) if _is_hidden(game, after, move, by, viewer)]
        if not hidden_from or after.outcome is not None:
            return
        # Only `seen` says that a move is hidden. What else this viewer is told has to keep the secret, too.
        for other in others:
            instead = before.play(by, other)
            if other == move or instead.outcome is not None:
                continue
            for viewer in hidden_from:
                if game.seen(after, move, by, viewer) == game.seen(instead, other, by, viewer):
                    spelled = game.write_move(move), game.write_move(other)
                    self._compare((after, instead), spelled, viewer)

    def _compare(self, states: tuple[State[Any], State[Any]], moves: tuple[str, str], viewer: Seat | None) -> None:
        """Fail if this viewer could tell which of two moves was made, now or after the draws that follow."""
        _compare_answers(self.trail, _SHOWN, states, moves, viewer)
        one, other = states
        for _ in range(_DRAWS_MAX):
            wanted = one.chance
            if wanted is None or wanted != other.chance:
                break
            one, other = one.drawn((1,) * wanted.count), other.drawn((1,) * wanted.count)
        if one.outcome is None and other.outcome is None:
            _compare_answers(self.trail, _TOLD, (one, other), moves, viewer)
            if self.coding is not None and viewer is not None:
                observation: _Question = partial(self.coding.observation, self.trail)
                _compare_answers(self.trail, {"observation": observation}, (one, other), moves, viewer)

    def _pick(self, state: State[Any], seat: Seat, moves: tuple[Any, ...]) -> Any:
        house = self.house
        if house is None or house.seat != seat:
            return self.chance.choice(moves)
        question = f"the strategy {house.name!r} for seat {seat}"
        move = self.trail.ask(question, house.strategy, state, seat, self.chance.choice)
        # A level that thinks plays some moves in each game of the kit; to their ends they would take minutes.
        if house.moves_left is not None:
            house.moves_left -= 1
        self.trail.require(move in moves, f"{question} picked {move!r}; it must pick one of legal_moves({seat})")
        return move

    def _draw(self, state: State[Any], wanted: Chance) -> State[Any]:
        values = tuple(self.chance.randint(1, wanted.sides) for _ in range(wanted.count))
        after = self._drawn(state, values)
        self.trail.steps.append("draw:" + ",".join(map(str, values)))
        self.texts.append((None, " ".join(map(str, values))))
        checks.check_seen_draw(self.trail, self.game, after, values)
        self.steps.append(lambda earlier: earlier.drawn(values))
        return after

    def _drawn(self, state: State[Any], values: tuple[int, ...]) -> State[Any]:
        after: object = self.trail.ask(f"drawn({values})", state.drawn, values)
        if not isinstance(after, State):
            self.trail.fail(f"drawn({values}) gave {after!r}; return the State after the draw")
        return after

    def _replay(self) -> None:
        """Play the same moves once more: the server finds every position again in this way."""
        played, self.trail.steps = self.trail.steps, []
        state = self._start()
        for number, (before, answers) in enumerate(self.past):
            again = answers_of(self.trail, self.game, state, answers)
            self.trail.require(
                again == answers,
                "a replay of the same moves answers otherwise; let nothing but the moves decide: "
                + difference(answers, again),
            )
            self.trail.require(before == state, "a replay gives an unequal state; let attrs compare the states")
            if number < len(self.steps):
                state = self.trail.ask("the same move in a replay", self.steps[number], state)
                self.trail.steps.append(played[number])

    def _export(self) -> None:
        outcome = self.past[-1][1].outcome
        assert outcome is not None, "it was played to its end"
        options = _default_options(self.trail, self.game)
        played = PlayedGame(self.game, options, tuple(self.texts), outcome.points, outcome.winners, "played")
        players = tuple(f"player {seat + 1}" for seat in range(self.game.seats))
        match = PlayedMatch(1, self.game, options, players, "2026-01-01T12:00:00.000+00:00", (played,))
        for ending, export in self.game.exports.items():
            text: Any = self.trail.ask(f"the export {ending!r}", export, match)
            written_out = isinstance(text, str) and text.endswith("\n")
            self.trail.require(written_out, f"the export {ending!r} gave {text!r}; give text that ends its last line")


def _check_definition(trail: Trail, game: Game[Any]) -> None:
    """Check everything that can be checked without playing."""
    trail.require(isinstance(game, Game), "it is not a gameserver.game.Game; derive its class from Game")
    name: Any = getattr(game, "name", None)
    trail.require(
        _is_name(name) and name == name.strip(),
        f'the name {name!r} must be printable text without " {{ }} [ ] or spaces around it',
    )
    trail.require(_is_count(game.version, 1), f"the version {game.version!r} must be an integer from 1")
    trail.require(_is_count(game.seats, 2), f"seats is {game.seats!r}; it must be an integer from 2")
    # Protocols say a guide line by line, so a control character in it would reach a terminal.
    texts: tuple[tuple[str, Any], ...] = (("the guide", game.guide), ("how_to_play", game.how_to_play))
    for what, text in texts:
        well_written = isinstance(text, str) and all(map(is_line, text.split("\n")))
        trail.require(well_written, f"{what} must be printable lines, parted by line feeds alone")
    trail.require(game.family == "" or _is_name(game.family), f"family is {game.family!r}; give a printable heading")
    roles: Any = game.roles
    well_cast = isinstance(roles, tuple) and all(map(_is_name, roles)) and len(roles) in {0, game.seats}
    trail.require(well_cast, f"the roles {roles!r} must be a tuple of printable names, one for each seat, or empty")
    aliases: Any = game.aliases
    well_named = isinstance(aliases, tuple) and all(map(_is_name, aliases))
    trail.require(well_named, f"the aliases {aliases!r} must be a tuple of printable names")
    trail.require(_is_name(game.draw_noun), f"draw_noun is {game.draw_noun!r}; give a printable word, such as roll")
    _check_options(trail, game)
    _check_strategies(trail, game)
    _check_exports(trail, game)
    _check_start(trail, game)


def _default_options(trail: Trail, game: Game[Any]) -> Any:
    """The options of a match that nobody chose any for."""
    kind = game.options_type
    return trail.ask(f"{kind.__name__}() without arguments", kind)


def _check_options(trail: Trail, game: Game[Any]) -> None:
    kind: Any = game.options_type
    trail.require(isinstance(kind, type) and attrs.has(kind), "options_type must be an attrs class, such as NoOptions")
    options = _default_options(trail, game)
    trail.require(is_frozen(options), f"{kind.__name__} can be changed; decorate it with attrs.frozen")
    trail.require(options == kind(), f"two {kind.__name__}() are unequal; let attrs compare them")
    converter = make_converter()
    try:
        same = converter.loads(converter.dumps(options), kind) == options
    except Exception as error:
        problem = f"{options!r} cannot be saved: {describe(error)}; give its fields simple types"
        raise trail.error(problem) from error
    trail.require(same, f"{options!r} is saved as something else; give its fields simple types")


def _check_strategies(trail: Trail, game: Game[Any]) -> None:
    strategies: object = game.strategies
    trail.require(isinstance(strategies, Mapping), "strategies must be a mapping of names to functions")
    for name, strategy in game.strategies.items():
        well_named = _is_name(name) and not any(letter.isspace() for letter in name)
        trail.require(well_named, f"the strategy's name {name!r} must be one printable word")
        trail.require(callable(strategy), f"the strategy {name!r} must be a function (state, seat, choose)")


def _check_exports(trail: Trail, game: Game[Any]) -> None:
    exports: object = game.exports
    trail.require(isinstance(exports, Mapping), "exports must be a mapping of file endings to functions")
    ending: Any
    for ending, export in game.exports.items():
        well_named = isinstance(ending, str) and ending.isascii() and ending.isalnum() and ending.islower()
        trail.require(well_named, f"the export's name {ending!r} must be a file's ending, such as sgf")
        trail.require(callable(export), f"the export {ending!r} must be a function (match) -> text")


def _check_start(trail: Trail, game: Game[Any]) -> None:
    start: Callable[[Any], State[Any]] = game.start
    first = trail.ask("start()", start, _default_options(trail, game))
    second = trail.ask("start()", start, _default_options(trail, game))
    trail.require(
        first == second,
        "start() gave two states that are not equal; draw nothing there, and let attrs compare the states",
    )


def _is_name(text: Any) -> bool:
    return is_line(text) and text != "" and not FORBIDDEN.intersection(text)


def _is_count(value: object, least: int) -> bool:
    return type(value) is int and value >= least


def _view(state: State[Any], viewer: Seat | None) -> object:
    return dict(state.view(viewer))


def _prompt(state: State[Any], viewer: Seat | None) -> object:
    """The prompt is for seats that are to act."""
    return state.prompt(viewer) if viewer is not None and viewer in state.turn.seats else None


_SHOWN: Mapping[str, _Question] = {
    "view": _view,
    "board": lambda state, viewer: state.board(viewer),
    "picture": lambda state, viewer: state.picture(viewer),
    "small_picture": lambda state, viewer: state.small_picture(viewer),
    "sides": lambda state, viewer: tuple(state.sides(viewer)),
}
"""The answers that show any position."""

_TOLD: Mapping[str, _Question] = {
    **_SHOWN,
    "prompt": _prompt,
    "reaction": lambda state, viewer: state.reaction(viewer),
    "reaction_words": lambda state, viewer: state.reaction_words(viewer),
}
"""The answers that are told once the draws after a move have been made."""


def _is_hidden(game: Game[Any], after: State[Any], move: Any, by: Seat, viewer: Seat | None) -> bool:
    return game.seen(after, move, by, viewer) != game.write_move(move)


def _compare_answers(
    trail: Trail,
    questions: Mapping[str, _Question],
    states: tuple[State[Any], State[Any]],
    moves: tuple[str, str],
    viewer: Seat | None,
) -> None:
    for name, question in questions.items():
        one, other = (trail.ask(f"{name}({viewer})", question, state, viewer) for state in states)
        # Written out only where it is told: the text of two pictures takes longer than drawing them.
        if one != other:
            trail.fail(
                f"{name}({viewer}) gives a hidden move away: it is {one!r} after {moves[0]!r} and {other!r} after "
                f"{moves[1]!r}, though seen() shows viewer {viewer} the same of both; leave out what is hidden"
            )
