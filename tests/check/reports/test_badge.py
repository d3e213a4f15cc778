"""The line for a README."""

import attrs
from markdown_it import MarkdownIt

from gameserver.check import report
from gameserver.check.reports import badge, picture_badge, text_badge
from tests.check.reports import samples


def test_badge_of_a_client_that_is_ready() -> None:
    assert picture_badge(samples.WELL) == (
        "![gameserver check: ready for Reversi, 2/2]"
        "(https://img.shields.io/badge/gameserver%20check-ready%20for%20Reversi%2C%202%2F2-brightgreen)"
    )
    assert (
        text_badge(samples.WELL)
        == "**gameserver check** 1.2.3: ready for Reversi over strategic (2 of 2 required passed)"
    )


def test_badge_of_a_client_that_is_not() -> None:
    assert "not%20ready%20for%20Reversi%2C%202%2F5-red)" in picture_badge(samples.MIXED)
    assert "not ready for Reversi" in text_badge(samples.MIXED)
    assert "(1 of 3 required, 0 of 1 advised, 1 of 1 curious passed)" in text_badge(samples.MIXED)


def test_dashes_and_underscores_are_no_separators() -> None:
    other = attrs.evolve(samples.WELL, game="Connect-four_3D")
    path = picture_badge(other).rpartition("/badge/")[2]
    assert path.replace("--", "").replace("__", "").count("-") == 2
    assert "Connect--four__3D" in path


def test_markdown_shows_it_as_one_line_each() -> None:
    other = attrs.evolve(samples.WELL, game="*Odd* [game](x)_y_", protocol="<b>")
    picture, text = badge(other).splitlines()
    shown = MarkdownIt().render(picture)
    assert shown.count("<img ") == 1
    assert 'alt="gameserver check: ready for *Odd* [game](x)_y_, 2/2"' in shown
    shown = MarkdownIt().render(text)
    assert "ready for *Odd* [game](x)_y_ over &lt;b&gt;" in shown


def test_a_part_of_a_check_is_not_ready() -> None:
    """A green badge for one scenario would be taken for a whole check."""
    part = attrs.evolve(samples.WELL, unplayed=29)
    assert (part.went_well, part.is_ready) == (True, False)
    assert report.verdict(part).endswith("this is a part of the check: 29 required scenarios were not played.")
    assert "lightgrey" in picture_badge(part)
    assert ": checked in part for Reversi" in text_badge(part)
