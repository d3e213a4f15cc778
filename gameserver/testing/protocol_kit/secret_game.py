"""A game for the protocol kit: both choose a word at once, and neither sees the other's before both have chosen.

The words are long enough not to come up in a protocol's own: a client that can read its opponent's word too early was
told it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import evolve

from gameserver.game import Game, IllegalMove, NoOptions, Outcome, Seat, State, Turn
from gameserver.values import value

WORDS = tuple(f"quince{number:02}" for number in range(20))
ROUNDS = 3
HIDDEN = "?"


@value
class SecretState(State[str]):
    """The words chosen in this round, and the rounds won."""

    chosen: tuple[str, ...] = ("", "")
    scores: tuple[int, int] = (0, 0)
    played: int = 0

    @property
    def turn(self) -> Turn:
        """A round is one turn of both."""
        is_over = self.played == ROUNDS
        return Turn(self.played, () if is_over else tuple(seat for seat in (0, 1) if not self.chosen[seat]))

    def legal_moves(self, seat: Seat) -> Sequence[str]:
        """Any word."""
        return WORDS if seat in self.turn.seats else ()

    def play(self, seat: Seat, move: str) -> "SecretState":
        """Choose a word; the later one in the alphabet wins the round."""
        if move not in self.legal_moves(seat):
            raise IllegalMove("it is not your turn")
        first, second = (move, self.chosen[1]) if seat == 0 else (self.chosen[0], move)
        if not (first and second):
            return evolve(self, chosen=(first, second))
        scores = (self.scores[0] + (first > second), self.scores[1] + (second > first))
        return SecretState(scores=scores, played=self.played + 1)

    @property
    def outcome(self) -> Outcome | None:
        """The end, after the last round."""
        if self.played < ROUNDS:
            return None
        first, second = self.scores
        return Outcome(self.scores, () if first == second else (0 if first > second else 1,))

    def resigned(self, seat: Seat) -> Outcome:
        """The other one has won."""
        return Outcome(self.scores, (1 - seat,))

    def view(self, viewer: Seat | None) -> Mapping[str, object]:
        """The own word alone."""
        chosen = tuple(word if seat == viewer else "" for seat, word in enumerate(self.chosen))
        return {"chosen": chosen, "scores": self.scores, "played": self.played}

    def board(self, viewer: Seat | None) -> str:
        """The rounds won."""
        return f"{self.scores[0]} : {self.scores[1]}"


class SecretGame(Game[str]):
    """The game as such."""

    name = "Contract secrets"

    def start(self, options: NoOptions) -> SecretState:
        """Nobody has chosen."""
        return SecretState()

    def read_move(self, text: str) -> str:
        """One of the words."""
        if text not in WORDS:
            raise IllegalMove(f"the move must be one of {WORDS[0]} to {WORDS[-1]}")
        return text

    def write_move(self, move: str) -> str:
        """The word."""
        return move

    def seen(self, state: State[Any], move: str, by: Seat, viewer: Seat | None) -> str:
        """The first word of a round is its chooser's alone."""
        assert isinstance(state, SecretState)
        return HIDDEN if state.chosen[by] and viewer != by else move


SECRET_GAME = SecretGame()
