"""Who is here: names, entering and leaving, messages, and the restart of the server."""

import pytest

from gameserver.core.messages.commands import Kick, Say
from gameserver.core.messages.events import Accepted, Rejected, TurnStarted
from gameserver.core.messages.rejections import Code
from gameserver.core.state.match import TurnClock
from gameserver.policies import ChatPolicy, Rules
from tests.support.games import Countdown, catalogue
from tests.support.lobbies import LobbyHarness


def harness_with(**rules: object) -> LobbyHarness:
    return LobbyHarness(catalogue(Countdown()), Rules(first_move_pause_ms=0, **rules))


BROKEN = ["", " ", " ann", "ann ", "x" * 65, 'a"b', "a{b", "a}b", "a[b", "a]b", "a\nb", "a\tb", "a\x00b", "\u202eann"]
GUID = "281ccec7-0000-4000-8000-0123456789ab"
RESERVED = ["No player1 yet", "no PLAYER2 yet", "server", "House-x", "mm-1", "gx-77", GUID, GUID.upper()]
FREE = ["Ann", "Zoë van Dijk", "x" * 64, "a,b", "'; --", "NULL", "42"]


@pytest.mark.parametrize(("names", "code"), [(BROKEN, Code.NAME_INVALID), (RESERVED, Code.NAME_RESERVED), (FREE, None)])
def test_names_that_may_enter_and_that_may_not(names: list[str], code: Code | None) -> None:
    for name in names:
        answer = harness_with().enter(1, name)
        assert (answer.code if isinstance(answer, Rejected) else None) is code, name
        assert not isinstance(answer, Rejected) or answer.facts["name"] == name
        assert code is not Code.NAME_INVALID or answer.facts["why"]


def test_the_length_of_names_is_a_setting() -> None:
    assert isinstance(harness_with(name_length_max=3).enter(1, "anna"), Rejected)


@pytest.mark.parametrize(
    ("to", "code"),
    [("ann", Code.SAY_SELF), ("zed", Code.UNKNOWN_PLAYER), ("house-random", Code.CANNOT_RECEIVE)],
)
def test_messages_that_cannot_arrive(to: str, code: Code) -> None:
    harness = harness_with()
    harness.enter(1, "ann")
    answer = harness.do(Say(1, to, "hello"))
    assert isinstance(answer, Rejected)
    assert answer.code is code


@pytest.mark.parametrize(
    ("messages", "in_match", "arrives"),
    [
        (ChatPolicy.ALWAYS, True, True),
        (ChatPolicy.OUTSIDE_MATCHES, True, False),
        (ChatPolicy.OUTSIDE_MATCHES, False, True),
        (ChatPolicy.NEVER, False, False),
    ],
)
def test_when_messages_are_delivered_is_a_setting(messages: ChatPolicy, *, in_match: bool, arrives: bool) -> None:
    harness = harness_with(messages=messages)
    _, first, second = harness.opened()
    if not in_match:
        harness.resign(1)
    harness.heard.clear()
    harness.do(Say(1, "bob", "hello"))
    assert bool(harness.hear(2)) is arrives


def test_restarts_in_quick_succession_give_nobody_time() -> None:
    harness = LobbyHarness(catalogue(Countdown()), Rules(first_move_pause_ms=100))
    match, first, _ = harness.opened()
    harness.play(first, "2")
    for _ in range(5):
        harness.start()
        harness.enter(11, match.players[0])
        harness.enter(12, match.players[1])
        harness.now_ms += 20
    harness.start()
    assert harness.match().clock == TurnClock(left_ms=10_000)


def test_house_matches_go_on_after_a_restart() -> None:
    harness = harness_with()
    harness.enter(1, "ann")
    harness.challenge(1, "house-random", "Countdown")
    while not harness.match().seats[harness.match().turn.seats[0]].is_house:
        harness.play(1, "1")
    harness.heard.clear()
    harness.start()
    (turn,) = harness.hear(0)
    assert isinstance(turn, TurnStarted)


def test_a_kick_is_a_lost_connection_that_the_teacher_made() -> None:
    harness = harness_with(drop_grace_ms=5_000)
    match, first, second = harness.opened()
    name = match.players[0]
    assert harness.do(Kick(name, "floods", "Ms Reed")) == Accepted()
    assert name not in harness.lobby.players
    assert harness.match().seats[0].absence is not None
    assert harness.leave(first) == Rejected(Code.NOT_ENTERED)
    assert harness.do(Kick(name, "floods", "Ms Reed")) == Rejected(Code.UNKNOWN_PLAYER, {"player": name})
    assert harness.enter(3, name) == Accepted()
    assert harness.match().seats[0].session == 3
