"""Explanations from the record: of a loss, by rule, times, server and network; and of a tournament's pairing."""

import pytest
from attrs import evolve

from gameserver.core.commands import Play, Void
from gameserver.core.lobby import TournamentRow
from gameserver.policies import Rules
from gameserver.records.explanations import blame, explain_pairing, explanation
from gameserver.records.match_record import MatchRecord
from gameserver.records.tournament_record import record_of_tournament
from gameserver.time_control import TimeControl
from gameserver.tournaments.presets import preset
from tests.support.games import BestOf, Countdown, catalogue
from tests.support.lobbies import LobbyHarness
from tests.tournaments.playing import World, started

GAMES = catalogue(Countdown(), BestOf())


@pytest.fixture
def harness() -> LobbyHarness:
    return LobbyHarness(GAMES, Rules(first_move_pause_ms=0, room_game="Countdown"))


def record_of(harness: LobbyHarness) -> MatchRecord:
    (record,) = harness.records
    return record


def text_of(harness: LobbyHarness) -> str:
    return "\n".join(blame(record_of(harness)))


def test_a_move_that_was_read_too_late(harness: LobbyHarness) -> None:
    _, mover, _ = harness.opened()
    harness.play(mover, "1")
    began_ms = harness.now_ms
    harness.now_ms += 10_300
    other = 3 - mover
    harness.do(Play(other, "1"), stamp_ms=began_ms + 10_281)
    lapse = record_of(harness).games[0].lapse
    assert (lapse.began_ms, lapse.deadline_ms, lapse.read_ms, lapse.decided_ms) == (0, 10_000, 10_281, 10_300)
    loser = record_of(harness).seats[record_of(harness).games[0].by or 0].player
    told = text_of(harness)
    assert f"{loser} lost on time" in told
    assert "of 10 s began at +0.000 s, its deadline was at +10.000 s" in told
    assert "a move was read at +10.281 s, 31 ms too late" in told
    assert "the server stood still for 0 ms" in told


def test_no_move_at_all(harness: LobbyHarness) -> None:
    harness.opened()
    harness.now_ms += 10_251
    harness.time_up()
    assert "a move counted until +10.250 s" in text_of(harness)
    assert "no move had been read by +10.251 s" in text_of(harness)


@pytest.mark.parametrize(
    ("clock", "thinks_ms", "began", "told_of_it"),
    [
        ("1m+2s, turn 60s", (55_000, 4_000), 61, "used 55 s of the bank of 1m+2s on move 1, 7 s were left for 2 turns"),
        ("150s", (91_000, 40_000), 133, "used 2:11 of the bank of 150s on moves 1-3, 19 s were left for 1 turn"),
    ],
)
def test_bank_that_is_used_up(clock: str, thinks_ms: tuple[int, int], began: int, told_of_it: str) -> None:
    rules = Rules(first_move_pause_ms=0, clock=TimeControl.read(clock))
    harness = LobbyHarness(GAMES, rules)
    _, mover, other = harness.opened()
    for think_ms in thinks_ms:
        harness.now_ms += think_ms
        harness.play(mover, "1")
        harness.now_ms += 1_000
        harness.play(other, "1")
    harness.now_ms += 20_000
    harness.time_up()
    told = text_of(harness)
    assert f"began at +{began}.000 s, the bank was used up at +" in told
    assert told_of_it in told
    assert "rule: the bank is for all turns of a player together" in told


def test_bank_that_is_used_up_on_the_first_turn() -> None:
    harness = LobbyHarness(GAMES, Rules(first_move_pause_ms=0, clock=TimeControl.read("2s")))
    harness.opened()
    harness.now_ms += 2_251
    harness.time_up()
    assert "used up the bank of 2s on the first turn" in text_of(harness)


def test_an_illegal_move(harness: LobbyHarness) -> None:
    _, mover, _ = harness.opened()
    harness.play(mover, "1")
    harness.play(3 - mover, "9")
    told = text_of(harness)
    assert "lost by an illegal move" in told
    assert "'9': " in told
    assert "the move before it, '1', was decided at +0.000 s" in told


def test_an_illegal_move_right_after_a_restart(harness: LobbyHarness) -> None:
    match, mover, other = harness.opened()
    harness.play(mover, "1")
    harness.play(other, "1")
    harness.start()
    for session, seat in ((11, 0), (12, 1)):
        harness.enter(session, match.players[seat])
    harness.play(11, "9")
    told = text_of(harness)
    assert "  the first own move after a restart of the server, '9': " in told
    assert "all moves are told again, also the player's own" in told


def test_a_lost_connection_and_the_network(harness: LobbyHarness) -> None:
    _, mover, _ = harness.opened()
    harness.leave(mover)
    record = record_of(harness)
    assert "lost because the connection broke" in text_of(harness)
    assert "was not measured" in text_of(harness)
    seats = tuple(
        evolve(seat, round_trip_us=1_240, round_trip_deviation_us=90, segments_resent=2) for seat in record.seats
    )
    told = "\n".join(blame(evolve(record, seats=seats, why="x")))
    assert "ms ±" not in "\n".join(explanation(evolve(record, seats=seats))), "nobody else's business"
    assert "lost because the connection broke" in "\n".join(explanation(record))
    assert "took 1.2 ms ± 0.1 at the end, 2 segments were retransmitted" in told


def test_nobody_is_to_blame(harness: LobbyHarness) -> None:
    match, *_ = harness.opened()
    harness.do(Void(match.id, "the power failed"))
    assert "nobody lost, the match is void: the power failed" in text_of(harness)
    assert "nobody lost, the match is void: the power failed" in explanation(record_of(harness))


def test_a_move_that_the_server_made(harness: LobbyHarness) -> None:
    for session, name in ((1, "ann"), (2, "bob")):
        harness.enter_by_rooms(session, name)
        harness.sit(session)
    for session in (1, 2):
        harness.ready(session)
    harness.now_ms += 15_251
    harness.time_up()
    late = harness.match().moves[0].seat
    harness.resign(1)
    who = record_of(harness).seats[late].player
    assert any(f"in the place of {who}" in line for line in explanation(record_of(harness)))
    assert f"was made at +15.251 s in the place of {who}, who was late" in text_of(harness)


def test_each_game_of_a_match(harness: LobbyHarness) -> None:
    """The games of a series have results of their own, and the match has another."""
    harness.opened("Best-of")
    for _ in range(20):
        if 1 not in harness.lobby.matches:
            break
        seat = harness.match().turn.seats[0]
        name = harness.match().seats[seat].player
        harness.play({"ann": 1, "bob": 2}[name], "1")
    record = record_of(harness)
    assert [game.number for game in record.games] == list(range(1, len(record.games) + 1))
    assert len(record.games) > 1
    assert text_of(harness).count("was played to its end") == len(record.games)
    assert explanation(record) == ()
    assert {move.game for move in record.moves} == {game.number for game in record.games}


@pytest.mark.parametrize(("which", "where"), [("swiss", ", round 1"), ("arena", ""), ("cup", ", Semi-final")])
def test_the_round_is_named_where_there_is_one(which: str, where: str) -> None:
    world = World(started(preset(which, "Cup", "Reversi"), 4), 3)
    world.pair()
    (line, *_) = explain_pairing(record_of_tournament(None, TournamentRow(1, world.tournament)), 1, ())
    first, second = world.tournament.pairings[0].seats
    assert line.startswith(f"pairing 1 of Cup (tournament 1){where}: {first} - {second}, ")
