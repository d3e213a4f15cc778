"""OpenSpiel's games as games of this server: positions, moves, draws and ends.

OpenSpiel (https://github.com/google-deepmind/open_spiel) numbers the actions of a game, and a position is made by
applying numbers. Three facts of it decide the shape of this module:

- An action that is not legal is not refused. `apply_action(99999)` ends the process in Hex, Go and Amazons, and chess
  plays an illegal move as if it were one. So a number comes from `legal_actions()` or nowhere: players write words, and
  a word is looked up among those of the legal actions.
- Its positions can be changed. So they are kept out of `==`, `repr` and pickle, nobody but `_after` applies anything
  to one, and `_after` does it to a clone. After a restart a position is made anew from the numbers, when it is first
  asked: 2.5 ms for the 511 moves of a long chess game, against 47 ms from the words.
- Its first mover is not always player 0 (in chess it is player 1). Here seat 0 begins, as everywhere on this server.
"""

import difflib
import math
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from importlib.metadata import version
from typing import Any

import pyspiel
from attrs import evolve, field, frozen

from games.open_spiel.catalogue import CATALOGUE, Row
from games.open_spiel.coding import SpielCoding
from games.open_spiel.guides import GUIDES, HOW_TO_PLAY
from games.open_spiel.looks import Look
from games.open_spiel.players import EVALUATORS, STRATEGIES
from gameserver.drawing import Picture, Side
from gameserver.game import (
    Chance,
    Evaluator,
    Export,
    Game,
    IllegalMove,
    NoOptions,
    Outcome,
    Seat,
    State,
    Strategy,
    Turn,
)

_REVISION = 1
"""To be raised when words of moves, seats or limits change, so that matches saved before are not misread."""

_WORD = re.compile(r"[!#-~]{1,40}")
"""A move: printable ASCII without blanks and double quotes. The longest known one has 27 characters."""

_OUTCOMES_MAX = 1000
"""The most outcomes of a draw. Yacht has 7,776 for five dice, and takes 65 ms to list them at each throw."""

_DENOMINATOR_MAX = 10_000
"""The finest weight of an outcome. Weights of dice and shuffled tiles are coarser; others are no exact lots."""


_KNOWN_ISSUES = frozenset({"quoridor", "rbc"})
"""OpenSpiel prints a warning when it loads these, and leaves them out of its own tests."""


class Unsuitable(ValueError):
    """A game of OpenSpiel that cannot be played here; the text is the reason in one line."""


@frozen
class _Rules:
    """A game of OpenSpiel as it was loaded, with what is said of it in the catalogue."""

    spiel: Any
    row: Row
    first: int
    """OpenSpiel's number of the player who begins."""
    moves_max: int


def _made(make: Callable[[], Any]) -> Any:
    try:
        return make()
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - pyspiel raises what its C++ throws, of no common class
        raise Unsuitable(f"OpenSpiel does not load it: {' '.join(str(error).split())}") from None


@cache
def _rules(spiel: str) -> _Rules:
    """Load a game of OpenSpiel by its string, such as `hex(board_size=13)`. Raises `Unsuitable`."""
    short_name = spiel.partition("(")[0].strip()
    # OpenSpiel's own message has all 130 names, and it prints it, too.
    if short_name not in (names := pyspiel.registered_names()):
        near = difflib.get_close_matches(short_name, names, 1)
        raise Unsuitable(f"OpenSpiel has no game {short_name}" + (f"; did you mean {near[0]}?" if near else ""))
    if short_name in _KNOWN_ISSUES:
        raise Unsuitable("OpenSpiel itself says that it has known issues")
    game = _made(partial(pyspiel.load_game, spiel))
    kind = game.get_type()
    types = pyspiel.GameType
    if kind.dynamics != types.Dynamics.SEQUENTIAL:
        raise Unsuitable("its players do not move one after the other")
    if kind.information != types.Information.PERFECT_INFORMATION:
        raise Unsuitable("it hides something from its players, and OpenSpiel does not say what spectators may see")
    if kind.chance_mode == types.ChanceMode.SAMPLED_STOCHASTIC:
        raise Unsuitable("it draws its chance by itself, so a match could not be replayed")
    if (players := game.num_players()) != 2:
        raise Unsuitable(f"it has {players} player{'s' * (players != 1)}, and matches here are for two")
    if game.max_game_length() < 2:
        raise Unsuitable("its games have no second move")  # hex(board_size=-1) is one cell
    row = CATALOGUE.get(kind.short_name) or Row(spiel, spiel, Look())
    start = _made(game.new_initial_state)
    while start.is_chance_node():
        start.apply_action(_lots(start)[0][0])
    return _Rules(game, row, max(start.current_player(), 0), min(row.moves_max, game.max_game_length()))


@frozen
class SpielPosition(State[str]):
    """One position of a game of OpenSpiel: its string and the numbers of all actions, moves and draws, so far."""

    spiel: str
    actions: tuple[int, ...] = ()
    mover: Seat | None = None
    """The seat that moved last. A turn of several moves, as of jumps in checkers, is one turn of the clock."""
    turns: int = 0
    last_move: str = field(default="", eq=False)
    last_draw: str = field(default="", eq=False)
    """The draws since the last move, as OpenSpiel writes them."""
    _kept: Any = field(default=None, eq=False, repr=False)
    _kept_words: dict[str, int] | None = field(default=None, eq=False, repr=False)

    def __getstate__(self) -> object:
        return self.spiel, self.actions, self.mover, self.turns, self.last_move, self.last_draw

    def __setstate__(self, saved: Any) -> None:
        self.__init__(*saved)  # type: ignore[misc]

    @property
    def live(self) -> Any:
        """The position as pyspiel has it. Nobody may change it."""
        if self._kept is None:
            live = _rules(self.spiel).spiel.new_initial_state()
            for action in self.actions:
                live.apply_action(action)
            object.__setattr__(self, "_kept", live)
        return self._kept

    @property
    def words(self) -> Mapping[str, int]:
        """OpenSpiel's number of each legal move by its word, in OpenSpiel's order; empty if nobody is to act."""
        words = self._kept_words
        if words is None:
            written = list(self._written)
            words = dict(written)
            if len(words) < len(written):
                raise Unsuitable("two of its moves have the same text")
            object.__setattr__(self, "_kept_words", words)
        return words

    @property
    def _written(self) -> Iterator[tuple[str, int]]:
        """The word and the number of one legal action after the other."""
        live = self.live
        player = live.current_player()
        word = _rules(self.spiel).row.look.word
        for action in live.legal_actions() if player >= 0 and not self._is_at_limit else ():
            yield word(live, player, action), action

    @property
    def _is_at_limit(self) -> bool:
        return len(self.actions) >= _rules(self.spiel).moves_max

    @property
    def _seat(self) -> Seat | None:
        """The seat that is to act."""
        player = self.live.current_player()
        return None if player < 0 or self._is_at_limit else player ^ _rules(self.spiel).first

    @property
    def turn(self) -> Turn:
        """The turn of OpenSpiel's current player."""
        seat = self._seat
        return Turn(self.turns, () if seat is None else (seat,))

    def legal_moves(self, seat: Seat) -> Sequence[str]:
        """The words of OpenSpiel's legal actions."""
        return tuple(self.words) if seat == self._seat else ()

    def play(self, seat: Seat, move: str) -> "SpielPosition":
        """Plays a move of OpenSpiel's by its word, if it is the word of a legal action."""
        if self.outcome is not None:
            raise IllegalMove("the game is over, no move can follow")
        if seat != self._seat:
            raise IllegalMove("it is not your turn")
        # No more words than it takes: a word of chess is 7 us, and a player who comes back is told 300 moves again.
        words = self._kept_words.items() if self._kept_words is not None else self._written
        action = next((action for word, action in words if word == move), None)
        if action is None:
            raise IllegalMove(self._refusal(move))
        return self._after(action, seat, move, "")

    def _refusal(self, move: str) -> str:
        """Why a word is no move, with the right one where another spelling of it was meant."""
        live, meant = self.live, _bare(move)
        player = live.current_player()
        for word, action in self.words.items():
            # -1 is no other spelling of 1, but another number.
            if meant and move[0] != "-" and meant in {_bare(word), _bare(live.action_to_string(player, action))}:
                return f"write it as {word}, not {move}"
        first = next(iter(self.words))
        alike = next((word for word in self.words if word.startswith(move)), first)
        return f"{move} is not a legal move here; {alike} would be"

    def _after(self, action: int, mover: Seat | None, last_move: str, last_draw: str) -> "SpielPosition":
        rules = _rules(self.spiel)
        live = self.live.clone()
        live.apply_action(action)
        then = live.current_player()
        passed_on = then >= 0 and mover is not None and then ^ rules.first != mover
        turns = self.turns + passed_on
        return SpielPosition(self.spiel, (*self.actions, action), mover, turns, last_move, last_draw, live)

    @property
    def chance(self) -> Chance | None:
        """OpenSpiel's draw as one die of so many sides, of which each outcome has as many as it is likely."""
        if self._is_at_limit or not self.live.is_chance_node():
            return None
        return Chance(1, sum(count for _, count in _lots(self.live)))

    def drawn(self, values: tuple[int, ...]) -> "SpielPosition":
        """Draws OpenSpiel's outcome for a side of the die."""
        live, left = self.live, values[0]
        for action, count in _lots(live):
            left -= count
            if left <= 0:
                # Without what a protocol could not quote.
                text = filter(str.isprintable, live.action_to_string(live.current_player(), action))
                told = " ".join("".join(text).replace('"', "'").split())
                return self._after(action, self.mover, self.last_move, f"{self.last_draw} {told}".strip())
        raise AssertionError(f"{values} is no value of {self.chance}")

    @property
    def outcome(self) -> Outcome | None:
        """The outcome by OpenSpiel's returns; a draw at the limit of moves, which only this server has."""
        live = self.live
        if live.is_terminal():
            returns = live.returns()
            if _rules(self.spiel).first:
                returns = returns[::-1]
            if returns[0] == returns[1]:
                return Outcome((0, 0), (), self.ending)
            return _won_by(int(returns[1] > returns[0]))
        return Outcome((0, 0), (), self.ending) if self._is_at_limit else None

    @property
    def ending(self) -> str:
        """How the game ended, in the words of its row, such as "stalemate"."""
        live, rules = self.live, _rules(self.spiel)
        if live.is_terminal():
            return rules.row.look.ending(live)
        return f"no end within {rules.moves_max} moves" if self._is_at_limit else ""

    def resigned(self, seat: Seat) -> Outcome:
        """A game of OpenSpiel is lost by giving up."""
        return _won_by(1 - seat)

    def view(self, viewer: Seat | None) -> Mapping[str, object]:
        """Shows OpenSpiel's text of the position, and the numbers by which a bot of pyspiel makes it anew."""
        return {"game": self.spiel, "board": str(self.live), "actions": list(self.actions)}

    def board(self, viewer: Seat | None) -> str:
        """Writes the board of OpenSpiel's game for a prompt, with the scores, and who is to move or how it ended."""
        sides, seat = self.sides(None), self._seat
        score = ", ".join(f"{side.name} {side.score} {side.unit}" for side in sides if side.score is not None)
        now = f"the game is over: {self.ending}" if self.ending else ""
        if sides and seat is not None:
            now = f"{sides[seat].name} is to move"
        return "\n".join(filter(None, (_rules(self.spiel).row.look.board(self.live), score, now)))

    def picture(self, viewer: Seat | None) -> Picture | None:
        """Draws the board of OpenSpiel's game, if its look in the catalogue says how."""
        words = self.words if viewer is not None and viewer == self._seat else {}
        return _rules(self.spiel).row.look.picture(self.live, words, self.last_move, is_turned=viewer == 1)

    def sides(self, viewer: Seat | None) -> Sequence[Side]:
        """The colours and scores of the seats in OpenSpiel's game, as its look in the catalogue has them."""
        rules = _rules(self.spiel)
        sides, scores = rules.row.look.sides, rules.row.look.scores(self.live)
        if scores:
            sides = tuple(evolve(side, score=score) for side, score in zip(sides, scores, strict=True))
        return sides[::-1] if rules.first else sides

    def prompt(self, seat: Seat) -> str:
        """Tells what is to be done in OpenSpiel's game where the board alone does not say it, such as the dice."""
        return "" if seat != self._seat else _rules(self.spiel).row.look.prompt(self.live) or self.last_draw

    def reaction(self, viewer: Seat | None) -> str:
        """Tells what was drawn after the last move in OpenSpiel's game."""
        return self.last_draw


def _won_by(winner: Seat) -> Outcome:
    return Outcome((1, -1) if winner == 0 else (-1, 1), (winner,))


def _bare(text: str) -> str:
    """The letters and digits of a move, by which another spelling of it is known, such as Nxf3+ and nf3."""
    return re.sub(r"[^0-9a-wyz]", "", text.lower())


def _lots(live: Any) -> list[tuple[int, int]]:
    """The outcomes of a draw, each with its number of equal lots."""
    outcomes = live.chance_outcomes()
    if len(outcomes) > _OUTCOMES_MAX:
        raise Unsuitable(f"a draw of it has {len(outcomes):,} outcomes, more than {_OUTCOMES_MAX:,}")
    shares = [(action, Fraction(weight).limit_denominator(_DENOMINATOR_MAX)) for action, weight in outcomes]
    if sum(share for _, share in shares) != 1:
        raise Unsuitable("the outcomes of a draw of it cannot be made into equal lots")
    lots = math.lcm(*(share.denominator for _, share in shares))
    return [(action, int(share * lots)) for action, share in shares]


class SpielGame(Game[str]):
    """A game of OpenSpiel under a name of this server: `SpielGame("Hex-13", "hex(board_size=13)")`.

    Raises `Unsuitable`. Games of the catalogue in their usual form have guides, levels and exports of their own.
    """

    family = "OpenSpiel"

    def __init__(self, name: str, spiel: str) -> None:
        row = _rules(spiel).row
        self.name, self.spiel = name, spiel
        # Another OpenSpiel, or other parameters under the old name, may lead the same moves to other positions.
        self.version = 1 + zlib.crc32(f"{_REVISION} {version('open_spiel')} {spiel}".encode())
        short_name = spiel.partition("(")[0]
        is_usual = spiel == row.spiel
        self.aliases = row.aliases if name == row.name and is_usual else ()
        self.guide = GUIDES.get(short_name, "") if is_usual else ""
        self.how_to_play = HOW_TO_PLAY.get(short_name, "") if is_usual else ""
        self.strategies: Mapping[str, Strategy] = STRATEGIES.get(short_name, {}) if is_usual else {}  # type: ignore[misc]
        self.evaluators: Mapping[str, Evaluator] = EVALUATORS.get(short_name, {}) if is_usual else {}  # type: ignore[misc]
        self.exports: Mapping[str, Export] = row.exports  # type: ignore[misc]

    def __reduce__(self) -> tuple[type["SpielGame"], tuple[str, str]]:
        return SpielGame, (self.name, self.spiel)

    def start(self, options: NoOptions) -> SpielPosition:
        """Begins a game of OpenSpiel."""
        return SpielPosition(self.spiel)

    def coding(self, options: NoOptions) -> SpielCoding | None:
        """Codes a game of OpenSpiel for agents that learn, if OpenSpiel has a tensor of its positions."""
        rules = _rules(self.spiel)
        return SpielCoding(rules.spiel, rules.first) if rules.spiel.get_type().provides_observation_tensor else None

    def read_move(self, text: str) -> str:
        """Reads a move of OpenSpiel's as a word; only a position knows whether it is a move."""
        if not _WORD.fullmatch(text):
            raise IllegalMove("a move is one word of at most 40 ASCII characters, such as those of the legal moves")
        return text

    def write_move(self, move: str) -> str:
        """Writes the word of a move of OpenSpiel's."""
        return move
