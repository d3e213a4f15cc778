"""Explanations from the record: of a loss, as `explanations.txt` has them, and of a tournament's pairing."""

from operator import attrgetter
from pathlib import Path

import pytest
from attrs import evolve

from gameserver.core.lobby import TournamentRow
from gameserver.records.explanations import blame, explain_pairing, explanation
from gameserver.records.tournament_record import record_of_tournament
from gameserver.tournaments.presets import preset
from tests.core.conversing import Conversation, conversations
from tests.support.games import Countdown, catalogue
from tests.support.lobbies import LobbyHarness
from tests.tournaments.playing import World, started

CONVERSATIONS = list(conversations(Path(__file__).with_name("explanations.txt").read_text("utf-8")))


@pytest.mark.parametrize("conversation", CONVERSATIONS, ids=attrgetter("title"))
def test_it_goes_as_written(conversation: Conversation) -> None:
    conversation.perform()


def test_the_network_is_measured_for_the_teacher() -> None:
    harness = LobbyHarness(catalogue(Countdown()))
    _, mover, _ = harness.opened()
    harness.leave(mover)
    (record,) = harness.records
    seats = tuple(
        evolve(seat, round_trip_us=1_240, round_trip_deviation_us=90, segments_resent=2) for seat in record.seats
    )
    measured = evolve(record, seats=seats)
    assert "took 1.2 ms ± 0.1 at the end, 2 segments were retransmitted" in "\n".join(blame(measured))
    assert "ms ±" not in "\n".join(explanation(measured)), "nobody else's business"


@pytest.mark.parametrize(("which", "where"), [("swiss", ", round 1"), ("arena", ""), ("cup", ", Semi-final")])
def test_the_round_is_named_where_there_is_one(which: str, where: str) -> None:
    world = World(started(preset(which, "Cup", "Reversi"), 4), 3)
    world.pair()
    (line, *_) = explain_pairing(record_of_tournament(None, TournamentRow(1, world.tournament)), 1, ())
    first, second = world.tournament.pairings[0].seats
    assert line.startswith(f"pairing 1 of Cup (tournament 1){where}: {first} - {second}, ")
