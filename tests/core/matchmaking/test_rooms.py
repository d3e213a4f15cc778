"""Tables: who sits where, when a match begins there, and what everybody is told of it."""

from collections.abc import Sequence

import attrs
import pytest

from gameserver.core.matchmaking.room_commands import TRANSITIONS
from gameserver.core.messages.capabilities import Capability
from gameserver.core.messages.commands import (
    Depart,
    Enter,
    ListPlayers,
    ListTables,
    Ready,
    Resign,
    Sit,
    TableTimeUp,
    Withdraw,
)
from gameserver.core.messages.events import (
    Accepted,
    By,
    EndReason,
    Event,
    GameEnded,
    MatchEnded,
    MatchOpened,
    MatchShown,
    MovePlayed,
    PlayersListed,
    Rejected,
    Seated,
    TableShown,
    TablesListed,
    TurnStarted,
    Unseated,
    UnseatedWhy,
)
from gameserver.core.messages.rejections import Code
from gameserver.core.state import room as core
from gameserver.core.state.room import RoomPhase
from gameserver.game import NoOptions
from gameserver.policies import Rules
from tests.support.games import Broken, Countdown, Dice, catalogue
from tests.support.lobbies import Table

RULES = Rules(
    first_move_pause_ms=0,
    tables=3,
    table_game="Countdown",
    table_turn_time_ms=15_000,
    table_wait_ms=180_000,
    late_margin_ms=250,
)
GAMES = catalogue(Countdown(), Dice(), Broken("start"))
ANN, BOB, CYD, TIM, UMA = range(1, 6)
"""The first three come by a protocol with tables, the others by one without."""


@pytest.fixture
def table() -> Table:
    return arrive(Table(GAMES, RULES))


def arrive(table: Table) -> Table:
    for session, name in ((ANN, "ann"), (BOB, "bob"), (CYD, "cyd")):
        table.enter_by_tables(session, name)
    for session, name in ((TIM, "tim"), (UMA, "uma")):
        table.enter(session, name)
    table.heard.clear()
    return table


def kinds(events: Sequence[Event]) -> list[type]:
    return [type(event) for event in events]


def started(table: Table) -> Table:
    """Ann and Bob play at table 0, Ann to move."""
    for session in (ANN, BOB):
        table.sit(session)
    for session in (ANN, BOB):
        table.ready(session)
    table.heard.clear()
    return table


def over(table: Table) -> Table:
    """Ann and Bob have played at table 0, Ann has won."""
    for session, move in ((ANN, "2"), (BOB, "1"), (ANN, "2")):
        assert table.play(session, move) == Accepted()
    table.heard.clear()
    return table


def listed(table: Table, session: int) -> dict[int, str | None]:
    table.hear(session)
    assert table.do(ListTables(session)) == Accepted()
    (event,) = table.hear(session)
    assert isinstance(event, TablesListed)
    return {shown.number: shown.host for shown in event.tables}


# Sitting down.


def test_who_enters_by_tables_is_told_of_them() -> None:
    table = Table(GAMES, RULES)
    table.enter_by_tables(1, "ann")
    assert table.hear(1) == [TablesListed((TableShown(0, None), TableShown(1, None), TableShown(2, None)))]
    table.enter(2, "tim")
    assert table.hear(2) == []


def test_the_host_is_not_told_of_the_second(table: Table) -> None:
    assert table.sit(ANN, 1) == Accepted()
    assert table.hear(ANN) == [Seated(1, None)]
    assert table.sit(BOB, 1) == Accepted()
    assert table.hear(BOB) == [Seated(1, "ann")]
    assert table.hear(ANN) == []
    assert listed(table, CYD) == {0: None, 1: "ann", 2: None}


@pytest.mark.parametrize("number", [-1, 3, 100, 10**20])
def test_there_is_no_other_table(table: Table, number: int) -> None:
    assert table.sit(ANN, number) == Rejected(Code.NO_SUCH_TABLE, {"table": str(number), "last": "2"})


def test_tables_are_for_those_whose_protocol_knows_them(table: Table) -> None:
    """Or else somebody could sit, and look for the same game in the queue too."""
    assert table.sit(TIM) == Rejected(Code.NO_SUCH_TABLE, {"table": "0", "last": "2"})
    assert listed(table, ANN)[0] is None


def test_a_third_finds_no_place(table: Table) -> None:
    for session in (ANN, BOB):
        table.sit(session)
    assert table.sit(CYD) == Rejected(Code.TABLE_FULL, {"table": "0"})
    assert table.sit(ANN, 1) == Rejected(Code.AT_TABLE, {"table": "0"})


def test_without_the_game_there_are_no_tables() -> None:
    table = Table(catalogue(Dice()), RULES)
    table.enter_by_tables(1, "ann")
    assert table.hear(1) == [TablesListed(())]
    assert table.sit(1) == Rejected(Code.UNKNOWN_GAME, {"game": "Countdown"})


@pytest.mark.parametrize("command", [Sit(9, 0), Ready(9), Depart(9), ListTables(9)])
def test_who_has_not_entered_can_do_nothing(table: Table, command: Sit) -> None:
    assert table.do(command) == Rejected(Code.NOT_ENTERED)


@pytest.mark.parametrize("command", [Ready(ANN), Depart(ANN)])
def test_who_does_not_sit_can_do_nothing_there(table: Table, command: Ready) -> None:
    assert table.do(command) == Rejected(Code.NOT_AT_TABLE)


def test_only_who_can_be_played_is_listed(table: Table) -> None:
    table.sit(BOB)
    table.do(ListPlayers(TIM))
    (event,) = table.hear(TIM)
    assert isinstance(event, PlayersListed)
    assert [shown.name for shown in event.players if not shown.house] == ["bob", "tim", "uma"]


def test_leaving_frees_the_place(table: Table) -> None:
    table.sit(ANN, 2)
    table.sit(BOB, 2)
    table.heard.clear()
    assert table.depart(ANN) == Accepted()
    assert table.hear(ANN) == [
        Unseated(2, UnseatedWhy.LEFT, (TableShown(0, None), TableShown(1, None), TableShown(2, "bob")))
    ]
    assert table.hear(BOB) == []
    table.leave(BOB)
    assert table.lobby.tables == {}


# Starting.


def test_a_match_begins_when_both_are_ready_and_the_host_moves_first(table: Table) -> None:
    table.sit(ANN)
    table.sit(BOB)
    table.heard.clear()
    assert table.ready(BOB) == Accepted()
    assert table.ready(BOB) == Rejected(Code.READY_ALREADY, {"table": "0"})
    assert table.heard == {}
    table.ready(ANN)
    for session, seat in ((ANN, 0), (BOB, 1)):
        opened, *more = table.hear(session)
        assert opened == MatchOpened(1, "Countdown", ("ann", "bob"), seat, 0, 15_000, options=NoOptions())
        assert kinds(more) == ([TurnStarted] if session == ANN else [])
    assert listed(table, CYD) == {1: None, 2: None}
    assert table.sit(CYD) == Rejected(Code.TABLE_FULL, {"table": "0"})


def test_the_place_of_who_left_before_the_start_can_be_taken(table: Table) -> None:
    for session in (ANN, BOB):
        table.sit(session)
    table.ready(BOB)
    table.leave(ANN)
    table.sit(CYD)
    assert table.hear(CYD) == [Seated(0, "bob")]
    table.ready(CYD)
    assert table.match().players == ("bob", "cyd")


def test_two_who_do_not_start_go_back_to_the_lobby(table: Table) -> None:
    table.sit(ANN)
    table.now_ms += 500_000
    assert table.table_time_up() == Rejected(Code.STALE)
    table.sit(BOB)
    table.ready(BOB)
    table.heard.clear()
    table.now_ms += 179_999
    assert table.table_time_up() == Rejected(Code.STALE)
    table.now_ms += 1
    assert table.table_time_up() == Accepted()
    free = tuple(TableShown(number, None) for number in range(3))
    for session in (ANN, BOB):
        assert table.hear(session) == [Unseated(0, UnseatedWhy.NOT_STARTED, free)]
    assert table.lobby.tables == {}


def test_the_time_for_starting_begins_with_the_second_player(table: Table) -> None:
    table.sit(ANN)
    table.now_ms += 100_000
    table.sit(BOB)
    table.now_ms += 100_000
    table.leave(BOB)
    table.now_ms += 100_000
    assert table.table_time_up() == Rejected(Code.STALE), "somebody alone is never sent away"
    table.sit(CYD)
    assert table.lobby.tables[0].start_by_ms == table.now_ms + 180_000


# Playing.


def test_a_late_turn_is_played_by_lot_and_the_next_one_waits_a_second(table: Table) -> None:
    started(table)
    table.now_ms += 15_249
    assert table.time_up() == Rejected(Code.STALE)
    table.now_ms += 1
    assert table.time_up() == Accepted()
    for session in (ANN, BOB):
        moved, *rest = table.hear(session)
        assert isinstance(moved, MovePlayed)
        assert (moved.player, moved.by) == ("ann", By.SERVER)
        assert kinds(rest) == ([TurnStarted] if session == BOB else [])
    assert table.play(ANN, "1") == Rejected(Code.NOT_YOUR_TURN, {"player": "ann"})
    table.play(BOB, "1")
    _, turn = table.hear(ANN)
    assert isinstance(turn, TurnStarted)
    assert turn.release_ms == table.now_ms + 1_000
    assert turn.deadline_ms == turn.release_ms + 15_000, "the pause is on nobody's clock"
    table.now_ms += 999
    assert table.play(ANN, "1") == Rejected(Code.TURN_NOT_BEGUN, {"player": "ann"})
    table.now_ms += 1
    assert table.play(ANN, "1") == Accepted()
    table.hear(BOB)


def test_only_the_turn_after_the_late_one_waits() -> None:
    table = started(arrive(Table(GAMES, RULES)))
    table.now_ms += 15_250
    table.time_up()
    table.play(BOB, "1")
    table.now_ms += 1_000
    table.hear(BOB)
    table.play(ANN, "1")
    turns = [event for event in table.hear(BOB) if isinstance(event, TurnStarted)]
    assert [turn.release_ms for turn in turns] == [0] * len(turns)


def test_the_pause_between_moves_is_a_setting() -> None:
    table = started(
        arrive(Table(GAMES, Rules(first_move_pause_ms=0, table_game="Countdown", table_move_pause_ms=1000)))
    )
    assert table.match().pause_until_ms == 0, "the first turn begins at once"
    table.play(ANN, "1")
    moved, turn = table.hear(BOB)
    assert isinstance(moved, MovePlayed)
    assert moved.release_ms == 0
    assert isinstance(turn, TurnStarted)
    assert turn.release_ms == table.now_ms + 1_000
    assert turn.deadline_ms == turn.release_ms + 15_000
    assert table.play(BOB, "1") == Rejected(Code.TURN_NOT_BEGUN, {"player": "bob"})


def test_an_illegal_move_is_refused_and_the_turn_told_again(table: Table) -> None:
    started(table)
    deadline_ms = table.match().clock.deadline_ms
    table.now_ms += 5_000
    answer = table.play(ANN, "3")
    assert isinstance(answer, Rejected)
    assert answer.code is Code.ILLEGAL_MOVE
    (turn,) = table.hear(ANN)
    assert isinstance(turn, TurnStarted)
    assert turn.deadline_ms == deadline_ms
    assert table.hear(BOB) == []


def test_resigning_leaves_both_at_the_table(table: Table) -> None:
    started(table)
    assert table.resign(BOB) == Accepted()
    for session in (ANN, BOB):
        ended, _ = table.hear(session)
        assert isinstance(ended, GameEnded)
        assert (ended.winners, ended.reason, ended.by) == ((0,), EndReason.RESIGNED, 1)
    assert table.lobby.tables[0].phase is RoomPhase.BETWEEN


def test_leaving_in_play_loses(table: Table) -> None:
    started(table)
    assert table.depart(ANN) == Accepted()
    assert kinds(table.hear(ANN)) == [GameEnded, MatchEnded, Unseated]
    ended, _ = table.hear(BOB)
    assert isinstance(ended, GameEnded)
    assert (ended.winners, ended.reason) == ((1,), EndReason.RESIGNED)
    assert table.ready(BOB) == Accepted()
    (unseated,) = table.hear(BOB)
    assert isinstance(unseated, Unseated)
    assert unseated.why is UnseatedWhy.OPPONENT_LEFT
    assert listed(table, BOB) == {0: None, 1: None, 2: None}


def test_leaving_before_one_could_know_of_the_match_loses_nothing(table: Table) -> None:
    """The line crossed the other's start."""
    started(table)
    table.play(ANN, "2")
    assert table.do(Depart(BOB, match=0)) == Accepted()
    assert [record.reason for record in table.records] == [EndReason.VOID]
    assert kinds(table.hear(ANN))[-2:] == [GameEnded, MatchEnded]
    assert kinds(table.hear(BOB))[-1] is Unseated
    table.ready(ANN)
    assert kinds(table.hear(ANN)) == [Unseated]


@pytest.mark.parametrize("match", [None, 0, 1])
def test_leaving_after_an_own_move_loses_whatever_is_said(table: Table, match: int | None) -> None:
    """Or else who came back after a restart could call off what they were losing."""
    started(table)
    table.play(ANN, "2")
    table.do(Depart(ANN, match=match))
    assert [record.reason for record in table.records] == [EndReason.RESIGNED]


def test_a_lost_connection_loses(table: Table) -> None:
    started(table)
    table.leave(ANN)
    ended, _ = table.hear(BOB)
    assert isinstance(ended, GameEnded)
    assert (ended.winners, ended.reason) == ((1,), EndReason.DROPPED)
    assert table.enter_by_tables(ANN, "ann") == Accepted(), "the name is free again"


# Playing again.


def test_both_ask_for_another_game_and_the_first_mover_is_drawn() -> None:
    firsts = set()
    for boot in range(20):
        table = Table(GAMES, RULES)
        table.lobby.server[""] = table.lobby.server[""].__class__(seed=f"{boot:064x}", rules=RULES)
        over(started(arrive(table)))
        table.ready(BOB)
        assert table.heard == {}
        table.ready(ANN)
        assert isinstance(table.hear(ANN)[0], MatchOpened)
        firsts.add(table.match(2).players[0])
    assert firsts == {"ann", "bob"}


def test_who_asked_for_another_game_is_told_when_the_other_leaves(table: Table) -> None:
    over(started(table))
    table.ready(ANN)
    table.depart(BOB)
    assert [event.why for event in table.hear(ANN) if isinstance(event, Unseated)] == [UnseatedWhy.OPPONENT_LEFT]
    assert [event.why for event in table.hear(BOB) if isinstance(event, Unseated)] == [UnseatedWhy.LEFT]


def test_who_did_not_ask_is_not_told(table: Table) -> None:
    over(started(table))
    table.depart(BOB)
    assert table.hear(ANN) == []
    assert table.sit(CYD) == Rejected(Code.TABLE_FULL, {"table": "0"}), "until the table is left or its time is up"
    assert listed(table, CYD) == {1: None, 2: None}


def test_three_minutes_after_a_game_both_go_back_to_the_lobby(table: Table) -> None:
    over(started(table))
    table.ready(ANN)
    table.now_ms += 180_000
    assert table.table_time_up() == Accepted()
    for session in (ANN, BOB):
        assert [event.why for event in table.hear(session) if isinstance(event, Unseated)] == [
            UnseatedWhy.NOT_RESTARTED
        ]
    assert table.lobby.tables == {}


# Meeting somebody whose protocol knows no tables.


def test_a_seeker_is_an_open_table(table: Table) -> None:
    table.sit(CYD, 0)
    table.seek(TIM, "Countdown")
    assert listed(table, ANN) == {0: "cyd", 1: "tim", 2: None}
    table.sit(ANN, 1)
    assert table.hear(ANN) == [Seated(1, "tim")]
    assert table.hear(TIM) == []
    table.ready(ANN)
    for session, seat in ((TIM, 0), (ANN, 1)):
        assert MatchOpened(1, "Countdown", ("tim", "ann"), seat, 0, 15_000, options=NoOptions()) in table.hear(session)


def test_a_seeker_can_still_be_found_in_the_queue_and_the_other_waits_on(table: Table) -> None:
    table.seek(TIM, "Countdown")
    table.sit(ANN, 0)
    table.seek(UMA, "Countdown")
    assert set(table.match().players) == {"tim", "uma"}
    assert table.match().policies.turn_time_ms == 10_000, "the queue's terms"
    assert listed(table, CYD) == {0: "ann", 1: None, 2: None}
    table.hear(ANN)
    table.ready(ANN)
    assert table.hear(ANN) == []


def test_who_is_alone_and_ready_meets_the_next_seeker(table: Table) -> None:
    table.sit(ANN, 2)
    table.ready(ANN)
    table.heard.clear()
    table.seek(TIM, "Countdown")
    assert MatchOpened(1, "Countdown", ("ann", "tim"), 0, 0, 15_000, options=NoOptions()) in table.hear(ANN)
    assert isinstance(table.hear(TIM)[0], MatchOpened)


def test_whoever_is_ready_alone_meets_a_seeker_at_another_table(table: Table) -> None:
    table.sit(ANN, 0)
    table.seek(TIM, "Countdown")
    table.ready(ANN)
    assert table.match().players == ("ann", "tim")
    assert listed(table, CYD) == {1: None, 2: None}


def test_a_seeker_who_gives_up_is_gone_from_the_tables(table: Table) -> None:
    table.seek(TIM, "Countdown")
    table.do(Withdraw(TIM))
    assert table.lobby.tables == {}
    table.seek(TIM, "Countdown")
    table.seek(TIM, "Dice")
    assert table.lobby.tables == {}


def test_seekers_of_other_games_are_no_tables(table: Table) -> None:
    table.seek(TIM, "Dice")
    assert table.lobby.tables == {}


def test_a_seeker_gets_a_table_when_one_is_free(table: Table) -> None:
    for number, session in enumerate((ANN, BOB, CYD)):
        table.sit(session, number)
    table.seek(TIM, "Countdown")
    assert table.lobby.queues == {"Countdown": ("tim",)}
    table.leave(BOB)
    assert listed(table, ANN) == {0: "ann", 1: "tim", 2: "cyd"}


def test_a_seekers_guest_who_does_not_start_goes_back_to_the_lobby(table: Table) -> None:
    table.seek(TIM, "Countdown")
    table.sit(ANN, 0)
    table.heard.clear()
    table.now_ms += 180_000
    table.table_time_up()
    assert kinds(table.hear(ANN)) == [Unseated]
    assert table.hear(TIM) == []
    assert listed(table, ANN) == {0: "tim", 1: None, 2: None}


def test_a_challenge_takes_the_place_opposite(table: Table) -> None:
    table.sit(ANN, 1)
    table.heard.clear()
    assert table.challenge(TIM, "ann", "Countdown") == Accepted()
    assert table.hear(ANN) == []
    assert table.sit(BOB, 1) == Rejected(Code.TABLE_FULL, {"table": "1"})
    table.ready(ANN)
    assert table.match().players == ("ann", "tim")
    assert table.match().policies.turn_time_ms == 15_000, "the table's terms"


def test_a_challenge_to_who_is_ready_begins_at_once(table: Table) -> None:
    table.sit(ANN, 1)
    table.ready(ANN)
    table.challenge(TIM, "ann", "Countdown")
    assert table.match().players == ("ann", "tim")


def test_a_challenge_needs_a_free_place_and_the_right_game(table: Table) -> None:
    assert table.challenge(TIM, "ann", "Countdown") == Rejected(Code.NO_CHALLENGES, {"player": "ann"})
    table.sit(ANN)
    assert table.challenge(TIM, "ann", "Dice") == Rejected(Code.NO_CHALLENGES, {"player": "ann"})
    table.challenge(TIM, "ann", "Countdown")
    assert table.challenge(TIM, "ann", "Countdown") == Accepted(), "it is the same challenge"
    assert table.challenge(UMA, "ann", "Countdown") == Rejected(Code.TABLE_FULL, {"table": "0"})
    table.ready(ANN)
    assert table.challenge(UMA, "ann", "Countdown") == Rejected(Code.OTHER_IN_MATCH, {"player": "ann"})


def test_a_challenge_is_over_when_its_receiver_leaves_or_another_is_made(table: Table) -> None:
    table.sit(ANN)
    table.challenge(TIM, "ann", "Countdown")
    table.depart(ANN)
    assert table.lobby.tables == {}
    table.sit(ANN)
    table.challenge(TIM, "ann", "Countdown")
    table.challenge(TIM, "uma", "Dice")
    assert len(table.lobby.tables[0].places) == 1


def test_who_sits_looks_for_nobody_elsewhere(table: Table) -> None:
    table.sit(ANN)
    for answer in (table.seek(ANN, "Dice"), table.challenge(ANN, "tim", "Dice"), table.accept(ANN)):
        assert answer == Rejected(Code.AT_TABLE, {"table": "0"})


def unlike(table: Table) -> Table:
    """Tim, without tables, and Ann have played at table 0."""
    table.seek(TIM, "Countdown")
    table.sit(ANN)
    table.ready(ANN)
    table.resign(TIM)
    table.heard.clear()
    return table


def test_again_with_somebody_who_looks_for_the_game_again(table: Table) -> None:
    unlike(table)
    table.seek(TIM, "Countdown")
    table.ready(ANN)
    assert isinstance(table.hear(ANN)[0], MatchOpened)
    assert set(table.match(2).players) == {"ann", "tim"}
    assert table.match(2).table == 0


def test_not_again_with_somebody_who_does_not(table: Table) -> None:
    unlike(table)
    table.ready(ANN)
    assert kinds(table.hear(ANN)) == [Unseated]
    assert table.hear(TIM) == []


def test_who_looks_for_the_next_game_during_one_is_shown_after_it(table: Table) -> None:
    table.seek(TIM, "Countdown")
    table.sit(ANN)
    table.ready(ANN)
    table.seek(TIM, "Countdown")
    table.resign(TIM)
    assert listed(table, BOB) == {1: "tim", 2: None}


# Restarts.


def back(table: Table, address: str = "10.0.0.1") -> None:
    table.heard.clear()
    for session, name in ((ANN, "ann"), (BOB, "bob")):
        assert table.enter_by_tables(session, name, address) == Accepted()


def test_a_match_goes_on_where_it_was_step_by_step(table: Table) -> None:
    started(table)
    table.play(ANN, "2")
    table.start()
    back(table)
    assert table.hear(ANN) == [TablesListed((TableShown(0, "ann"), TableShown(1, None), TableShown(2, None)))]
    assert table.play(ANN, "1") == Rejected(Code.NOT_IN_MATCH)
    assert table.sit(ANN, 1) == Rejected(Code.TABLE_KEPT, {"table": "0"})
    for session, opponent in ((ANN, "bob"), (BOB, "ann")):
        table.hear(session)
        assert table.sit(session) == Accepted()
        assert table.hear(session) == [Seated(0, opponent)]
    table.ready(ANN)
    (shown,) = table.hear(ANN)
    assert isinstance(shown, MatchShown)
    assert [move.text for move in shown.moves] == ["2"]
    assert table.match().clock.deadline_ms is None, "the clock stands until both are back"
    table.ready(BOB)
    assert kinds(table.hear(BOB)) == [MatchShown, TurnStarted]
    assert table.play(BOB, "1") == Accepted()


def test_a_stranger_gets_neither_name_nor_place(table: Table) -> None:
    started(table)
    table.start()
    assert table.enter_by_tables(ANN, "ann", "10.9.9.9") == Rejected(Code.NAME_HELD, {"name": "ann"})
    assert table.enter_by_tables(CYD, "cyd") == Accepted()
    assert table.sit(CYD) == Rejected(Code.TABLE_FULL, {"table": "0"})


def test_places_are_kept_through_a_restart_before_the_first_move_too(table: Table) -> None:
    for session in (ANN, BOB):
        table.sit(session)
    table.ready(ANN)
    table.start()
    back(table)
    for session in (BOB, ANN):
        table.sit(session)
        table.ready(session)
    assert table.match().players == ("ann", "bob")


def test_between_games_as_well(table: Table) -> None:
    over(started(table))
    table.ready(ANN)
    table.start()
    back(table)
    for session in (BOB, ANN):
        assert table.sit(session) == Accepted()
        assert table.ready(session) == Accepted()
    assert set(table.match(2).players) == {"ann", "bob"}


def test_a_place_is_not_kept_for_ever(table: Table) -> None:
    for session in (ANN, BOB):
        table.sit(session)
    table.start()
    table.enter_by_tables(ANN, "ann")
    table.sit(ANN)
    table.now_ms += 59_999
    assert table.table_time_up() == Rejected(Code.STALE)
    table.now_ms += 1
    assert table.table_time_up() == Accepted()
    table.enter_by_tables(CYD, "cyd")
    assert table.sit(CYD) == Accepted()


def test_a_match_that_one_does_not_come_back_to_has_no_loser(table: Table) -> None:
    started(table)
    table.start()
    table.enter_by_tables(ANN, "ann")
    table.sit(ANN)
    table.now_ms += 60_000
    table.time_up()
    assert [record.reason for record in table.records] == [EndReason.VOID]
    table.hear(ANN)
    table.ready(ANN)
    assert kinds(table.hear(ANN)) == [Unseated]


def test_one_without_tables_returns_by_the_name_alone(table: Table) -> None:
    table.seek(TIM, "Countdown")
    table.sit(ANN)
    table.ready(ANN)
    table.start()
    table.heard.clear()
    table.enter(TIM, "tim")
    assert kinds(table.hear(TIM)) == [MatchShown, TurnStarted]
    table.resign(TIM)
    assert table.lobby.players["tim"].table is None


def test_who_came_as_a_guest_and_returns_by_tables_stays_at_the_table(table: Table) -> None:
    table.seek(TIM, "Countdown")
    table.sit(ANN)
    table.ready(ANN)
    table.start()
    for session, name in ((ANN, "ann"), (TIM, "tim")):
        table.enter_by_tables(session, name)
        assert table.sit(session) == Accepted()
        table.ready(session)
    table.resign(TIM)
    for session in (ANN, TIM):
        assert table.ready(session) == Accepted()
    assert set(table.match(2).players) == {"ann", "tim"}


def test_a_place_is_kept_where_there_are_fewer_tables_after_the_restart(table: Table) -> None:
    for session in (ANN, BOB):
        table.sit(session, 2)
        table.ready(session)
    table.rules = attrs.evolve(RULES, tables=1)
    table.start()
    back(table)
    assert table.hear(ANN) == [TablesListed((TableShown(0, None), TableShown(2, "ann")))]
    assert table.sit(CYD, 1) == Rejected(Code.NOT_ENTERED)
    assert table.sit(ANN, 2) == Accepted()
    assert table.ready(ANN) == Accepted()
    table.resign(ANN)
    table.depart(ANN)
    assert table.sit(ANN, 2) == Rejected(Code.NO_SUCH_TABLE, {"table": "2", "last": "0"})


def test_a_seat_of_a_queues_match_is_not_taken_back_by_tables(table: Table) -> None:
    table.seek(TIM, "Dice")
    table.seek(UMA, "Dice")
    table.start()
    assert table.enter_by_tables(1, "tim") == Rejected(Code.NAME_HELD, {"name": "tim"})


def test_with_time_to_come_back_a_drop_loses_nothing() -> None:
    table = started(arrive(Table(GAMES, Rules(table_game="Countdown", first_move_pause_ms=0, drop_grace_ms=20_000))))
    table.leave(ANN)
    table.now_ms += 10_000
    table.do(Enter(9, "ann", "connect-four", "10.0.0.1", (Capability.ROOMS,)))
    table.sit(9)
    table.heard.clear()
    table.ready(9)
    assert kinds(table.hear(9)) == [MatchShown, TurnStarted]
    assert table.play(9, "1") == Accepted()


# A broken game, and the table of the state machine.


def test_a_game_that_cannot_begin_leaves_nobody_waiting() -> None:
    table = arrive(Table(GAMES, Rules(table_game="Broken-start", tables=3)))
    for session in (ANN, BOB):
        table.sit(session)
        table.ready(session)
    for session in (ANN, BOB):
        assert kinds(table.hear(session)) == [Seated, Unseated]
    assert table.lobby.tables == {}


STAGES = {
    RoomPhase.GATHERING: lambda table: table.sit(ANN),
    RoomPhase.READYING: lambda table: (table.sit(ANN), table.sit(BOB)),
    RoomPhase.PLAYING: started,
    RoomPhase.BETWEEN: lambda table: over(started(table)),
}
"""`KEPT` needs a tournament: `test_tournaments` has it."""


@pytest.mark.parametrize("phase", STAGES)
@pytest.mark.parametrize("command", [Sit(CYD, 0), Sit(ANN, 0), Ready(ANN), Depart(ANN), Resign(ANN), TableTimeUp(0)])
def test_every_command_has_an_answer_in_every_phase(table: Table, phase: RoomPhase, command: Sit) -> None:
    STAGES[phase](table)
    assert table.lobby.tables[0].phase is phase
    table.now_ms += 1_000_000
    answer = table.do(command)
    due = phase in {RoomPhase.READYING, RoomPhase.BETWEEN}
    allowed = {
        Sit(CYD, 0): phase is RoomPhase.GATHERING,
        Ready(ANN): phase is not RoomPhase.PLAYING,
        Depart(ANN): True,
        Resign(ANN): phase is RoomPhase.PLAYING,
        TableTimeUp(0): due,
    }
    assert (answer == Accepted()) is allowed.get(command, False)


def test_the_table_of_transitions_is_whole() -> None:
    assert set(TRANSITIONS) == set(core.RoomPhase)


def test_who_sits_elsewhere_after_a_restart_is_not_who_a_kept_place_waits_for(table: Table) -> None:
    table.enter_by_tables(1, "ann")
    table.sit(1, 0)
    table.start()
    table.enter_by_tables(2, "ann")
    assert table.lobby.awaited(("tables", 0)) == ()
    table.sit(2, 1)
    assert table.lobby.awaited(("tables", 0)) == ()
    assert table.lobby.awaited(("tables", 1)) == (2,)


def test_who_sits_elsewhere_after_a_restart_keeps_nobody_waiting_at_the_old_place(table: Table) -> None:
    for session in (ANN, BOB):
        table.sit(session)
    table.start()
    back(table)
    table.sit(BOB)
    table.sit(ANN, 1)
    assert [place.player for place in table.lobby.tables[0].places] == ["bob"]
    assert [place.player for place in table.lobby.tables[1].places] == ["ann"]
    table.enter_by_tables(CYD, "cyd")
    assert table.sit(CYD) == Accepted()
    for session in (BOB, CYD):
        table.ready(session)
    assert table.match().players == ("bob", "cyd")


def test_an_empty_old_place_is_free_at_once(table: Table) -> None:
    table.sit(ANN)
    table.start()
    back(table)
    table.sit(ANN, 1)
    assert set(table.lobby.tables) == {1}


def test_a_stranger_who_sits_elsewhere_frees_nobodys_place(table: Table) -> None:
    table.sit(ANN)
    table.start()
    table.enter_by_tables(ANN, "ann", "10.9.9.9")
    table.sit(ANN, 1)
    assert set(table.lobby.tables) == {0, 1}
