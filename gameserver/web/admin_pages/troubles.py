"""Writes what is wrong right now, for the top of the teacher's pages: a sentence for each trouble, and its remedies.

Each remedy is a link, or the button of an act that exists. A destructive act leads to the page that asks again.
"""

from collections.abc import Callable, Iterable, Mapping
from urllib.parse import urlencode

from gameserver.read_model.presence import Presence
from gameserver.read_model.troubles import Trouble, TroubleKind
from gameserver.tournaments.act_table import teacher_acts
from gameserver.values import value

TROUBLES_MAX = 12
"""The troubles that are shown; the others are counted. After a restart everybody is cut off for a while."""


@value
class Remedy:
    """Something that the teacher can do. An act is carried out at once; what is no act is a page to look at."""

    label: str
    address: str
    is_act: bool = False


@value
class TroubleLine:
    """A trouble in words: the names of its players come first, then `words`, then `clock_words` and the clock."""

    trouble: Trouble
    words: str
    clock_words: str
    remedies: tuple[Remedy, ...]


def trouble_lines(troubles: Iterable[Trouble], pages_url: str) -> list[TroubleLine]:
    """The lines, for the page with the public pages at this address."""
    return [
        TroubleLine(
            trouble=one,
            words=_WORDS[one.kind](one),
            clock_words=_CLOCK_WORDS.get(one.kind, "") if one.until_ms is not None else "",
            remedies=() if one.kind in _REFUSALS else tuple(_remedies(one, pages_url)),
        )
        for one in troubles
    ]


def _absent_words(one: Trouble) -> str:
    where = "is not here" if one.why == Presence.AWAY else "is here, but the client has not asked to play"
    return f"{where}: game {one.pairing} waits."


def _round_words(one: Trouble) -> str:
    if one.stage:
        return f"its round ({one.stage})"
    return f"round {one.round}" if one.round else "its round"


_WORDS: Mapping[TroubleKind, Callable[[Trouble], str]] = {
    TroubleKind.GUESSED: lambda one: (
        f"{one.why}. The right one still lets its owner in; the table of wrong secrets says where they come from."
    ),
    TroubleKind.ADMIN_GUESSED: lambda one: f"This listener was tried with {one.why}.",
    TroubleKind.FOREIGN_NAME: lambda one: f"Browsers were refused under an unknown host name: {one.why}.",
    TroubleKind.HELD: lambda one: f"waits for your decision (game {one.pairing}): {one.why}.",
    TroubleKind.AFTER_RESTART: lambda one: f"lost game {one.pairing} by an illegal move, {one.why}.",
    TroubleKind.LATE: lambda one: f"is late again and again: {one.why}.",
    TroubleKind.CUT_OFF: lambda one: f"was cut off{f' in match {one.match}' if one.until_ms else ''}: {one.why}.",
    TroubleKind.ABSENT: _absent_words,
    TroubleKind.LAST_OF_ROUND: lambda one: (
        f"is the last match of {_round_words(one)}, and everybody waits for it{f': {one.why}' if one.why else ''}."
    ),
}
_REFUSALS = frozenset({TroubleKind.GUESSED, TroubleKind.ADMIN_GUESSED, TroubleKind.FOREIGN_NAME})
"""The kinds that are about no player's seat: there is nothing to be done about them on these pages."""
_CLOCK_WORDS: Mapping[TroubleKind, str] = {
    TroubleKind.CUT_OFF: "The seat waits",
    TroubleKind.ABSENT: "Lost without a game in",
    TroubleKind.LAST_OF_ROUND: "Time for the turn",
}


def _remedies(one: Trouble, pages_url: str) -> Iterable[Remedy]:
    """The remedies, the mildest first."""
    if one.match is not None and pages_url:
        yield Remedy("See the match", f"{pages_url}/matches/{one.match}")
    is_here = one.kind is TroubleKind.ABSENT and one.why == Presence.NOT_READY
    if is_here or one.kind in (TroubleKind.LATE, TroubleKind.CUT_OFF):
        yield Remedy("What the client sent", f"/players?{urlencode({'name': one.players[0]})}")
    if one.kind is TroubleKind.LATE or is_here:
        yield Remedy("End the connection…", f"/?{urlencode({'player': one.players[0]})}#players-title")
    if one.tournament is None:
        yield Remedy("End it without a loser…", f"/?match={one.match}#matches-title")
        return
    if one.kind is TroubleKind.AFTER_RESTART:
        yield from _act(one, "void", label="Play again", pairing=str(one.pairing), why=one.why)
    if one.kind in (TroubleKind.HELD, TroubleKind.AFTER_RESTART):
        yield Remedy("Set the result", f"/tournaments/{one.tournament}?pick={one.pairing}#games-title")
    if one.kind is TroubleKind.ABSENT:
        yield from _act(one, "pause", is_act=True)
    if one.pairing is not None and one.kind not in (TroubleKind.ABSENT, TroubleKind.AFTER_RESTART):
        yield from _act(one, "void", pairing=str(one.pairing))
    if one.kind in (TroubleKind.LATE, TroubleKind.CUT_OFF, TroubleKind.ABSENT):
        yield from _act(one, "drop", player=one.players[0])


def _act(one: Trouble, name: str, *, is_act: bool = False, label: str = "", **fields: str) -> Iterable[Remedy]:
    """An act upon the tournament, if it is possible now; with its page that asks again, unless it is done at once."""
    spec = teacher_acts()[name]
    if one.phase in spec.phases:
        query = f"?{urlencode(fields)}" if fields else ""
        label = label or spec.button
        label = label if is_act else f"{label}…"
        yield Remedy(label, f"/tournaments/{one.tournament}/{name}{query}", is_act)
