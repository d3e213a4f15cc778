"""Matches of several games in the lobby: between text players, and by hand as GammonX clients play."""

import random

import pytest

from games.backgammon import BACKGAMMON, FEVGA, PLAKOTO, PORTES, TAVLA, TAVLI
from games.backgammon.match import GameOptions
from gameserver.core.commands import HOUSE_SESSION, Capability, Challenge, Enter, Play, Ready, Resign, Scope
from gameserver.core.events import Accepted, Code, EndReason, GameEnded, MatchEnded, MatchOpened, Rejected
from gameserver.core.match import MatchPhase
from gameserver.game import Outcome
from gameserver.policies import Rules
from tests.support.games import catalogue
from tests.support.lobbies import LobbyHarness

GAMES = catalogue(BACKGAMMON, TAVLA, TAVLI, PORTES, PLAKOTO, FEVGA)


def harness() -> LobbyHarness:
    return LobbyHarness(GAMES, Rules(first_move_pause_ms=0))


def play_on(lobby: LobbyHarness, sessions: dict[str, int], chance: random.Random, until=lambda: False) -> None:
    """Play any moves until the match is over, or something is so."""
    while lobby.lobby.matches and not until():
        match = lobby.match()
        if match.phase is MatchPhase.READYING:
            for holder in match.seats:
                if holder.says_ready:
                    lobby.do(Ready(sessions[holder.player]))
            continue
        (seat,) = match.turn.seats
        holder = match.seats[seat]
        move = match.game.write_move(chance.choice(match.state.legal_moves(seat)[:8]))
        session = HOUSE_SESSION if holder.is_house else sessions[holder.player]
        assert lobby.do(Play(session, move, match.id, seat, match.turn.number)) == Accepted()


def against_house(lobby: LobbyHarness, game: str, **options: object) -> dict[str, int]:
    """A match of ann's, who says when she is ready, against the house."""
    lobby.do(Enter(1, "ann", "hub", "10.0.0.1", (Capability.READY,)))
    assert lobby.do(Challenge(1, "house-random", game, options=options, practice=True)) == Accepted()
    return {"ann": 1}


def test_text_players_play_all_of_tavli_without_lines_between_games():
    lobby = harness()
    sessions = {"ann": 1, "bob": 2}
    for name, session in sessions.items():
        lobby.enter(session, name)
        lobby.seek(session, "tavli")
    play_on(lobby, sessions, random.Random(1))
    events = lobby.hear(1)
    opened = [event for event in events if isinstance(event, MatchOpened)]
    ended = [event for event in events if isinstance(event, GameEnded)]
    assert [event.game for event in opened] == ["Portes", "Plakoto", "Fevga"]
    assert [event.options.by_hand for event in opened] == [(False, False)] * 3
    for before, after in zip(ended, opened[1:], strict=False):
        starter = before.result.winners[0] if before.result.winners else 0
        assert (after.first, after.options.starter) == (starter, starter)
    (whole,) = [event for event in events if isinstance(event, MatchEnded)]
    total = whole.result
    assert total.points == tuple(sum(points) for points in zip(*(event.result.points for event in ended), strict=True))
    assert len(total.winners) == (0 if total.points[0] == total.points[1] else 1)


def test_match_by_hand_goes_on_until_a_player_has_the_points():
    lobby, target = harness(), 5
    sessions = against_house(lobby, "Backgammon", length="5 points", by_hand=(True, True))
    play_on(lobby, sessions, random.Random(2))
    events = lobby.hear(1)
    opened = [event for event in events if isinstance(event, MatchOpened)]
    assert {event.game for event in opened} == {"Backgammon"}
    assert all(event.options.by_hand == (True, True) for event in opened)
    assert opened[0].options.starter is None, "the dice decide who begins the first game"
    assert [event.number for event in opened] == list(range(1, len(opened) + 1))
    ended = [event for event in events if isinstance(event, GameEnded)]
    sums = [sum(event.result.points[seat] for event in ended) for seat in (0, 1)]
    total = events[-1].result
    winners = (0 if sums[0] >= target else 1,)
    assert (total.reason, total.points, total.winners) == (EndReason.PLAYED, tuple(sums), winners)
    before_last = [sum(event.result.points[seat] for event in ended[:-1]) for seat in (0, 1)]
    assert max(sums) >= target > max(before_last), "it ends with the game that decides it, and not before"


def test_a_match_is_given_up_for_what_the_other_side_lacks():
    lobby = harness()
    sessions = against_house(lobby, "Tavla", length="7 points")
    lobby.do(Ready(1))
    assert lobby.do(Resign(1, Scope.GAME)) == Accepted()
    seat = lobby.match().players.index("ann")
    assert sessions == {"ann": 1}
    lobby.hear(1)
    lobby.do(Resign(1, Scope.MATCH))
    result = lobby.hear(1)[0].result
    assert (result.points[seat], result.points[1 - seat], result.winners) == (0, 7, (1 - seat,))


def test_without_a_length_it_is_a_game_alone():
    for game in (BACKGAMMON, TAVLA, PORTES, PLAKOTO, FEVGA):
        assert game.series(GameOptions()) is None
    assert PORTES.series(GameOptions(length="cash")) is None, "no match is made of Portes alone"


@pytest.mark.parametrize(
    "options",
    [{"length": "6 points"}, {"length": 5}, {"by_hand": [True]}, {"by_hand": ["x", "y"]}, {"by_hand": 1}, {"cube": 1}],
)
def test_options_that_cannot_be(options):
    lobby = harness()
    lobby.enter(1, "ann")
    rejected = lobby.do(Challenge(1, "house-random", "Backgammon", options=options))
    assert isinstance(rejected, Rejected)
    assert rejected.code is Code.BAD_OPTIONS


def test_a_draw_is_worth_nothing_and_white_begins_again():
    series = BACKGAMMON.series(GameOptions(length="5 points", by_hand=(True, False)))
    assert series is not None
    drawn = series.after(Outcome((0, 0), ()))
    assert drawn.outcome == Outcome((0, 0), ())
    game, options = drawn.next_game
    assert (game.name, options.starter, options.by_hand) == ("Backgammon", 0, (True, False))
