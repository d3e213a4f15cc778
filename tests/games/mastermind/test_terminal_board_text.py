"""Drawing of the board and typing of codes: colour is never the only cue, and nothing is too narrow."""

import io
from itertools import combinations

import pytest
from rich.console import Console

from games.mastermind import Board, Configuration
from games.mastermind.terminal import (
    CLASSIC,
    COLOUR_BLIND,
    COLOUR_COUNT_MAX,
    PALETTES,
    Canvas,
    CodeError,
    draw_board,
    draw_key,
    read_entry,
)
from tests.support.tables import table

STANDARD = Configuration()
SIX = CLASSIC.first(6)


def drawn(renderable, width=80, **options):
    console = Console(file=io.StringIO(), width=width, **options)
    console.print(renderable)
    return console.file.getvalue()


def board(*guesses, secret=(0, 1, 2, 3), **sizes):
    played = Board(Configuration(**sizes)).with_secret(secret)
    for guess in guesses:
        played = played.guessed(guess)
    return played


def test_the_documents_palettes():
    assert [colour.name for colour in SIX.colours] == ["red", "blue", "green", "yellow", "orange", "black"]
    blind = [colour.name for colour in COLOUR_BLIND.first(6).colours]
    assert blind == ["blue", "orange", "yellow", "black", "white", "magenta"]


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
def test_letters_and_shapes_tell_all_colours_apart(palette):
    assert len(palette.colours) == COLOUR_COUNT_MAX
    for one, other in combinations(palette.colours, 2):
        assert one.letter != other.letter
        assert one.shape != other.shape
        assert one.name != other.name
        assert one.style != other.style


@pytest.mark.parametrize(("text", "code"), table(__file__, "ways to type a code"))
def test_ways_to_type_a_code(text, code):
    assert read_entry(text, SIX, STANDARD) == tuple(map(int, code.split()))


@pytest.mark.parametrize(
    ("text", "why"), [*table(__file__, "entries that are wrong"), ("x" * 2000, "That is too long")]
)
def test_entry_errors_are_explained(text, why):
    with pytest.raises(CodeError) as caught:
        read_entry(text, SIX, STANDARD)
    assert why in str(caught.value)


def test_the_board_hides_the_secret_unless_asked():
    played = board((0, 0, 1, 1), (3, 2, 1, 0))
    canvas = Canvas(80, has_shapes=True, palette=SIX)
    hidden = drawn(draw_board(played, canvas, with_secret=False))
    assert hidden.count("?") == 4
    assert "XO.." in hidden
    assert "OOOO" in hidden
    assert "◆Y   ▲G   ■B   ●R" in hidden
    shown = drawn(draw_board(played, canvas, with_secret=True))
    assert "?" not in shown
    assert "●R   ■B   ▲G   ◆Y" in shown


@pytest.mark.parametrize("width", [10, 14, 20, 30, 39, 40, 41, 80])
@pytest.mark.parametrize("length", [1, 4, 12])
def test_every_turn_is_on_one_line_where_the_width_allows_it(width, length):
    played = board((0,) * length, secret=(1,) * length, code_length=length)
    text = drawn(draw_board(played, Canvas(width, has_shapes=True, palette=SIX), with_secret=False), width)
    lines = text.splitlines()
    assert all(len(line) <= width for line in lines)
    letters = "".join(letter for letter in text if letter in "R?.")
    assert letters == "?" * length + "R" * length + "." * length
    if width >= 4 + 3 * length:
        assert any(line.count("R") == length and "." * length in line for line in lines)


def test_colours_are_real_and_can_be_done_without():
    key = draw_key(Canvas(80, has_shapes=True, palette=SIX))
    coloured = drawn(key, force_terminal=True, color_system="truecolor")
    assert "48;2;192;0;0" in coloured
    assert "\x1b" not in drawn(key, force_terminal=False)
    assert "48;" not in drawn(key, force_terminal=True, no_color=True)


def test_a_terminal_without_shapes_gets_plain_letters():
    canvas = Canvas(80, has_shapes=False, palette=CLASSIC)
    text = drawn(draw_board(board((0, 1, 2, 3)), canvas, with_secret=True)) + drawn(draw_key(canvas))
    assert text.isascii()
    assert all(colour.letter in text for colour in CLASSIC.colours)
