"""The house accepts a challenge a moment later; until then it is an open challenge like any other."""

import pytest

from gameserver.core.messages.commands import HOUSE_SESSION, Challenge, ChallengeTimeUp, Drain, Play
from gameserver.core.messages.events import Accepted, MatchOpened, Rejected, TurnStarted
from gameserver.core.messages.rejections import Code
from gameserver.journal.memory import MemoryJournal
from gameserver.journal.recovery import replay
from gameserver.journal.snapshot import digest
from gameserver.policies import Rules
from gameserver.tournaments import acts
from tests.core.organizer.test_conduct import Hall
from tests.support.games import Broken, Countdown, Dice, catalogue
from tests.support.lobbies import Table

GAMES = catalogue(Countdown(), Dice(), Broken("start"))
RULES = Rules(first_move_pause_ms=0, house_accept_ms=150)


@pytest.fixture
def table() -> Table:
    table = Table(GAMES, RULES)
    table.enter(1, "ann")
    table.enter(2, "bob")
    return table


def time_up(table: Table, number: int = 0) -> Accepted | Rejected:
    return table.do(ChallengeTimeUp(number))


def test_house_accepts_when_its_time_has_come(table: Table) -> None:
    assert table.challenge(1, "house-random", "Countdown", 20_000) == Accepted()
    assert table.hear(1) == []
    assert table.lobby.due_ms(("challenges", 0)) == table.now_ms + 150
    table.now_ms += 149
    assert time_up(table) == Rejected(Code.STALE)
    table.now_ms += 1
    assert time_up(table) == Accepted()
    opened = table.hear(1)[0]
    assert isinstance(opened, MatchOpened)
    assert opened.turn_time_ms == 20_000
    assert table.match().opened_ms == table.now_ms, "the wait is on nobody's clock"
    assert table.lobby.challenges == {}
    assert time_up(table) == Rejected(Code.STALE)


def test_turn_has_its_whole_time(table: Table) -> None:
    table.challenge(1, "house-random", "Countdown")
    table.now_ms += 200
    time_up(table)
    match = table.match()
    if match.turn.seats[0] != match.seat_of("ann"):
        table.do(Play(HOUSE_SESSION, "1", match.id, match.turn.seats[0], match.turn.number))
    (turn,) = [event for event in table.hear(1) if isinstance(event, TurnStarted)]
    assert turn.deadline_ms == table.now_ms + 10_000


@pytest.mark.parametrize("to", ["house-random", "bob"])
def test_new_challenge_replaces_the_one_to_the_house(table: Table, to: str) -> None:
    table.challenge(1, "house-random", "Countdown")
    table.now_ms += 100
    assert table.challenge(1, to, "Dice") == Accepted()
    table.now_ms += 50
    assert time_up(table) == Rejected(Code.STALE)
    assert list(table.lobby.challenges) == [1]


def test_logout_and_restart_drop_the_challenge(table: Table) -> None:
    table.challenge(1, "house-random", "Countdown")
    table.leave(1)
    table.challenge(2, "house-random", "Countdown")
    assert list(table.lobby.challenges) == [1]
    table.start()
    table.now_ms += 1_000
    assert time_up(table, 1) == Rejected(Code.STALE)
    assert table.lobby.matches == {}


def test_match_that_begins_meanwhile_drops_the_challenge(table: Table) -> None:
    table.challenge(1, "house-random", "Countdown")
    table.seek(1, "Dice")
    table.seek(2, "Dice")
    table.now_ms += 150
    assert time_up(table) == Rejected(Code.STALE)
    assert len(table.lobby.matches) == 1


def test_practice_begins_at_once(table: Table) -> None:
    assert table.do(Challenge(1, "house-random", "Countdown", practice=True)) == Accepted()
    assert len(table.lobby.matches) == 1


def test_refusals_come_at_once(table: Table) -> None:
    assert table.challenge(1, "house-random", "Chess") == Rejected(Code.UNKNOWN_GAME, {"game": "Chess"})
    broken = table.challenge(1, "house-random", "Broken-start")
    assert isinstance(broken, Rejected)
    assert broken.code is Code.SERVER_FAULT
    assert table.lobby.challenges == {}


def test_nothing_begins_once_the_server_drains(table: Table) -> None:
    table.challenge(1, "house-random", "Countdown")
    table.do(Drain(60_000, "the day is over", "teacher"))
    table.now_ms += 150
    assert time_up(table) == Accepted()
    assert (table.lobby.matches, table.lobby.challenges) == ({}, {})


def test_tournament_that_begins_meanwhile_comes_first() -> None:
    hall = Hall(GAMES, RULES)
    hall.come("ann", "bob")
    hall.create(challenges=False, pause_ms=0)
    hall.challenge(1, "house-random", "Dice")
    hall.act(acts.StartTournament(0))
    hall.now_ms += 150
    hall.do(ChallengeTimeUp(0))
    assert [match.scheduled is not None for match in hall.matches] == [True]


def test_replay_decides_alike(table: Table) -> None:
    table.challenge(1, "house-random", "Countdown")
    table.now_ms += 150
    time_up(table)
    table.challenge(2, "house-random", "Countdown")
    journal = MemoryJournal()
    journal.append(table.rows, ())
    assert digest(replay(journal, table.games).lobby) == digest(table.lobby)
