"""Tests the top of the teacher's pages: what is wrong and what can be done; players who are here, or can be added."""

import re
from html import unescape
from typing import Any

import pytest
from attrs import evolve

from gameserver.core.state.match import AFTER_RESTART
from gameserver.read_model.presence import Presence
from gameserver.read_model.troubles import Trouble, TroubleKind
from gameserver.web.admin_pages.troubles import LINES_MAX, Remedy, trouble_lines
from tests.support.serving import Running
from tests.web.admin_pages.teacher_pages import CUP, Stream, hall, look, submit
from tests.web.support import check_html

ROSTER = {"entry": "roster", "roster": "ann\r\nbob\r\ncyd\r\ndan"}
KINDS = TroubleKind


def trouble(kind: TroubleKind, **fields: Any) -> Trouble:
    """A trouble in match 5, which is game 7 of tournament 3."""
    of_kind = {
        KINDS.LATE: {"why": "the last 3 games were lost on time"},
        KINDS.CUT_OFF: {"why": "the connection ended", "match": 5, "until_ms": 9_000},
        KINDS.ABSENT: {"why": Presence.AWAY.value, "until_ms": 9_000},
        KINDS.LAST_OF_ROUND: {"players": ("ann", "bob"), "why": "ann to move", "match": 5, "round": 2},
        KINDS.AFTER_RESTART: {"why": AFTER_RESTART, "match": 5},
        KINDS.HELD: {"players": ("ann", "bob"), "why": "a bug of ours"},
    }[kind]
    base = {"players": ("ann",), "tournament": 3, "title": "Cup", "phase": "running", "pairing": 7}
    return Trouble(kind, **(base | of_kind | fields))


def remedies(one: Trouble, pages_url: str = "http://hall:8080") -> list[Remedy]:
    (line,) = trouble_lines([one], pages_url)
    return list(line.remedies)


@pytest.mark.parametrize(
    ("kind", "addresses"),
    [
        (KINDS.HELD, ["/tournaments/3?pick=7#games-title", "/tournaments/3/void?pairing=7"]),
        (
            KINDS.AFTER_RESTART,
            [
                "http://hall:8080/matches/5",
                "/tournaments/3/void?pairing=7&why=the+first+own+move+after+a+restart+of+the+server",
                "/tournaments/3?pick=7#games-title",
            ],
        ),
        (
            KINDS.LATE,
            [
                "/players?name=ann",
                "/?player=ann#players-title",
                "/tournaments/3/void?pairing=7",
                "/tournaments/3/drop?player=ann",
            ],
        ),
        (
            KINDS.CUT_OFF,
            [
                "http://hall:8080/matches/5",
                "/players?name=ann",
                "/tournaments/3/void?pairing=7",
                "/tournaments/3/drop?player=ann",
            ],
        ),
        (KINDS.ABSENT, ["/tournaments/3/pause", "/tournaments/3/drop?player=ann"]),
        (KINDS.LAST_OF_ROUND, ["http://hall:8080/matches/5", "/tournaments/3/void?pairing=7"]),
    ],
)
def test_each_trouble_says_what_can_be_done(kind: TroubleKind, addresses: list[str]) -> None:
    found = remedies(trouble(kind))
    assert [one.address for one in found] == addresses
    assert [one.address for one in found if one.is_act] == [one for one in addresses if one.endswith("/pause")]


def test_acts_that_are_not_possible_now_are_not_offered() -> None:
    assert remedies(trouble(KINDS.ABSENT, phase="paused"))[0].address == "/tournaments/3/drop?player=ann"
    assert remedies(trouble(KINDS.LAST_OF_ROUND), pages_url="") == [
        Remedy("Annul and replay…", "/tournaments/3/void?pairing=7")
    ]
    outside = trouble(KINDS.CUT_OFF, tournament=None, pairing=None, title="", phase="")
    assert [one.address for one in remedies(outside)] == [
        "http://hall:8080/matches/5",
        "/players?name=ann",
        "/?match=5#matches-title",
    ]


@pytest.mark.parametrize(
    ("fields", "words"),
    [({}, "round 2"), ({"stage": "Semi-final"}, "its round (Semi-final)"), ({"round": 0}, "its round")],
)
def test_a_round_is_named_as_in_the_bracket(fields: dict[str, Any], words: str) -> None:
    (line,) = trouble_lines([trouble(KINDS.LAST_OF_ROUND, **fields)], "")
    assert line.words == f"is the last match of {words}, and everybody waits for it: ann to move."


def test_a_game_lost_after_a_restart_says_so() -> None:
    (line,) = trouble_lines([trouble(KINDS.AFTER_RESTART)], "")
    assert line.words == "lost game 7 by an illegal move, the first own move after a restart of the server."
    assert line.remedies[0].label == "Play again…"


def test_names_are_quoted_in_addresses() -> None:
    one = trouble(KINDS.LATE, players=("a&b=c#d",))
    assert all("a%26b%3Dc%23d" in remedy.address for remedy in remedies(one) if "void" not in remedy.address)


def text_of(html: str) -> str:
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html)))


def troubles_in(page: str) -> str:
    return text_of(page[page.index('id="troubles"') : page.index('id="acted"')])


async def begin(running: Running, **changes: Any) -> None:
    assert (await submit(running, "/tournaments", CUP | ROSTER | changes)).status == 303
    assert (await submit(running, "/tournaments/1/start", {})).status == 303


async def test_a_player_who_does_not_come_is_on_top_and_the_pause_is_one_click() -> None:
    async with hall() as running:
        await running.enter("ann", "bob", "cyd")
        await begin(running, preset="cup")
        for path in ("/", "/tournaments/1"):
            page = await look(running, path)
            check_html(page)
            shown = troubles_in(page)
            assert "dan is not here: game" in shown
            assert "Lost without a game in" in shown
            assert ("Cup :" in shown) == (path == "/"), "on its own page the name is the heading"
            assert page.index("Needs your attention") < page.index('<form class="act"'), "above everything else"
        (address,) = set(re.findall(r'<button formaction="([^"]*/pause)">Pause<', page))
        assert (await submit(running, address, {})).headers["location"] == "/tournaments/1?done=pause"
        assert "Needs your attention" not in await look(running)


async def test_the_page_follows_trouble_and_its_end() -> None:
    async with hall() as running:
        ann, *_ = await running.enter("ann", "bob", "cyd", "dan")
        await begin(running)
        page = await look(running, "/tournaments/1")
        mark = re.findall(r'data-mark="([^"]*)"', page)[0]
        stream = await Stream.open(running, f"/tournaments/1/events?after={mark}")
        ann.stream.socket.close()
        html = await stream.until("troubles")
        assert "was cut off: the connection ended, game" in text_of(html)
        assert "/tournaments/1/void?pairing=" in html
        html = await stream.until("who")
        assert "3 of 4" in html
        assert "/tournaments/1/drop?player=ann" in html
        (again,) = await running.enter("ann")
        assert again.name == "ann"
        assert "Needs your attention" not in await stream.until("troubles")
        stream.close()


async def test_a_flood_of_trouble_is_counted() -> None:
    many = [evolve(trouble(KINDS.CUT_OFF), players=(f"p{number}",)) for number in range(LINES_MAX + 8)]
    assert len(trouble_lines(many, "")) == LINES_MAX + 8
    async with hall() as running:
        await running.enter("ann")
        roster = "\r\n".join(f"p{number:02}" for number in range(2 * LINES_MAX))
        await begin(running, preset="swiss", roster=roster)
        shown = troubles_in(await look(running, "/tournaments/1"))
        assert shown.count("is not here") == LINES_MAX
        assert f"And {LINES_MAX} more" in shown


async def test_who_is_here_and_who_is_missing() -> None:
    async with hall() as running:
        await running.enter("ann", "bob", "<zoe>")
        await submit(running, "/tournaments", CUP | ROSTER)
        page = await look(running, "/tournaments/1")
        check_html(page)
        who = text_of(page[page.index('id="who"') : page.index('id="players-title"')])
        assert "Who is here 2 of 4" in who
        assert re.findall(r"Missing:|cyd|dan|ann|bob", who) == ["Missing:", "cyd", "dan"]
        assert '<button name="player" value="&lt;zoe&gt;"' in page
        assert (await submit(running, "/tournaments/1/add", {"player": "<zoe>"})).status == 303
        page = await look(running, "/tournaments/1")
        assert "3 of 5" in page
        assert '<button name="player"' not in page
        await submit(running, "/tournaments/1/cancel", {"why": "fire alarm"})
        assert "Who is here" not in await look(running, "/tournaments/1")


async def test_a_player_who_was_dropped_can_be_added_again_but_not_one_who_was_disqualified() -> None:
    async with hall() as running:
        await running.enter("ann", "bob", "cyd", "dan")
        await begin(running)
        await submit(running, "/tournaments/1/drop", {"player": "ann", "why": "ill"})
        await submit(running, "/tournaments/1/disqualify", {"player": "bob", "why": "two clients"})
        page = await look(running, "/tournaments/1")
        assert re.findall(r'<button name="player" value="(\w+)"', page) == ["ann"]


async def test_the_forms_for_a_player_and_a_match_are_filled_in_by_a_link() -> None:
    async with hall() as running:
        first, _ = await running.match()
        for query, chosen in (
            (f"player={first.name}&match=1", [first.name, "1"]),
            ("player=nobody&match=99", []),
        ):
            page = await look(running, f"/?{query}")
            forms = page[page.index('id="kicked"') :]
            assert re.findall(r'<option value="([^"]*)" selected>', forms) == chosen


async def test_a_game_is_picked_with_a_click() -> None:
    async with hall() as running:
        await running.enter("ann", "bob", "cyd", "dan")
        await begin(running)
        page = await look(running, "/tournaments/1")
        assert 'href="/tournaments/1?pick=2#games-title" data-pick="2"' in page
        picked = await look(running, "/tournaments/1?pick=2")
        assert re.findall(r'name="pairing"[^>]* value="(\w*)"', picked) == ["2"]
        assert re.findall(r'name="pairing"[^>]* value="(\w*)"', await look(running, "/tournaments/1?pick=x")) == [""]
