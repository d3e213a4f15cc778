"""The dialects, and the words for every refusal."""

import itertools
import re

import pytest

from gameserver.protocol import Code, EndReason, GameEnded, Rejected, Result
from protocols.strategic import PROTOCOL
from protocols.strategic.profiles import PROFILES
from tests.support.strategic_client import StrategicClient

FACTS = {
    "name": "ann",
    "player": "bob",
    "data": "2a0",
    "game": "nope",
    "move": "6",
    "number": "99",
    "count": "2",
    "why": "no braces",
    "example": "5m, turn 60s",
    "min_s": "2",
    "max_s": "99",
    "room": "3",
    "last": "99",
    "tournament": "7",
    "ticket": "7",
    "address": "10.0.0.1",
}
"""All that a refusal may tell of."""

SAYS_WHY = {
    Code.NAME_INVALID,
    Code.TOURNAMENT_REFUSED,
    Code.LADDER_REFUSED,
    Code.BAD_OPTIONS,
    Code.ILLEGAL_MOVE,
    Code.CANNOT_RECEIVE,
}


def refused(profile, code):
    return StrategicClient(profile).asks("get gamelist", answer=Rejected(code, FACTS))


@pytest.mark.parametrize(("code", "profile"), [*itertools.product(Code, PROFILES)])
def test_every_code_has_words_in_every_profile(code, profile):
    (line,) = refused(profile, code)
    assert re.fullmatch(r"ERR [A-Za-z'].{8,}", line)
    assert not set("{}?") & set(line)
    assert "OK" not in line
    if code in SAYS_WHY | {Code.SERVER_FAULT}:
        assert line.endswith(": no braces")
    if code is Code.TURN_TIME_OUT_OF_RANGE:
        assert "2 to 99 seconds" in line


def test_the_old_servers_refuse_in_the_same_words():
    same = {name for name, profile in PROFILES.items() if profile.refusals == PROFILES["document"].refusals}
    assert same == set(PROFILES) - {"ngs"}


def test_the_banner_of_the_document_is_taken_for_no_answer():
    lines = StrategicClient("document").adapter.greeting().decode().split("\r\n")
    assert len(lines) == 3
    assert lines.pop() == ""
    for line in lines:
        assert len(line.split()) > 2
        assert "ok" not in line.lower()
        assert not line.startswith(("SVR", "ERR"))


@pytest.mark.parametrize(
    ("reason", "old", "new"),
    [
        (EndReason.RESIGNED, ("0", "0", "Player forfeited match"), ("-1", "1", "Player forfeited")),
        (EndReason.LATE, ("0", "0", "Turn timelimit reached"), ("-1", "1", "Turn timelimit reached")),
        (EndReason.DROPPED, ("0", "0", "Client disconnected"), ("-1", "1", "Client disconnected")),
        (EndReason.ILLEGAL, ("2", "3", "Illegal move"), ("-1", "1", "Invalid move")),
        (EndReason.PLAYED, ("2", "3", "well done"), ("2", "3", "well done")),
    ],
)
def test_how_a_match_is_reported(reason, old, new):
    ended = GameEnded(1, Result(reason, (2, 3), (1,), 0, "well done"))
    for profile in PROFILES:
        one, two, comment = new if profile == "ngs" else old
        told = f'{{PLAYERONESCORE: "{one}", PLAYERTWOSCORE: "{two}", COMMENT: "{comment}"}}'
        assert StrategicClient(profile).play(seat=0).hears(ended) == [f"SVR GAME LOSS {told}"]
        assert StrategicClient(profile).play(seat=1).hears(ended) == [f"SVR GAME WIN {told}"]


def test_every_end_has_a_comment_that_the_comma_blind_client_can_read():
    for profile in PROFILES.values():
        assert set(profile.comments) == set(EndReason) - {EndReason.PLAYED}
        assert not any("," in comment for comment in profile.comments.values())


@pytest.mark.parametrize("profile", PROFILES)
def test_suggestions_are_made_only_where_no_client_reads_the_text(profile):
    client = StrategicClient(profile)
    suggested = "ERR Unsupported command: 'subscrbe', did you mean 'subscribe'?"
    plain = "ERR Unsupported command: 'subscrbe'"
    assert client.told("subscrbe Reversi") == [suggested if profile == "document" else plain]
    assert client.told("foo") == ["ERR Unsupported command: 'foo'"]


def test_help_has_the_profile_s_title():
    titles = {profile: StrategicClient(profile).told("help")[1] for profile in PROFILES}
    assert titles == {
        profile: f"SVR HELP Help information for {PROFILES[profile].banner[0]} commands." for profile in PROFILES
    }


def test_the_protocol_itself():
    assert (PROTOCOL.name, PROTOCOL.default_port, PROTOCOL.profiles[0]) == ("strategic", 7789, "document")
    assert set(PROTOCOL.profiles) == {"document", "2009", "2015", "2016", "ngs"}
    assert "7789" in PROTOCOL.try_it.format(host="localhost", port=7789)


def test_the_guide_knows_every_line_every_profile_and_every_option():
    for word in (
        *("MATCH", "YOURTURN", "MOVE", "CHALLENGE", "CHALLENGE CANCELLED", "WIN", "LOSS", "DRAW", "MESSAGE", "HELP"),
        *("GAMELIST", "PLAYERLIST", "Payload too large", "unsubscribe", "forfeit", "playerlist"),
        *(f"`{profile}`" for profile in PROFILES),
        *(line for profile in PROFILES.values() if profile.name != "document" for line in profile.banner),
        *(comment for profile in PROFILES.values() for comment in profile.comments.values()),
        *(f"`{name}`" for name in PROTOCOL.options_type.__annotations__),
    ):
        assert word in PROTOCOL.guide, word
