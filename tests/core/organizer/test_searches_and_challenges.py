"""Searches, challenges and messages of players while a tournament is on."""

import pytest

from gameserver.core.messages.commands import Accept, Challenge, Play, Ready, Say, Seek, Sit
from gameserver.core.messages.events import Accepted, Rejected
from gameserver.core.messages.rejections import Code
from gameserver.core.messages.tournament_commands import EntryMode
from gameserver.tournaments import acts
from gameserver.tournaments.model import TournamentPhase
from tests.support.tournament_hall import Hall, why


def test_a_search_waits_until_the_tournament_is_over(hall: Hall) -> None:
    hall.come("ann", "bob", "cyd")
    hall.seek(1, "Countdown")
    hall.create()
    hall.act(acts.StartTournament(0))
    hall.seek(2, "Countdown")
    hall.seek(3, "Countdown")
    assert all(match.scheduled is not None for match in hall.matches)
    while hall.row.state.phase is TournamentPhase.RUNNING:
        hall.end(hall.matches[0], 0)
    (match,) = hall.matches
    assert match.scheduled is None, "what was looked for meanwhile is found now"


def test_a_search_ends_with_the_tournament_where_the_plan_says_so(hall: Hall) -> None:
    """But not that of somebody who takes no part, nor one that is made afterwards."""
    hall.come("ann", "bob", "zoe")
    hall.create(
        entry=EntryMode.ROSTER, searches=False, roster=(acts.RegisterEntrant("ann"), acts.RegisterEntrant("bob"))
    )
    hall.act(acts.StartTournament(0))
    for name in ("ann", "bob", "zoe"):
        hall.seek(hall.sessions[name], "Countdown")
    hall.end(hall.matches[0], 0)
    assert hall.row.state.phase is TournamentPhase.OVER
    assert hall.matches == []
    assert [hall.lobby.players[name].seek for name in ("ann", "bob", "zoe")] == [None, None, "Countdown"]
    hall.seek(hall.sessions["bob"], "Countdown")
    (match,) = hall.matches
    assert sorted(match.players) == ["bob", "zoe"]


@pytest.mark.parametrize("which", ["hanze", "league"])
def test_challenges_go_on_unless_the_plan_says_otherwise(hall: Hall, which: str) -> None:
    hall.run("ann", "bob", "cyd", which=which)
    idle = next(name for name in ("ann", "bob", "cyd") if hall.lobby.players[name].match is None)
    hall.come("zoe")
    answers = [
        hall.do(Challenge(hall.sessions["zoe"], idle, "Countdown")),
        hall.do(Challenge(hall.sessions[idle], "zoe", "Countdown")),
        hall.do(Accept(hall.sessions[idle])),
    ]
    if which == "hanze":
        assert set(map(repr, answers)) == {repr(Rejected(Code.IN_TOURNAMENT))}
    else:
        assert answers == [Accepted()] * 3


def test_nobody_writes_to_a_player_in_a_tournament_match(hall: Hall) -> None:
    hall.run("ann", "bob")
    hall.come("zoe")
    answer = hall.do(Say(3, "ann", "hello"))
    assert answer == Rejected(Code.CANNOT_RECEIVE, {"player": "ann", "why": "that player is in a tournament match"})
    hall.play_out()
    assert hall.do(Say(3, "ann", "hello")) == Accepted()


@pytest.mark.parametrize("challenges", [True, False])
def test_in_a_pause_searches_wait_and_challenges_are_free(hall: Hall, challenges: bool) -> None:
    hall.run("ann", "bob", "cyd", challenges=challenges)
    hall.act(acts.Pause(0, by="teacher", why="lunch"))
    hall.end(hall.matches[0], 0)
    for session in (1, 2):
        assert hall.seek(session, "Countdown") == Accepted()
    assert hall.matches == []
    assert hall.challenge(1, "bob", "Countdown") == Accepted()
    assert hall.accept(2) == Accepted()
    assert [match.scheduled for match in hall.matches] == [None]


def test_one_who_looks_for_the_game_takes_part_by_that(hall: Hall) -> None:
    hall.come("ann", "bob", "cyd")
    hall.do(Seek(1, "Dice"))
    hall.create(entry=EntryMode.SUBSCRIBED, game="Dice")
    assert "two players" in why(hall.act(acts.StartTournament(0)))
    hall.enter_by_rooms(9, "tim")
    assert hall.do(Sit(9, 0)) == Accepted()
    assert hall.do(Ready(9)) == Accepted()
    assert hall.do(Play(1, "roll")) == Rejected(Code.NOT_IN_MATCH)
