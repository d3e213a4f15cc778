"""The join screen: the part of a tournament's page that a projector shows while the tournament gathers its players.

It has what a student has to type, the page's address as a QR code for phones, and everybody who is here or missing.
Names turn in pages (`static/turning.js`) where there are more than a projector of 1280 by 720 shows in letters of 20
pixels.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import segno
from markupsafe import Markup

from gameserver.read_model.troubles import Gathering
from gameserver.read_model.views import Invitation
from gameserver.values import value

# Lines of names and of headings that a screen of 1280 by 720 has room for, below two rows of entrances.
_LINES = 11
_COLUMNS = 6
# The letters of an address that people can type. A longer one is cut on the screen, and the QR code has it whole.
_TYPED_MAX = 90
# The most pages that are turned, as of the standings; more stand below one another.
_TURNED_PAGES_MAX = 8
_NO_CODE = Markup()


@value
class _Names:
    """Those names of a group that are on one page. `count` is the whole group's; the kind is a word for the style."""

    kind: str
    title: str
    count: int
    names: Sequence[str]


def join_values(invitation: Invitation | None, gathering: Gathering | None) -> Mapping[str, Any]:
    """The values for the template of the join screen; without an invitation the screen is hidden."""
    if invitation is None or gathering is None:
        return {"invitation": None}
    groups = (
        _Names("ready", "Here", len(gathering.ready), gathering.ready),
        _Names("unready", "Here, but not in it yet", len(gathering.unready), gathering.unready),
        _Names("missing", "Missing", len(gathering.missing), gathering.missing),
    )
    pages = list(_pages([group for group in groups if group.names]))
    return {
        "invitation": invitation,
        "qr_code": qr_code(invitation.url),
        "is_typed": len(invitation.url) <= _TYPED_MAX,
        "counts": {group.kind: group.count for group in groups},
        "crowd": pages,
        "is_turned": 1 < len(pages) <= _TURNED_PAGES_MAX,
    }


def _pages(groups: Sequence[_Names]) -> Iterator[Sequence[_Names]]:
    """Splits the groups of the join screen into pages, each of which the screen has room for."""
    page: list[_Names] = []
    left = _LINES
    for group in groups:
        names = group.names
        while names:
            if left < 2:
                yield page
                page, left = [], _LINES
            now, names = names[: (left - 1) * _COLUMNS], names[(left - 1) * _COLUMNS :]
            page.append(_Names(group.kind, group.title, group.count, now))
            left -= 1 - -len(now) // _COLUMNS
    if page:
        yield page


@lru_cache(maxsize=16)  # the tournaments that gather at once: few
def qr_code(text: str) -> Markup:
    """Draws an address for the join screen as a QR code, an `svg` element; empty if it is longer than a code can be."""
    try:
        code = segno.make_qr(text) if text else None
    except segno.DataOverflowError:
        code = None
    if code is None:
        return _NO_CODE
    # Black on white in a dark theme, too: many readers know no other codes.
    return Markup(code.svg_inline(omitsize=True, light="#fff", svgclass="qr", lineclass=None))  # noqa: S704 - no text
