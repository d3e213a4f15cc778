"""The kit finds what gives a hidden move away, wherever a game tells it."""

from collections.abc import Mapping

import pytest
from attrs import evolve, frozen

from games.mastermind import GAME as MASTERMIND
from gameserver.drawing import Disc, Picture, Side
from gameserver.game import Chance, Coding, Game, IllegalMove, NoOptions, Outcome, State, Turn
from gameserver.testing import ContractError, check_game

CARDS = (1, 2, 3)


@frozen
class Bid(State[int]):
    """Each bids a card in secret, the first seat first; then a die is rolled, and the higher card wins."""

    bids: tuple[int, ...] = ()
    rolled: bool = False

    @property
    def turn(self) -> Turn:
        is_waiting = self.chance is not None or self.outcome is not None
        return Turn(len(self.bids), () if is_waiting else (len(self.bids),))

    def legal_moves(self, seat: int) -> tuple[int, ...]:
        return CARDS if seat in self.turn.seats else ()

    def play(self, seat: int, move: int) -> "Bid":
        if move not in self.legal_moves(seat):
            raise IllegalMove("bid 1, 2 or 3 when it is your turn")
        return evolve(self, bids=(*self.bids, move))

    @property
    def chance(self) -> Chance | None:
        return Chance(1, 6) if len(self.bids) == 1 and not self.rolled else None

    def drawn(self, values: tuple[int, ...]) -> "Bid":
        return evolve(self, rolled=True)

    @property
    def outcome(self) -> Outcome | None:
        if len(self.bids) < 2:
            return None
        one, other = self.bids
        return Outcome(self.bids, () if one == other else (0 if one > other else 1,))

    def resigned(self, seat: int) -> Outcome:
        return Outcome((0, 0), (1 - seat,))

    def view(self, viewer: int | None) -> Mapping[str, object]:
        return {"bids": [bid if seat == viewer else 0 for seat, bid in enumerate(self.bids)]}

    def board(self, viewer: int | None) -> str:
        return f"{len(self.bids)} bids"


class Bidding(Game[int]):
    """The game as such."""

    name = "Bidding"

    def __init__(self, state: type[Bid] = Bid) -> None:
        self.state = state

    def start(self, options: NoOptions) -> Bid:
        return self.state()

    def read_move(self, text: str) -> int:
        if text not in {"1", "2", "3"}:
            raise IllegalMove("bid 1, 2 or 3")
        return int(text)

    def write_move(self, move: int) -> str:
        return str(move)

    def seen(self, state: State[int], move: int, by: int, viewer: int | None) -> str:
        return str(move) if viewer == by else "?"


def disc(bid: Bid) -> Picture:
    """A larger one for a higher card."""
    return Picture(10, 10, (Disc(5, 5, 1 + sum(bid.bids)),), "a disc")


LEAKS: Mapping[str, Mapping[str, object]] = {
    "view(None)": {
        "view": lambda self, viewer: {"bids": list(self.bids)} if viewer is None else Bid.view(self, viewer)
    },
    "board(1)": {"board": lambda self, viewer: "*" * (1 + sum(self.bids))},
    "prompt(1)": {"prompt": lambda self, seat: f"beat {sum(self.bids)}"},
    "reaction(1)": {"reaction": lambda self, viewer: "a fine bid" if 3 in self.bids else "a bid"},
    "picture(1)": {"picture": lambda self, viewer: disc(self if viewer == 1 else Bid())},
    "small_picture(1)": {"small_picture": lambda self, viewer: disc(self)},
    "sides(1)": {"sides": lambda self, viewer: (Side(score=sum(self.bids)), Side())},
}
"""Methods that give a hidden card away, by the first question that tells it."""


def test_a_game_that_keeps_its_secrets_passes() -> None:
    check_game(Bidding())


@pytest.mark.parametrize("told", LEAKS)
def test_a_planted_leak_is_found(told: str) -> None:
    with pytest.raises(ContractError) as caught:
        check_game(Bidding(type("Leaking", (Bid,), dict(LEAKS[told]))))
    assert caught.value.problem.startswith(f"{told} gives a hidden move away: ")
    assert "though seen() shows viewer" in caught.value.problem


class Peeping(Coding[int]):
    actions, shape, high = 4, (1,), 6

    def number(self, state: State[int], seat: int, move: int) -> int:
        return move

    def observation(self, state: State[int], seat: int) -> tuple[int, ...]:
        assert isinstance(state, Bid)
        return (sum(state.bids),)


def test_an_observation_that_leaks_is_found() -> None:
    game = Bidding()
    game.coding = lambda options: Peeping()  # type: ignore[method-assign]
    with pytest.raises(ContractError, match=r"observation\(1\) gives a hidden move away"):
        check_game(game)


def test_secret_revealed_at_the_end_is_not_a_leak() -> None:
    """The second bid decides the game."""

    revealed = {"board": lambda self, viewer: str(self.bids) if self.outcome is not None else "hidden"}
    check_game(Bidding(type("Revealing", (Bid,), revealed)))


def test_a_secret_shown_in_part_may_be_told_in_part() -> None:
    """Whoever may see whether a card is odd may see it on the board, too."""

    odd = {"board": lambda self, viewer: " ".join(str(bid % 2) for bid in self.bids) or "none"}

    class OddBidding(Bidding):
        def seen(self, state: State[int], move: int, by: int, viewer: int | None) -> str:
            return str(move) if viewer == by else "odd" if move % 2 else "even"

    check_game(OddBidding(type("Odd", (Bid,), odd)))


def test_former_leak_of_mastermind_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The maker's code, in the spectators' board."""
    position = type(MASTERMIND.start(MASTERMIND.options_type()))
    board = position.board
    monkeypatch.setattr(position, "board", lambda self, viewer: f"{board(self, viewer)} {self.table.secret_code}")
    with pytest.raises(ContractError, match="gives a hidden move away"):
        check_game(MASTERMIND, games_played=1)
