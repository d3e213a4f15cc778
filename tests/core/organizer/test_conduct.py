"""Tournaments in the lobby: who is paired, how matches begin, what comes back, and what a teacher does."""

from collections.abc import Callable
from typing import Any

import pytest
from attrs import define, evolve, field

from gameserver.core.messages.capabilities import Capability
from gameserver.core.messages.commands import (
    HOUSE_SESSION,
    Accept,
    Arrive,
    Book,
    Challenge,
    Conduct,
    CreateTournament,
    Drain,
    Play,
    Ready,
    RestoreTournament,
    Say,
    Seek,
    Sit,
    TimeUp,
    TournamentTimeUp,
    Void,
)
from gameserver.core.messages.events import (
    Accepted,
    By,
    MatchOpened,
    MovePlayed,
    Rejected,
    TournamentCreated,
    Unseated,
)
from gameserver.core.messages.rejections import Code
from gameserver.core.messages.tournament_commands import EntryMode
from gameserver.core.organizer.availability import to_pair
from gameserver.core.organizer.conduct import KEPT_MAX, MATCHES_KEPT_MAX
from gameserver.core.state.match import Match
from gameserver.core.state.room import RoomPhase
from gameserver.core.state.tournament import TournamentRow
from gameserver.policies import IllegalPolicy, LatePolicy, Rules
from gameserver.tournaments import acts
from gameserver.tournaments.model import PairingStatus, TournamentPhase, Verdict
from gameserver.tournaments.pairing.planner import next_pairings
from gameserver.tournaments.presets import PAUSE_MS, PRESETS, preset
from tests.support.games import Broken, Countdown, Dice, catalogue
from tests.support.lobbies import LobbyHarness

GAMES = catalogue(Countdown(), Dice(), Broken("start"))
RULES = Rules(first_move_pause_ms=0, room_game="Countdown", room_count=4)
SEED = "7e" * 32


@define
class Hall(LobbyHarness):
    """A lobby with somebody who pairs, and bots that can be told to play."""

    sessions: dict[str, int] = field(factory=dict)
    pairs: bool = True

    def do(self, command: Any, stamp_ms: int | None = None) -> Accepted | Rejected:
        answer = LobbyHarness.do(self, command, stamp_ms)
        if self.pairs:
            self.pair()
        return answer

    def pair(self) -> None:
        for number in list(self.lobby.tournaments):
            while (found := to_pair(self.lobby, number, self.now_ms)) is not None:
                row, free = found
                act = next_pairings(row.state, free, self.now_ms)
                if act is None:
                    break
                assert LobbyHarness.do(self, Conduct(number, act)) == Accepted()

    def come(self, *names: str) -> None:
        for name in names:
            session = self.sessions[name] = len(self.sessions) + 1
            assert self.enter(session, name) == Accepted()

    def create(
        self, which: str = "hanze", game: str = "Countdown", *, entry: EntryMode = EntryMode.LOGGED_IN, **changes: Any
    ):
        roster = changes.pop("roster", ())
        plan = preset(which, changes.pop("name", "Cup of May"), game, **{"pause_ms": 0} | changes)
        return self.do(CreateTournament(plan, SEED, entry, roster, by="teacher"))

    def act(self, act: acts.Act, number: int = 1) -> Accepted | Rejected:
        return self.do(Conduct(number, act))

    def run(self, *names: str, which: str = "hanze", **changes: Any) -> None:
        self.come(*names)
        assert isinstance(self.create(which, **changes), TournamentCreated)
        assert self.act(acts.StartTournament(0, by="teacher")) == Accepted()

    @property
    def row(self) -> TournamentRow:
        return list(self.lobby.tournaments.values())[-1]

    @property
    def matches(self) -> list[Match]:
        return list(self.lobby.matches.values())

    def end(self, match: Match, winner: int) -> None:
        """Have the other seat give up."""
        session = match.seats[1 - winner].session
        assert session is not None
        assert self.resign(session) == Accepted()

    def play_house(self, match: Match) -> None:
        """Have the house make its first legal move."""
        for seat in match.turn.seats:
            move = match.game.write_move(match.state.legal_moves(seat)[0])
            self.do(Play(HOUSE_SESSION, move, match.id, seat, match.turn.number))

    def play_out(self, better: Callable[[str, str], bool] = lambda one, other: one < other) -> None:
        """Play everything that is played, and what follows, to its end."""
        while self.matches:
            match = self.matches[0]
            self.end(match, 0 if better(*match.players) else 1)


@pytest.fixture
def hall() -> Hall:
    return Hall(GAMES, RULES)


def why(answer: Accepted | Rejected) -> str:
    assert isinstance(answer, Rejected)
    assert answer.code is Code.TOURNAMENT_REFUSED
    return answer.facts["why"]


# From the first command to the last.


def test_everybody_logged_in_meets_everybody(hall: Hall) -> None:
    hall.run("ann", "bob", "cyd", "dan", "eve")
    assert len(hall.matches) == 2, "as many at once as there are players for"
    hall.play_out()
    assert hall.row.state.phase is TournamentPhase.OVER
    assert len(hall.row.state.pairings) == 10
    assert {pairing.pair for pairing in hall.row.state.pairings if pairing.status is PairingStatus.DONE} == {
        (one, other) for one in hall.sessions for other in hall.sessions if one < other
    }
    assert all(pairing.reason == "resigned" for pairing in hall.row.state.pairings)


def test_a_match_says_which_tournament_and_round_it_belongs_to(hall: Hall) -> None:
    hall.run("ann", "bob")
    (match,) = hall.matches
    assert match.scheduled is not None
    assert (match.scheduled.tournament, match.scheduled.pairing, match.scheduled.round) == (1, 1, 1)
    assert match.players == hall.row.state.pairings[0].seats
    assert match.policies.turn_time_ms == 10_000


def test_no_slow_match_holds_up_the_others(hall: Hall) -> None:
    hall.run("ann", "bob", "cyd", "dan")
    slow = hall.matches[0]
    others = [name for name in hall.sessions if name not in slow.players]
    hall.end(hall.matches[1], 0)
    assert hall.matches == [slow], "these two wait for those whom they have not met"
    hall.end(slow, 0)
    assert len(hall.matches) == 2
    assert others


def test_a_double_round_robin_changes_seats_and_keeps_the_dice(hall: Hall) -> None:
    hall.come("ann", "bob")
    hall.create("league", "Dice", same_chance=True)
    hall.act(acts.StartTournament(0))
    drawn: list[tuple[tuple[str, ...], list[str]]] = []
    while hall.matches:
        (match,) = hall.matches
        hall.heard.clear()
        while match.id in hall.lobby.matches:
            current = hall.lobby.matches[match.id]
            hall.play(current.seats[current.turn.seats[0]].session, "roll")
        rolls = [event.text for event in hall.hear(1) if isinstance(event, MovePlayed) and event.seat is None]
        drawn.append((match.players, rolls))
    (first, dice), (second, same_dice) = drawn
    assert first == second[::-1]
    assert dice == same_dice
    assert len(dice) >= 2
    assert hall.row.state.phase is TournamentPhase.OVER


def test_the_wins_count_for_their_seats(hall: Hall) -> None:
    hall.run("ann", "bob")
    (match,) = hall.matches
    hall.end(match, match.players.index("bob"))
    (pairing,) = hall.row.state.pairings
    assert pairing.verdict is (Verdict.FIRST if pairing.seats[0] == "bob" else Verdict.SECOND)


# Who can be paired.


def test_absent_player_is_waited_for_and_loses_by_not_coming(hall: Hall) -> None:
    hall.come("ann", "bob")
    hall.create(
        entry=EntryMode.ROSTER, roster=tuple(map(acts.RegisterEntrant, ("ann", "bob", "cyd"))), no_show_ms=60_000
    )
    hall.act(acts.StartTournament(0))
    hall.play_out()
    (waiting,) = [pairing for pairing in hall.row.state.pairings if pairing.status is PairingStatus.ANNOUNCED]
    assert "cyd" in waiting.seats
    assert hall.row.due_ms == hall.now_ms + 60_000
    assert hall.do(TournamentTimeUp(1)) == Rejected(Code.STALE)
    hall.now_ms += 60_000
    hall.do(TournamentTimeUp(1))
    pairing = hall.row.state.pairings[waiting.number - 1]
    assert (pairing.absent, pairing.played, pairing.reason) == (("cyd",), False, "no-show")
    hall.come("cyd")
    assert len(hall.matches) == 1, "who comes after all plays what is left"


def test_nobody_loses_by_not_coming_to_a_server_that_is_about_to_stop(hall: Hall) -> None:
    hall.create(entry=EntryMode.ROSTER, roster=tuple(map(acts.RegisterEntrant, ("ann", "bob"))), no_show_ms=60_000)
    hall.act(acts.StartTournament(0))
    assert hall.do(Drain(600_000, "the lesson is over", "Ms Reed")) == Accepted()
    hall.now_ms += 60_000
    assert hall.do(TournamentTimeUp(1)) == Accepted()
    (waiting,) = hall.row.state.pairings
    assert waiting.status is PairingStatus.ANNOUNCED
    assert hall.row.due_ms == hall.now_ms + 60_000
    hall.start()
    hall.come("ann", "bob")
    assert len(hall.matches) == 1


TIDY = evolve(RULES, waits_end_while_draining=True)


def draining_with_a_withdrawn_opponent(rules: Rules) -> Hall:
    hall = Hall(GAMES, rules)
    hall.create(
        entry=EntryMode.ROSTER, roster=tuple(map(acts.RegisterEntrant, ("ann", "bob", "cyd"))), no_show_ms=60_000
    )
    hall.act(acts.StartTournament(0))
    hall.do(Drain(600_000, "the lesson is over", "Ms Reed"))
    (waiting,) = hall.row.state.open
    assert hall.row.waits.keys() == {waiting.number}
    hall.act(acts.WithdrawEntrant(waiting.seats[0], "teacher"))
    return hall


def test_match_that_is_withdrawn_from_while_the_server_drains_is_not_waited_for() -> None:
    hall = draining_with_a_withdrawn_opponent(TIDY)
    announced = {pairing.number for pairing in hall.row.state.pairings if pairing.status is PairingStatus.ANNOUNCED}
    assert hall.row.waits.keys() <= announced
    hall.now_ms += 600_000
    hall.do(TournamentTimeUp(1))
    assert hall.do(TournamentTimeUp(1)) == Rejected(Code.STALE), "nothing is due twice"
    hall.start()
    hall.come("ann", "bob", "cyd")
    assert len(hall.matches) == 1


def draining_with_a_rest(rules: Rules) -> Hall:
    hall = Hall(GAMES, rules)
    hall.run("ann", "bob", which="league", games=2, pause_ms=PAUSE_MS)
    hall.end(hall.matches[0], 0)
    hall.do(Drain(600_000, "the lesson is over", "Ms Reed"))
    assert hall.row.rests
    hall.now_ms += PAUSE_MS
    assert hall.do(TournamentTimeUp(1)) == Accepted()
    return hall


def test_rest_ends_once_while_the_server_drains() -> None:
    hall = draining_with_a_rest(TIDY)
    assert hall.row.rests == {}
    assert hall.matches == []
    assert hall.do(TournamentTimeUp(1)) == Rejected(Code.STALE)


def test_journals_of_older_servers_end_a_rest_as_often_as_these_did() -> None:
    """Each row of it was accepted when it was written, and must be when it is replayed."""
    for hall in (draining_with_a_rest(RULES), draining_with_a_withdrawn_opponent(RULES)):
        hall.now_ms += 600_000
        for _ in range(2):
            assert hall.do(TournamentTimeUp(1)) == Accepted()


def test_player_in_another_match_is_not_called(hall: Hall) -> None:
    hall.come("ann", "bob", "zoe")
    hall.challenge(1, "zoe", "Countdown")
    hall.accept(3)
    hall.create(
        entry=EntryMode.ROSTER, roster=(acts.RegisterEntrant("ann"), acts.RegisterEntrant("bob")), no_show_ms=1_000
    )
    hall.act(acts.StartTournament(0))
    (practice,) = hall.matches
    assert practice.scheduled is None
    hall.now_ms += 1_000
    hall.do(TournamentTimeUp(1))
    assert hall.row.state.open, "a player in another match is not absent"
    hall.end(practice, 0)
    (match,) = hall.matches
    assert set(match.players) == {"ann", "bob"}


def test_both_absent_lose(hall: Hall) -> None:
    hall.create(entry=EntryMode.ROSTER, roster=(acts.RegisterEntrant("ann"), acts.RegisterEntrant("bob")), no_show_ms=0)
    hall.act(acts.StartTournament(0))
    hall.do(TournamentTimeUp(1))
    assert hall.row.state.pairings[0].verdict is Verdict.BOTH_LOSE


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


def test_a_stranger_does_not_meet_players_of_the_tournament(hall: Hall) -> None:
    hall.run("ann", "bob", "cyd")
    hall.come("zoe")
    idle = next(name for name in ("ann", "bob", "cyd") if hall.lobby.players[name].match is None)
    hall.seek(hall.sessions[idle], "Countdown")
    hall.seek(hall.sessions["zoe"], "Countdown")
    assert hall.lobby.players["zoe"].match is None


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


def test_a_pause_between_matches_is_kept(hall: Hall) -> None:
    hall.run("ann", "bob", which="league", pause_ms=5_000)
    hall.end(hall.matches[0], 0)
    assert hall.matches == []
    assert hall.row.due_ms == hall.now_ms + 5_000
    hall.now_ms += 5_000
    hall.do(TournamentTimeUp(1))
    assert len(hall.matches) == 1


RESTING = evolve(RULES, rests_after_every_match=True)


@pytest.mark.parametrize("which", PRESETS)
def test_two_players_rest_between_any_two_of_their_matches(which: str) -> None:
    hall = Hall(GAMES, RESTING)
    changes = {"duration_ms": 60_000} if which == "arena" else {}
    hall.run("ann", "bob", which=which, games=2, pause_ms=PAUSE_MS, **changes)
    for _ in range(2):
        (match,) = hall.matches
        hall.end(match, 0)
        if hall.row.is_over:
            return
        assert hall.matches == []
        hall.now_ms += PAUSE_MS - 1
        hall.do(TournamentTimeUp(1))
        assert hall.matches == []
        hall.now_ms += 1
        hall.do(TournamentTimeUp(1))


def voided_by_a_fault(hall: Hall) -> None:
    hall.do(Void(hall.matches[0].id, "a fault of ours"))


def voided_by_the_teacher(hall: Hall) -> None:
    hall.act(acts.VoidPairing(1, "teacher", "a cable"))


def ended_in_a_pause(hall: Hall) -> None:
    hall.act(acts.Pause(0, "teacher"))
    hall.end(hall.matches[0], 0)
    hall.act(acts.Resume(0, "teacher"))


def ended_before_a_pause(hall: Hall) -> None:
    hall.end(hall.matches[0], 0)
    hall.act(acts.Pause(0, "teacher"))
    hall.act(acts.Resume(0, "teacher"))


@pytest.mark.parametrize("ended", [voided_by_a_fault, voided_by_the_teacher, ended_in_a_pause, ended_before_a_pause])
def test_players_rest_however_their_match_ended(ended: Callable[[Hall], None]) -> None:
    hall = Hall(GAMES, RESTING)
    hall.run("ann", "bob", which="league", pause_ms=PAUSE_MS)
    ended(hall)
    assert hall.matches == []
    hall.now_ms += PAUSE_MS
    hall.do(TournamentTimeUp(1))
    assert len(hall.matches) == 1


@pytest.mark.parametrize("ended", [voided_by_the_teacher, ended_in_a_pause, ended_before_a_pause])
def test_journals_of_older_servers_begin_the_next_match_where_these_did(ended: Callable[[Hall], None]) -> None:
    hall = Hall(GAMES, RULES)
    hall.run("ann", "bob", which="league", pause_ms=PAUSE_MS)
    ended(hall)
    assert len(hall.matches) == 1


def test_house_players_never_rest(hall: Hall) -> None:
    roster = (acts.RegisterEntrant("house-random"), acts.RegisterEntrant("house-random-2"))
    hall.create(entry=EntryMode.ROSTER, roster=roster, games=3, pause_ms=PAUSE_MS)
    hall.act(acts.StartTournament(0))
    while hall.matches:
        hall.play_house(hall.matches[0])
    assert hall.row.is_over


# Dice.


def test_only_house_players_have_both_games_of_a_pair_at_once(hall: Hall) -> None:
    hall.come("ann")
    roster = tuple(map(acts.RegisterEntrant, ("ann", "house-random", "house-random-2")))
    hall.create("league", "Dice", entry=EntryMode.ROSTER, roster=roster, same_chance=True)
    hall.act(acts.StartTournament(0))
    together = [one for one in hall.row.state.pairings if one.side_by_side]
    assert {one.seats for one in together} == {
        ("house-random", "house-random-2"),
        ("house-random-2", "house-random"),
    }
    assert len({one.chance for one in together}) == 1
    while hall.matches:
        match = hall.matches[0]
        people = [seat for seat in match.turn.seats if match.players[seat] == "ann"]
        if people:
            hall.play(1, match.game.write_move(match.state.legal_moves(people[0])[0]))
        else:
            hall.play_house(match)
    assert hall.row.is_over
    done = [one for one in hall.row.state.pairings if one.status is PairingStatus.DONE]
    assert len(done) == 6
    assert len({one.chance for one in done}) == 3
    assert [one.side_by_side for one in done] == ["ann" not in one.seats for one in done]


def test_with_one_match_at_a_time_house_players_too_play_one_after_the_other(hall: Hall) -> None:
    roster = (acts.RegisterEntrant("house-random"), acts.RegisterEntrant("house-random-2"))
    settings = {"games": 2, "same_chance": True, "matches_at_once_max": 1}
    hall.create("hanze", "Dice", entry=EntryMode.ROSTER, roster=roster, **settings)
    hall.act(acts.StartTournament(0))
    while hall.matches:
        (match,) = hall.matches
        hall.play_house(match)
    assert [one.side_by_side for one in hall.row.state.pairings] == [False, False]


# Other protocols.


def test_connect_four_clients_are_paired_when_they_have_started(hall: Hall) -> None:
    for session, name in enumerate(("ann", "bob", "cyd"), start=1):
        hall.sessions[name] = session
        hall.enter_by_rooms(session, name)
    hall.create(no_show_ms=60_000)
    hall.act(acts.StartTournament(0))
    for session in (1, 2, 3):
        assert hall.sit(session, 0) == Accepted(), "one room is enough for all"
        if session < 3:
            assert hall.matches == []
            hall.ready(session)
    (match,) = hall.matches
    assert set(match.players) == {"ann", "bob"}
    assert match.scheduled is not None
    assert match.policies.late is LatePolicy.RANDOM_MOVE
    assert MatchOpened in [type(event) for event in hall.hear(1)]
    hall.ready(3)
    assert hall.lobby.players["cyd"].room is not None
    assert hall.lobby.rooms[hall.lobby.players["cyd"].room].phase is RoomPhase.KEPT
    assert hall.lobby.rooms.keys().isdisjoint(range(4)), "the rooms are free for others"
    hall.end(match, 0)
    assert hall.matches == [], "to start again is to be ready for the next opponent"
    hall.ready(1)
    (match,) = hall.matches
    assert set(match.players) == {"ann", "cyd"}
    hall.end(match, 0)
    hall.ready(2)
    hall.ready(3)
    hall.play_out()
    assert hall.row.state.phase is TournamentPhase.OVER


def test_players_in_rooms_play_nobody_else_during_a_pause(hall: Hall) -> None:
    """Clients sit down in the one room that they know, and start again and again, whatever the tournament does."""
    for session, name in enumerate(("ann", "bob", "cyd", "dan"), start=1):
        hall.sessions[name] = session
        hall.enter_by_rooms(session, name)
    hall.create("arena", duration_ms=600_000)
    hall.act(acts.StartTournament(0))
    for session in (1, 2, 3):
        hall.sit(session, 0)
        hall.ready(session)
    (match,) = hall.matches
    hall.act(acts.Pause(0, by="teacher", why="lunch"))
    hall.sit(4, 0)
    hall.ready(4)
    hall.end(match, 0)
    hall.ready(1)
    hall.ready(2)
    assert hall.matches == []
    waiting = [hall.lobby.rooms[player.room or 0] for player in hall.lobby.players.values()]
    assert [harness.phase for harness in waiting] == [RoomPhase.KEPT] * 4
    hall.act(acts.Resume(0, by="teacher"))
    assert len(hall.matches) == 2
    assert all(match.scheduled is not None for match in hall.matches)


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


@pytest.mark.parametrize("enter", ["enter", "enter_by_rooms"])
@pytest.mark.parametrize("late", [LatePolicy.MATCH, LatePolicy.RANDOM_MOVE])
@pytest.mark.parametrize("illegal", [IllegalPolicy.MATCH, IllegalPolicy.REFUSAL])
def test_the_plan_says_what_late_and_illegal_moves_cost(hall: Hall, enter: str, late: Any, illegal: Any) -> None:
    """For text players and those of rooms alike."""
    for session, name in enumerate(("ann", "bob"), start=1):
        hall.sessions[name] = session
        getattr(hall, enter)(session, name)
    hall.create(late=late, illegal=illegal, turn_time_ms=5_000, games=2)
    hall.act(acts.StartTournament(0))
    if enter == "enter_by_rooms":
        for session in (1, 2):
            hall.sit(session, 0)
            hall.ready(session)
    (match,) = hall.matches
    assert (match.policies.late.value, match.policies.illegal.value) == (late.value, illegal.value)
    assert match.policies.turn_time_ms == 5_000
    refused = hall.play(hall.sessions[match.players[0]], "nonsense")
    if illegal is IllegalPolicy.MATCH:
        assert hall.row.state.pairings[0].verdict is Verdict.SECOND
        return
    assert isinstance(refused, Rejected)
    hall.now_ms += 6_000
    assert hall.time_up(match.id) == Accepted()
    if late is LatePolicy.MATCH:
        assert hall.row.state.pairings[0].verdict is Verdict.SECOND
    else:
        assert [move.by for move in hall.matches[0].moves] == [By.SERVER]


def test_after_the_tournament_rooms_are_as_ever(hall: Hall) -> None:
    hall.enter_by_rooms(1, "ann")
    hall.enter_by_rooms(2, "bob")
    hall.create()
    hall.act(acts.StartTournament(0))
    for session in (1, 2):
        hall.sit(session, 0)
        hall.ready(session)
    hall.end(hall.matches[0], 0)
    assert hall.row.state.phase is TournamentPhase.OVER
    hall.enter_by_rooms(3, "cyd")
    hall.sit(3, 2)
    hall.ready(3)
    hall.enter_by_rooms(4, "dan")
    hall.sit(4, 2)
    hall.ready(4)
    assert [match.players for match in hall.matches] == [("cyd", "dan")]


def test_rooms_of_waiting_tournament_players_are_closed_to_others(hall: Hall) -> None:
    hall.enter_by_rooms(1, "ann")
    hall.sit(1, 0)
    hall.ready(1)
    hall.create(entry=EntryMode.ROSTER, roster=(acts.RegisterEntrant("ann"), acts.RegisterEntrant("bob")))
    hall.act(acts.StartTournament(0))
    hall.enter_by_rooms(2, "zoe")
    assert hall.sit(2, 0) == Accepted()
    hall.ready(2)
    assert hall.matches == []
    hall.act(acts.Cancel("teacher"))
    assert hall.lobby.players["ann"].room == 1, "who is kept no more is to be found in a room"
    hall.enter_by_rooms(3, "cyd")
    hall.sit(3, 1)
    hall.ready(3)
    assert [match.players for match in hall.matches] == [("ann", "cyd")]


@pytest.mark.parametrize("searches", [True, False])
def test_a_start_in_a_room_counts_after_the_tournament_as_its_plan_says(searches: bool) -> None:
    """Somebody who started for the next match of a tournament hears that there is none, and meets nobody else by it."""
    hall = Hall(GAMES, evolve(RULES, readiness_is_search=True))
    for session, name in enumerate(("ann", "bob", "cyd"), start=1):
        hall.sessions[name] = session
        hall.enter_by_rooms(session, name)
        hall.sit(session, session)
        hall.ready(session)
    hall.create(searches=searches)
    hall.act(acts.StartTournament(0))
    for _ in range(3):
        (match,) = hall.matches
        players = hall.lobby.players
        (waiting,) = (name for name in players if players[name].match is None)
        hall.hear(hall.sessions[waiting])
        hall.end(match, 0)
        for name in match.players:
            hall.ready(hall.sessions[name])
    assert hall.row.state.phase is TournamentPhase.OVER
    room = hall.lobby.players[waiting].room
    told = [type(event) for event in hall.hear(hall.sessions[waiting])]
    assert (told, room) == (([], 0) if searches else ([Unseated], None))
    hall.enter_by_rooms(9, "zoe")
    hall.sit(9, 0)
    hall.ready(9)
    assert [match.players for match in hall.matches] == ([(waiting, "zoe")] if searches else [])


def test_a_connect_four_client_comes_back_to_its_match_by_any_room(hall: Hall) -> None:
    for session, name in enumerate(("ann", "bob"), start=1):
        hall.enter_by_rooms(session, name)
    hall.create()
    hall.act(acts.StartTournament(0))
    for session in (1, 2):
        hall.sit(session, 3)
        hall.ready(session)
    (match,) = hall.matches
    hall.start()
    for session, name in enumerate(("ann", "bob"), start=11):
        hall.enter_by_rooms(session, name)
        assert hall.sit(session, 3) == Accepted()
        assert hall.ready(session) == Accepted()
    assert all(holder.is_present for holder in hall.lobby.matches[match.id].seats)
    hall.end(hall.lobby.matches[match.id], 0)
    assert hall.row.state.phase is TournamentPhase.OVER


def test_players_with_tickets_are_paired_by_them(hall: Hall) -> None:
    hall.come("ann")
    names = ("gx-bob", "gx-cyd")
    hall.create(
        entry=EntryMode.ROSTER, roster=tuple(map(acts.RegisterEntrant, ("ann", *names))), late="match", illegal="match"
    )
    hall.act(acts.StartTournament(0))
    for session, name in enumerate(names, start=10):
        book = Book(90, f"t{session}", name, name, "10.0.0.1", "Countdown", open_to_queue=True)
        assert hall.do(book) == Accepted()
        arrive = Arrive(session, f"t{session}", name, "gammonx", "10.0.0.1", (Capability.READY,))
        assert hall.do(arrive) == Accepted()
    (match,) = hall.matches
    assert match.scheduled is not None
    assert match.awaited_seats, "this protocol says when it is ready"
    assert (match.policies.late, match.policies.illegal) == (LatePolicy.GAME, IllegalPolicy.REFUSAL), (
        "and knows no other terms"
    )
    with_ann = "ann" in match.players
    assert with_ann or set(match.players) == set(names)
    for holder in match.seats:
        if holder.says_ready:
            hall.ready(holder.session)
    hall.end(hall.matches[0], 0)
    assert hall.row.state.pairings[0].status is PairingStatus.DONE


def test_the_house_plays_any_number_of_matches(hall: Hall) -> None:
    roster = (acts.RegisterEntrant("house-random"), acts.RegisterEntrant("house-random-2"))
    hall.come("ann", "bob")
    hall.create(roster=roster)
    hall.act(acts.StartTournament(0))
    assert len(hall.matches) >= 3
    assert ("house-random-2" in hall.row.state.pairings[0].seats) or len(hall.row.state.entrants) == 4
    assert why(hall.create(name="other", roster=(acts.RegisterEntrant("house-nobody"),))).startswith(
        "there is no house player"
    )


# What a teacher does.


def test_a_void_match_ends_and_is_played_again(hall: Hall) -> None:
    hall.run("ann", "bob")
    (match,) = hall.matches
    assert "say why" in why(hall.act(acts.VoidPairing(1, by="teacher")))
    assert hall.act(acts.VoidPairing(1, by="teacher", why="the projector fell on ann")) == Accepted()
    (again,) = hall.matches
    assert again.id != match.id
    assert [pairing.status for pairing in hall.row.state.pairings] == [PairingStatus.VOID, PairingStatus.PLAYING]
    hall.play_out()
    assert hall.row.state.phase is TournamentPhase.OVER
    assert hall.row.state.rulings[0].by == "teacher"


def test_a_fault_of_ours_is_played_again_and_then_counts_as_a_draw(hall: Hall) -> None:
    hall.run("ann", "bob")
    for _ in range(3):
        (match,) = hall.matches
        hall.do(Void(match.id, "the game made a mistake"))
    assert hall.matches == []
    assert hall.row.state.pairings[-1].verdict is Verdict.DRAW
    assert hall.row.state.phase is TournamentPhase.OVER


def test_a_game_that_cannot_begin_does_not_hold_the_tournament_up(hall: Hall) -> None:
    hall.run("ann", "bob", game="Broken-start")
    assert hall.row.state.phase is TournamentPhase.OVER
    assert hall.row.state.pairings[-1].verdict is Verdict.DRAW


def test_a_paused_tournament_begins_nothing_and_goes_on(hall: Hall) -> None:
    hall.run("ann", "bob", "cyd")
    assert hall.act(acts.Pause(0, by="teacher", why="lunch")) == Accepted()
    hall.end(hall.matches[0], 0)
    assert hall.matches == []
    assert hall.row.due_ms is None
    assert hall.act(acts.Resume(0, by="teacher")) == Accepted()
    assert len(hall.matches) == 1
    assert [(ruling.what, ruling.why) for ruling in hall.row.state.rulings] == [("paused", "lunch"), ("resumed", "")]


def test_finish_lets_the_matches_end_and_stops(hall: Hall) -> None:
    hall.run("ann", "bob", "cyd")
    hall.act(acts.Finish(0, by="teacher"))
    assert hall.row.state.phase is TournamentPhase.FINISHING
    hall.end(hall.matches[0], 0)
    assert hall.row.state.phase is TournamentPhase.OVER
    hall.act(acts.Resume(0, by="teacher"))
    hall.play_out()
    assert len([pairing for pairing in hall.row.state.pairings if pairing.status is PairingStatus.DONE]) == 3


def test_a_cancelled_tournament_ends_its_matches(hall: Hall) -> None:
    hall.run("ann", "bob", "cyd")
    hall.act(acts.Cancel("teacher", "fire alarm"))
    assert hall.matches == []
    assert hall.row.state.phase is TournamentPhase.CANCELLED


def test_a_cancelled_tournament_is_taken_up_again(hall: Hall) -> None:
    hall.run("ann", "bob", "cyd")
    hall.end(hall.matches[0], 0)
    hall.act(acts.Cancel("teacher", "the wrong button", 0))
    assert hall.row.ended_wall_ms is not None
    assert hall.act(acts.Resume(0, by="teacher")) == Accepted()
    assert (hall.row.ended_wall_ms, len(hall.matches)) == (None, 1)
    hall.play_out()
    assert hall.row.state.phase is TournamentPhase.OVER
    assert len([pairing for pairing in hall.row.state.pairings if pairing.status is PairingStatus.DONE]) == 3


def test_one_cancelled_before_its_start_has_not_ended_when_it_is_taken_up_again(hall: Hall) -> None:
    hall.create()
    hall.act(acts.Cancel("teacher"))
    hall.act(acts.Resume(0, by="teacher"))
    assert (hall.row.state.phase, hall.row.ended_wall_ms) == (TournamentPhase.GATHERING, None)


def test_a_cancelled_tournament_stays_so_while_another_has_its_name(hall: Hall) -> None:
    hall.create()
    hall.act(acts.Cancel("teacher"))
    assert hall.create() == TournamentCreated(2)
    assert "another tournament 'Cup of May'" in why(hall.act(acts.Resume(0, by="teacher"), 1))
    hall.act(acts.Cancel("teacher"), 2)
    assert hall.act(acts.Resume(0, by="teacher"), 1) == Accepted()


def test_a_cancellation_keeps_the_time_left_unless_an_older_server_journaled_it(hall: Hall) -> None:
    hall.run("ann", "bob", which="arena", duration_ms=60_000)
    hall.now_ms += 20_000
    before = hall.row
    hall.act(acts.Cancel("teacher"))
    assert (hall.row.state.ends_ms, hall.row.state.left_ms) == (None, 0), "as that server had it"
    hall.lobby.tournaments[1] = before
    hall.act(acts.Cancel("teacher", now_ms=0))
    assert (hall.row.state.ends_ms, hall.row.state.left_ms) == (None, 40_000)


def test_a_restored_tournament_is_corrected_and_its_games_replayed(hall: Hall) -> None:
    hall.run("ann", "bob")
    hall.play_out()
    old = hall.row
    restoring = RestoreTournament(1, old.state, old.entry, old.created_wall_ms, old.started_wall_ms, old.ended_wall_ms)
    assert hall.do(restoring) == Accepted()
    assert hall.row is old, "the lobby has it"
    for number in range(2, KEPT_MAX + 3):
        hall.create(name=f"Cup {number}", entry=EntryMode.ROSTER)
        hall.act(acts.Cancel("teacher"), number)
    assert 1 not in hall.lobby.tournaments
    assert hall.do(restoring) == Accepted()
    assert hall.lobby.tournaments[1].state == old.state
    assert len(hall.lobby.tournaments) == KEPT_MAX
    assert hall.act(acts.Correct(1, Verdict.DRAW, "teacher", "the board shows it"), 1) == Accepted()
    assert hall.act(acts.VoidPairing(1, "teacher", "wrong bot"), 1) == Accepted()
    assert len(hall.matches) == 1, "it is played again"
    assert hall.lobby.tournaments[1].state.phase is TournamentPhase.RUNNING


def test_matches_for_practice_take_no_place_of_an_event(hall: Hall) -> None:
    for number in range(1, KEPT_MAX + 1):
        hall.create(name=f"Cup {number}", entry=EntryMode.ROSTER)
        hall.act(acts.Cancel("teacher"), number)
    for number in range(KEPT_MAX + 1, 3 * KEPT_MAX):
        hall.create(name=f"ann - bob {number}", entry=EntryMode.ROSTER, event=False)
        hall.act(acts.Cancel("teacher"), number)
    kept = list(hall.lobby.tournaments)
    assert kept[:KEPT_MAX] == list(range(1, KEPT_MAX + 1)), "every event is there"
    assert len(kept) <= KEPT_MAX + MATCHES_KEPT_MAX + 1
    old = hall.lobby.tournaments[kept[-1]]
    for _ in range(MATCHES_KEPT_MAX + 1):
        hall.create(name="ann - bob", entry=EntryMode.ROSTER, event=False)
        hall.act(acts.Cancel("teacher"), max(hall.lobby.tournaments))
    assert old.number not in hall.lobby.tournaments
    hall.do(RestoreTournament(old.number, old.state, old.entry))
    assert old.number in hall.lobby.tournaments, "one that is taken back stays for the act that needs it"


@pytest.mark.parametrize(("number", "phase"), [(9, TournamentPhase.OVER), (1, TournamentPhase.RUNNING)])
def test_only_what_was_and_is_over_is_restored(hall: Hall, number: int, phase: TournamentPhase) -> None:
    hall.create()
    state = evolve(hall.row.state, phase=phase)
    del hall.lobby.tournaments[1]
    assert hall.do(RestoreTournament(number, state)) == Rejected(Code.UNKNOWN_TOURNAMENT, {"tournament": str(number)})
    assert hall.lobby.tournaments == {}


def test_players_are_added_dropped_and_disqualified(hall: Hall) -> None:
    hall.run("ann", "bob", "cyd")
    hall.come("dan")
    assert hall.act(acts.RegisterEntrant("dan", by="teacher")) == Accepted()
    assert any("dan" in match.players for match in hall.matches)
    assert hall.act(acts.WithdrawEntrant("cyd", by="teacher", why="ill")) == Accepted()
    assert hall.act(acts.Disqualify("bob", "teacher", "cheated")) == Accepted()
    hall.play_out()
    assert hall.row.state.phase is TournamentPhase.OVER


def test_a_result_is_corrected(hall: Hall) -> None:
    hall.run("ann", "bob")
    assert "being played" in why(hall.act(acts.Correct(1, Verdict.DRAW, "teacher", "x")))
    hall.play_out()
    assert hall.act(acts.Correct(1, Verdict.DRAW, "teacher", "both were right")) == Accepted()
    assert hall.row.state.pairings[0].verdict is Verdict.DRAW


def test_lobbys_own_acts_are_refused_from_others(hall: Hall) -> None:
    hall.run("ann", "bob")
    for act in (acts.Begin(1, 7), acts.Report(1, 1, Verdict.FIRST), acts.EndByTime(0)):
        assert "by themselves" in why(hall.act(act))


def test_refusals_say_what_is_wrong(hall: Hall) -> None:
    hall.come("ann", "bob")
    assert hall.create(game="Chess") == Rejected(Code.UNKNOWN_GAME, {"game": "Chess"})
    assert hall.act(acts.StartTournament(0), 7) == Rejected(Code.UNKNOWN_TOURNAMENT, {"tournament": "7"})
    hall.create()
    assert "choose another name" in why(hall.create())
    assert "no name" in why(hall.act(acts.RegisterEntrant(" ")))
    hall.act(acts.StartTournament(0))
    assert "running and cannot start" in why(hall.act(acts.StartTournament(0)))


# Restarts.


def test_after_a_restart_everything_goes_on(hall: Hall) -> None:
    hall.run("ann", "bob", "cyd")
    (match,) = hall.matches
    hall.start()
    assert hall.row.state.pairings[0].status is PairingStatus.PLAYING
    for session, name in enumerate(("ann", "bob", "cyd"), start=20):
        hall.enter(session, name)
        hall.sessions[name] = session
    assert hall.lobby.matches[match.id].seats[0].is_present
    hall.play_out()
    assert hall.row.state.phase is TournamentPhase.OVER
    assert len(hall.row.state.pairings) == 3


def test_player_who_does_not_come_back_voids_the_match_and_is_waited_for(hall: Hall) -> None:
    hall.run("ann", "bob", no_show_ms=1_000)
    (match,) = hall.matches
    hall.start()
    hall.enter(20, "ann")
    hall.now_ms += RULES.restart_grace_ms
    hall.do(TimeUp(match.id))
    assert [pairing.status for pairing in hall.row.state.pairings] == [PairingStatus.VOID, PairingStatus.ANNOUNCED]
    hall.now_ms += 1_000
    hall.do(TournamentTimeUp(1))
    assert hall.row.state.pairings[1].absent == ("bob",)


def test_arena_admits_late_players_and_ends_by_the_clock(hall: Hall) -> None:
    hall.run("ann", "bob", which="arena", duration_ms=60_000)
    hall.come("cyd")
    assert hall.row.state.entrant("cyd") is not None
    for _ in range(5):
        hall.end(hall.matches[0], 0)
    hall.now_ms += 60_000
    hall.do(TournamentTimeUp(1))
    assert hall.row.state.phase is TournamentPhase.FINISHING
    hall.play_out()
    assert hall.row.state.phase is TournamentPhase.OVER


def test_the_oldest_tournaments_that_are_over_leave_the_lobby(hall: Hall) -> None:
    for number in range(1, 15):
        assert hall.create(name=f"cup {number}") == TournamentCreated(number)
        hall.act(acts.Cancel("teacher"), number)
    assert list(hall.lobby.tournaments) == [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]


def test_one_who_looks_for_the_game_takes_part_by_that(hall: Hall) -> None:
    hall.come("ann", "bob", "cyd")
    hall.do(Seek(1, "Dice"))
    hall.create(entry=EntryMode.SUBSCRIBED, game="Dice")
    assert "two players" in why(hall.act(acts.StartTournament(0)))
    hall.enter_by_rooms(9, "tim")
    assert hall.do(Sit(9, 0)) == Accepted()
    assert hall.do(Ready(9)) == Accepted()
    assert hall.do(Play(1, "roll")) == Rejected(Code.NOT_IN_MATCH)
