"""Rock, paper, scissors: both choose at once, and neither sees the other's choice before the round is decided.

An example of a game whose players act at the same time, with moves that are hidden for a while.
"""

from collections.abc import Mapping, Sequence

from attrs import evolve, field, frozen, validators

from gameserver.game import Game, IllegalMove, Outcome, Seat, State, Turn

CHOICES = ("rock", "paper", "scissors")
BEATS = {"rock": "scissors", "paper": "rock", "scissors": "paper"}
HIDDEN = "?"


@frozen
class Options:
    """The number of rounds. A drawn round counts, so every match ends."""

    rounds: int = field(default=5, validator=[validators.instance_of(int), validators.ge(1), validators.le(99)])


@frozen
class Position(State[str]):
    """One position: the rounds that are over, and the choices made in this one."""

    rounds: int
    scores: tuple[int, int] = (0, 0)
    """The rounds that each seat has won."""

    played: int = 0
    """The rounds that are over."""

    chosen: tuple[str, str] = ("", "")
    """Each seat's choice in this round; empty until it is made."""

    last: tuple[str, str] = ("", "")
    """The choices of the round before."""

    @property
    def turn(self) -> Turn:
        """A round is one turn of both seats. Its number stays when one of them has chosen: they share one clock."""
        if self.outcome is not None:
            return Turn(self.played, ())
        return Turn(self.played, tuple(seat for seat, choice in enumerate(self.chosen) if not choice))

    def legal_moves(self, seat: Seat) -> Sequence[str]:
        """Any of the three."""
        return CHOICES if seat in self.turn.seats else ()

    def play(self, seat: Seat, move: str) -> "Position":
        """Choose. The second choice decides the round."""
        if seat not in self.turn.seats:
            raise IllegalMove("you have chosen already, wait for the other player")
        first, second = (move, self.chosen[1]) if seat == 0 else (self.chosen[0], move)
        if not (first and second):
            return evolve(self, chosen=(first, second))
        scores = (self.scores[0] + (BEATS[first] == second), self.scores[1] + (BEATS[second] == first))
        return Position(self.rounds, scores, self.played + 1, last=(first, second))

    @property
    def outcome(self) -> Outcome | None:
        """After the last round the higher score wins."""
        if self.played < self.rounds:
            return None
        first, second = self.scores
        return Outcome(self.scores, () if first == second else (0 if first > second else 1,))

    def resigned(self, seat: Seat) -> Outcome:
        """The rounds won stay as they are; the other one has won."""
        return Outcome(self.scores, (1 - seat,))

    def shown(self, viewer: Seat | None) -> tuple[str, str]:
        """The choices as a viewer may know them: their own, and nothing of the other one."""
        first, second = (choice if seat == viewer else "" for seat, choice in enumerate(self.chosen))
        return first, second

    def view(self, viewer: Seat | None) -> Mapping[str, object]:
        """A choice is its chooser's alone until both have chosen."""
        return {"scores": self.scores, "played": self.played, "chosen": self.shown(viewer), "last": self.last}

    def board(self, viewer: Seat | None) -> str:
        """A line for each seat: the rounds it has won, its last choice, and its choice now, if that may be known."""
        seats = zip(self.scores, self.last, self.shown(viewer), strict=True)
        return "\n".join(f"seat {seat}: {won}  {last:8}  {now}".rstrip() for seat, (won, last, now) in enumerate(seats))

    def prompt(self, seat: Seat) -> str:
        """The round, from 1."""
        return f"round {self.played + 1} of {self.rounds}"

    def reaction(self, viewer: Seat | None) -> str:
        """The result of the round; after the first choice, only that there is one."""
        if any(self.chosen):
            return "one has chosen"
        return f"{self.last[0]} against {self.last[1]}: {self.scores[0]} - {self.scores[1]}"


class RockPaperScissors(Game[str]):
    """The game as such."""

    name = "Rock-paper-scissors"
    options_type = Options
    guide = "Both choose at once: rock, paper or scissors. Your choice is shown when the other player has chosen."

    def start(self, options: Options) -> Position:
        """Nobody has won anything yet."""
        return Position(options.rounds)

    def read_move(self, text: str) -> str:
        """One of the three words, or its number from 0."""
        if text in CHOICES:
            return text
        if text in {"0", "1", "2"}:
            return CHOICES[int(text)]
        raise IllegalMove(f"the move must be {', '.join(CHOICES[:-1])} or {CHOICES[-1]}")

    def write_move(self, move: str) -> str:
        """The word."""
        return move

    def seen(self, state: State[str], move: str, by: Seat, viewer: Seat | None) -> str:
        """The first choice of a round is hidden from all but its chooser; the second decides it, and is not."""
        assert isinstance(state, Position)
        return HIDDEN if state.chosen[by] and viewer != by else move


GAME = RockPaperScissors()
