"""A tournament on record is shown as it ended, long after the lobby has forgotten it."""

import pytest
from attrs import evolve

from gameserver.cli.records import open_records
from gameserver.core.commands import EntryMode
from gameserver.core.lobby import TournamentRow
from gameserver.exports.tournament_report import EXPORTS, view_of
from gameserver.journal.journal import Journal
from gameserver.records.tournament_record import record_of_tournament, row_of
from gameserver.tournaments.act_table import apply
from gameserver.tournaments.files import FileOptions
from gameserver.tournaments.model import CLOSED, Cancel, RegisterEntrant, Tournament, WithdrawEntrant
from gameserver.tournaments.presets import PRESETS, preset
from tests.support.journals import open_journal
from tests.tournaments.playing import SHORT, World, entered, started

TIMES = {"created_wall_ms": 1_764_000_000_123, "started_wall_ms": 1_764_000_060_000, "ended_wall_ms": 1_764_000_990_000}


def plan_of(which: str, **changes: object):
    return preset(which, "Cup", "Reversi", **SHORT.get(which, {}) | changes)


def keep(journal: Journal, states: list[Tournament], number: int = 3) -> TournamentRow:
    """Put a tournament on record as it comes along, state by state."""
    before, entry = None, EntryMode.ROSTER
    for state in states:
        row = TournamentRow(number, state, entry, **TIMES, is_seed_told=state.phase in CLOSED)
        record = record_of_tournament(before, row)
        if record is not None:
            journal.append([], [record])
        before = row
    return before


def played(which: str) -> list[Tournament]:
    """A tournament with drops, no-shows and voids in it, at every step."""
    return to_the_end(World(started(plan_of(which), 9), 11, faults=0.2))


def to_the_end(world: World) -> list[Tournament]:
    states = [world.tournament]
    while world.tournament.phase.value != "over":
        world.tick()
        states.append(world.tournament)
    return states


@pytest.mark.parametrize("which", PRESETS)
def test_every_format_comes_back_whole(journal: Journal, which: str) -> None:
    row = keep(journal, played(which))
    found = row_of(journal.reader().tournament(3))
    assert found == row
    assert view_of(found) == view_of(row)
    options = FileOptions({"p01": "s1001"})
    for kind, file in EXPORTS.items():
        assert file.make(found, 0, options) == file.make(row, 0, options), kind


def test_a_restored_one_is_recorded_again_as_it_was(journal: Journal) -> None:
    states = played("hanze")
    keep(journal, states)
    before = journal.reader().tournament(3)
    command = journal.reader().restoring(3)
    assert (command.state, command.entry) == (states[-1], EntryMode.ROSTER)
    keep(journal, [command.state])
    assert journal.reader().tournament(3) == before
    assert journal.reader().restoring(4) is None


def test_the_time_left_of_a_stopped_arena_is_on_record(journal: Journal) -> None:
    arena = started(plan_of("arena"), 4)
    row = keep(journal, [arena, apply(arena, Cancel("Ms Reed", "fire", 10_000))])
    record = journal.reader().tournament(3)
    assert row.state.left_ms == 10_000
    assert row_of(record) == row


def test_one_that_never_began_keeps_the_order_of_its_entrants(journal: Journal) -> None:
    states = [entered(plan_of("hanze"), 0)]
    for name in ("zed", "ann", "mia"):
        states.append(apply(states[-1], RegisterEntrant(name)))
    states.append(apply(states[-1], Cancel("Ms Reed", "fire")))
    row = keep(journal, states)
    assert row_of(journal.reader().tournament(3)) == row


@pytest.mark.parametrize("same_chance", [True, False])
def test_the_conditions_of_every_pair_are_on_record(kept_in: str, *, same_chance: bool) -> None:
    journal = open_journal(kept_in)
    states = to_the_end(World(started(plan_of("league", same_chance=same_chance), 3), 1))
    number, other = (one.number for one in states[-1].pairings if one.pair == ("p01", "p02"))
    alone = next(one.number for one in states[-1].pairings if one.number not in {number, other})
    for began_together in (number, other, alone):
        pairing = evolve(states[-1].pairings[began_together - 1], side_by_side=True)
        states.append(states[-1].with_pairing(pairing))
    keep(journal, states)
    record = journal.reader().tournament(3)
    assert [one.number for one in record.pairings if one.side_by_side] == sorted([number, other, alone])
    with open_records(kept_in) as connection:
        query = "SELECT pairing, other_pairing, same_dice, side_by_side FROM pair_of_games"
        pairs = {first: tuple(rest) for first, *rest in connection.execute(query)}
    assert len(pairs) == 3
    assert pairs.pop(number) == (other, same_chance, 1)
    replayed = "one of them began later: the game that it is a replay of had begun together with the other"
    assert {conditions[1:] for conditions in pairs.values()} == {(same_chance, 0)}, replayed
    journal.close()


def test_they_are_listed_page_by_page(journal: Journal) -> None:
    for number in range(1, 6):
        which = {3: "swiss", 4: "arena"}.get(number, "hanze")
        keep(journal, played("cup") if number == 2 else [entered(plan_of(which), 2)], number)
    reader = journal.reader()
    assert [one.number for one in reader.tournaments()] == [5, 4, 3, 2, 1]
    assert [one.number for one in reader.tournaments(before=4, count=2)] == [3, 2]
    (cup,) = [one for one in reader.tournaments() if one.number == 2]
    whole = reader.tournament(2)
    assert cup == evolve(cup, phase="over", players=len(whole.entrants), playing=0)
    assert cup.done == sum(pairing.status.value == "done" for pairing in whole.pairings) > 0
    assert [one.number for one in reader.tournaments() if one.has_rounds] == [3]
    match = next(one.match for one in whole.pairings if one.match is not None)
    assert reader.match_title(whole.tournament, match) == ("Cup", "Round of 16, game 1, best of 3")
    assert reader.match_title(99, match) == ("", "")


@pytest.mark.parametrize("number", [0, -1, 9, 1 << 63, 1 << 80])
def test_there_is_none_of_this_number(journal: Journal, number: int) -> None:
    assert journal.reader().tournament(number) is None


def test_lists_have_events_only(journal: Journal) -> None:
    keep(journal, [entered(plan_of("hanze"), 2)], 1)
    keep(journal, [entered(plan_of("hanze", event=False), 2)], 2)
    reader = journal.reader()
    assert [one.number for one in reader.tournaments()] == [1]
    assert [one.number for one in reader.tournaments(player="p01")] == [1]
    assert not row_of(reader.tournament(2)).state.plan.event


def test_record_has_no_entrants_if_the_last_left_before_the_start(journal: Journal) -> None:
    one = entered(plan_of("hanze"), 1)
    row = keep(journal, [one, apply(one, WithdrawEntrant("p01"))])
    found = row_of(journal.reader().tournament(3))
    assert found.state.seed != row.state.seed, "it is not over"
    assert evolve(found, state=evolve(found.state, seed=row.state.seed)) == row
    assert row.state.entrants == ()
