"""The page of a ladder: what has changed since the night, and the ranking of a night."""

from gameserver.ladder import DAY_MS, LadderHistory, LadderResult
from gameserver.web.ladder import _Line, _lines, _lines_now, _Seen
from gameserver.web.templating import render

NOW_MS = 1_788_300_000_000
NIGHT = [("cyd", 1510.4, 90.0, 3), ("bob", 1490.0, 91.0, 2)]


def history() -> LadderHistory:
    found = LadderHistory()
    results = [("win", "loss"), ("draw", "draw"), ("void", "void")]
    found.add([LadderResult(at, NOW_MS - DAY_MS + at, ("ann", "bob"), each) for at, each in enumerate(results)], NOW_MS)
    found.ratings = {"ann": (1530.6, 80.0), "bob": (1470.0, 82.0), "cyd": (1510.4, 90.0)}
    return found


def page(**changes: object) -> str:
    usual = {"since": None, "waits_for": None, "matches_a_day": 2, "night": None, "matches": ()}
    usual |= {"nights": (), "seasons": {}}
    return render("ladder.html", here="", json_url="", seen=_Seen("Reversi", **usual | changes), result_of=None)


def test_lines_have_the_form_the_day_and_the_place_of_the_night() -> None:
    lines = _lines_now(history(), NIGHT)
    assert lines == [
        _Line(1, "ann", 1531, 157, 3, None, "W D -", 2),
        _Line(2, "bob", 1470, 161, 3, 2, "L D -", 2),
    ], "the first one ended a day ago, and cyd has not played for a week"
    assert ">new</td>" in page(lines=tuple(lines), nights=("2026-09-02",))
    assert ">new</td>" not in page(lines=tuple(lines)), "nothing to compare with"
    moved = page(lines=(_Line(1, "ann", 1500, 9, 1, before=3), _Line(2, "bob", 1400, 9, 1, before=1)))
    assert ">up 2</td>" in moved
    assert ">down 1</td>" in moved


def test_a_night_has_its_ranking_alone() -> None:
    shown = page(lines=tuple(_lines(NIGHT)), night="2026-09-02", nights=("2026-09-02", "2026-09-01"))
    assert "<b>1510</b>" in shown
    assert 'href="/ladders/Reversi">Now</a>' in shown
    assert "Last matches" not in shown
    assert "Form" not in shown
