"""The page of all halls in Chromium, and the line that tells another hall's pages from this one's."""

import pytest

from gameserver.core.messages.events import EndReason
from gameserver.read_model.halls import HallView
from gameserver.read_model.lobby_view import LobbyView
from gameserver.records.hall_directory import HallTournament
from gameserver.records.match_record import SeatRecord, SeatResult
from gameserver.records.reader import Wanted
from gameserver.web.pages.across_halls import HallHead
from gameserver.web.pages.archive import matches_page
from gameserver.web.pages.halls import halls_page
from gameserver.web.pages.tournament import tournament_page
from gameserver.web.ui.place import Place, rendering_at
from gameserver.web.ui.templating import render
from tests.support.browser import obstacles
from tests.web.pages.played_boards import NAMES
from tests.web.pages.test_screens import LAPTOP, OVERLAPS, PHONE, PROJECTOR, scrolls_sideways, shown

LONG = "h" * 32
CUPS = tuple(
    HallTournament(number, name, "Reversi", "running", 24)
    for number, name in enumerate((*NAMES, "Cup of the autumn", *"abcdefg"), start=1)
)
HALLS = (
    HallView("", "", 12, 5, CUPS[:2], is_here=True),
    HallView("backgammon", "", 1, 1, (), is_here=False),
    HallView(LONG, "https://games.example.edu", 1_480, 730, CUPS, is_here=False),
    HallView(
        "reversi", "https://reversi.example.edu", 0, 0, (), is_here=False, away_since="2026-11-23T09:00:00.000+00:00"
    ),
)
SEATS = (
    SeatRecord(0, NAMES[0], "strategic", 34, SeatResult.WIN),
    SeatRecord(1, NAMES[1], "strategic", 30, SeatResult.LOSS),
)
TIMES = ("2026-11-23T09:00:00.000+00:00", "2026-11-23T09:01:00.000+00:00")
HEADS = tuple(
    HallHead(1_200_000 + number, "Reversi", *TIMES, EndReason.PLAYED.value, "", "", SEATS, hall=hall, at=at)
    for number, (hall, at) in enumerate((("", ""), (LONG, f"/halls/{LONG}"), ("reversi", "/halls/reversi")))
)


@pytest.mark.parametrize(("size", "scheme"), [(PHONE, "light"), (LAPTOP, "dark")])
def test_halls_stand_beside_each_other_and_fit(show, size, scheme) -> None:
    with rendering_at(Place(has_others=True)):
        page = show(halls_page(HALLS), size, color_scheme=scheme, java_script_enabled=True)
    assert not scrolls_sideways(page)
    assert page.evaluate(OVERLAPS, ".hall-card") == []
    tops = {round(box["y"]) for box in (card.bounding_box() for card in page.locator(".hall-card").all())}
    assert len(tops) == (len(HALLS) if size == PHONE else 2)
    assert obstacles(page) == {}


def test_pages_of_another_hall_say_whose_they_are(show) -> None:
    with rendering_at(Place(f"/halls/{LONG}", f"Hall {LONG}", "https://games.example.edu", has_others=True)):
        page = show(matches_page(HEADS, Wanted(), ("Reversi",)), LAPTOP, java_script_enabled=True)
    assert not scrolls_sideways(page)
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    assert not scrolls_sideways(page)
    assert page.locator("nav.hall b").inner_text() == f"Hall {LONG}"
    assert obstacles(page) == {}


@pytest.mark.parametrize("kind", ["league", "knockout"])
def test_tournament_of_another_hall_needs_no_boards(show, kind) -> None:
    pages = "https://games.example.edu"
    with rendering_at(Place(f"/halls/{LONG}", f"Hall {LONG}", f"{pages}/tournaments/1", pages, has_others=True)):
        html = tournament_page(shown(kind, 10, "play"), LobbyView(0, 0))
    page = show(html, LAPTOP, java_script_enabled=True)
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.reload()
    assert errors == []
    for width, height in (PROJECTOR, LAPTOP, PHONE):
        page.set_viewport_size({"width": width, "height": height})
        assert not scrolls_sideways(page)
    assert page.get_by_role("link", name="its own pages", exact=True).is_visible()
    assert obstacles(page) == {}


def test_long_address_in_an_error_fits_a_phone(show) -> None:
    address = f"https://{LONG}.{LONG}.example.edu/matches/9"
    values = {"heading": "Not Found", "text": "What is live there is on ", "address": address}
    page = show(render("message.html", here="", json_url="", **values), PHONE)
    assert not scrolls_sideways(page)
