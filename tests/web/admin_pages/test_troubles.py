"""Tests the top of the teacher's pages: what is wrong and what can be done; players who are here, or can be added."""

from typing import Any

import pytest

from gameserver.core.match import AFTER_RESTART
from gameserver.read_model.troubles import Presence, Trouble, TroubleKind
from gameserver.web.teacher_pages import Remedy, trouble_lines

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


MATCH, LOG, GAME = "http://hall:8080/matches/5", "/players?name=ann", "/tournaments/3?pick=7#games-title"
VOID, DROP, PAUSE = (f"/tournaments/3/{act}" for act in ("void?pairing=7", "drop?player=ann", "pause"))
REPLAY = f"{VOID}&why=the+first+own+move+after+a+restart+of+the+server"


@pytest.mark.parametrize(
    ("kind", "addresses"),
    [
        (KINDS.HELD, [GAME, VOID]),
        (KINDS.AFTER_RESTART, [MATCH, REPLAY, GAME]),
        (KINDS.LATE, [LOG, "/?player=ann#players-title", VOID, DROP]),
        (KINDS.CUT_OFF, [MATCH, LOG, VOID, DROP]),
        (KINDS.ABSENT, [PAUSE, DROP]),
        (KINDS.LAST_OF_ROUND, [MATCH, VOID]),
    ],
)
def test_each_trouble_says_what_can_be_done(kind: TroubleKind, addresses: list[str]) -> None:
    found = remedies(trouble(kind))
    assert [one.address for one in found] == addresses
    assert [one.address for one in found if one.is_act] == [one for one in addresses if one.endswith("/pause")]


def test_acts_that_are_not_possible_now_are_not_offered() -> None:
    assert remedies(trouble(KINDS.ABSENT, phase="paused"))[0].address == DROP
    assert remedies(trouble(KINDS.LAST_OF_ROUND), pages_url="") == [Remedy("Annul and replay…", VOID)]
    outside = trouble(KINDS.CUT_OFF, tournament=None, pairing=None, title="", phase="")
    assert [one.address for one in remedies(outside)] == [MATCH, LOG, "/?match=5#matches-title"]


@pytest.mark.parametrize(
    ("fields", "words"),
    [({}, "round 2"), ({"round_name": "Semi-final"}, "its round (Semi-final)"), ({"round": 0}, "its round")],
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
