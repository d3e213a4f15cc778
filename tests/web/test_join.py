"""The join screen: its QR code, and its pages of names."""

import re
from xml.etree import ElementTree as ET

import pytest
import segno

from gameserver.read_model.troubles import Gathering
from gameserver.read_model.views import Entrance, Invitation
from gameserver.web.join import join_values, qr_code
from gameserver.web.templating import render_block
from tests.web.support import check_html

URL = "https://games.example.edu/tournaments/12"
DEED = Entrance("Text", "nc games.example.edu 7789", "Log in with `login NAME`.")


def html_of(invitation: Invitation | None, gathering: Gathering) -> str:
    return render_block("tournament.html", "join", **join_values(invitation, gathering))


def modules_of(svg: str) -> list[list[int]]:
    """The dark modules of a QR code as they are drawn, without the quiet zone."""
    _, _, size, _ = (int(number) for number in ET.fromstring(svg).attrib["viewBox"].split())
    grid = [[0] * size for _ in range(size)]
    x, y = 0, -1
    drawn = svg.rpartition(' d="')[2]
    for step, first, second in re.findall(r"([Mmh])(-?[\d.]+)(?: ?(-?[\d.]+))?", drawn):
        if step == "h":
            for at in range(x, x + int(first)):
                grid[y][at] = 1
            x += int(first)
        else:
            x += int(first)
            y += 1 + int(float(second)) if step == "M" else int(float(second))
    return [row[4:-4] for row in grid[4:-4]]


def test_qr_code_on_the_page_is_that_of_the_address() -> None:
    page = html_of(Invitation(URL, (DEED,)), Gathering())
    check_html(page)
    (svg,) = re.findall(r"<svg.*?</svg>", page)
    assert modules_of(svg) == [list(row) for row in segno.make(URL, micro=False).matrix]
    assert "<code>login NAME</code>" in page
    assert "Nobody is here yet" in page


@pytest.mark.parametrize("url", ["", f"https://games.example.edu/{'a' * 3000}"])
def test_address_that_no_qr_code_holds_stands_alone(url: str) -> None:
    assert qr_code(url) == ""
    page = html_of(Invitation(url, (DEED,)), Gathering(("ann",)))
    check_html(page)
    assert "<svg" not in page
    assert ("too long for a QR code" in page) == bool(url)


def test_names_with_markup_are_shown_as_they_are() -> None:
    page = html_of(Invitation(URL, ()), Gathering(('"><script>x</script>',), ("a'b",), ("c&d",)))
    check_html(page)
    assert ">&#34;&gt;&lt;script&gt;x&lt;/script&gt;</li>" in page
    assert "<b>1</b> here, <b>1</b> not in it yet, <b>1</b> missing" in page


def test_each_name_is_on_one_page() -> None:
    names = [f"player-{number}" for number in range(200)]
    page = html_of(Invitation(URL, ()), Gathering(tuple(names[:150]), tuple(names[150:160]), tuple(names[160:])))
    check_html(page)
    assert re.findall(r">(player-\d+)</li>", page) == names
    assert 'data-pages="4"' in page


def test_screen_is_hidden_without_an_invitation() -> None:
    assert re.fullmatch(r'\s*<section id="join" hidden>\s*</section>\s*', html_of(None, Gathering(("ann",))))
