"""The board as GammonX numbers it: 24 fields as white counts, white negative and black positive.

White goes from field 0 up to 23. Black goes down from 23, or in Fevga up from 12, past 23, to 11. The
bar is -1 for white and 24 for black, and off the board is -100 and 100, wherever the colours go.
"""

from functools import cache

from games.backgammon.board import BackgammonBoard
from games.backgammon.variants import ON_POINTS, Contact, Variant, stacks
from gameserver.game import Seat

# The numbers of GammonX's protocol.
WHITE_BAR, BLACK_BAR = -1, 24
WHITE_OFF, BLACK_OFF = -100, 100
_SIGNS = (-1, 1)


@cache
def numbering(variant: Variant, seat: Seat) -> tuple[int, ...]:
    """Numbers the places of the board with their GammonX fields as `seat` counts them, from `OFF` to `BAR`."""
    if seat:
        return BLACK_OFF, *(24 - variant.opposite[place] for place in range(1, 25)), BLACK_BAR
    return WHITE_OFF, *(24 - place for place in range(1, 25)), WHITE_BAR


def place_of(variant: Variant, seat: Seat, field: int) -> int | None:
    """Finds the place of a GammonX field as `seat` counts it; None where there is none."""
    fields = numbering(variant, seat)
    return fields.index(field) if field in fields else None


def fields_of(board: BackgammonBoard) -> tuple[int, ...]:
    """Writes the board as GammonX's 24 fields, without pinned checkers."""
    return _signed(board.variant, board.checkers)


def pinned_fields_of(board: BackgammonBoard) -> tuple[int, ...] | None:
    """Writes the pinned checkers on a backgammon board as GammonX's 24 fields; None in a game without pins."""
    return _signed(board.variant, board.pinned) if board.variant.contact is Contact.PINS else None


def view_of(board: BackgammonBoard) -> dict[str, object]:
    """A backgammon board as its 24 signed fields, in terms of JSON; pairs are white's and black's."""
    off, bar, pips = map(list, zip(board.tally(0), board.tally(1), strict=True))
    return {"fields": list(fields_of(board)), "pinned": pinned_fields_of(board), "bar": bar, "off": off, "pips": pips}


def _signed(variant: Variant, lanes: tuple[int, int]) -> tuple[int, ...]:
    fields = [0] * 24
    for seat, sign in enumerate(_SIGNS):
        numbers = numbering(variant, seat)
        for place, count in stacks(lanes[seat] & ON_POINTS):
            fields[numbers[place]] += sign * count
    return tuple(fields)
