"""The parts of a record."""

from datetime import UTC, datetime

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from gameserver.chance import commitment
from gameserver.core.lobby import TournamentRow
from gameserver.core.match import MatchChance
from gameserver.journal.journal import Journal
from gameserver.records.match_record import DrawRecord, EpochRecord, MoveRecord, time_of_day
from gameserver.records.tournament_record import record_of_tournament
from gameserver.tournaments.act_table import apply
from gameserver.tournaments.model import Cancel
from gameserver.values import evolved
from tests.exports.matches import played
from tests.records.test_tournament_record import plan_of
from tests.tournaments.playing import entered

LATEST_MS = 253_402_300_799_999
"""The end of the year 9999."""


@given(st.integers(0, LATEST_MS))
def test_a_time_of_day_is_written_as_the_standard_library_writes_it(wall_ms: int) -> None:
    seconds, ms = divmod(wall_ms, 1000)
    plain = datetime.fromtimestamp(seconds, UTC).replace(microsecond=1000 * ms)
    assert time_of_day(wall_ms) == plain.isoformat(timespec="milliseconds")


def test_chance_comes_back_whole_and_the_secret_of_a_pair_with_its_tournament(journal: Journal) -> None:
    cup = entered(plan_of("league"), 2)
    chance = MatchChance(cup.seed, "both|0|0|p01|p02", (("Åsa", "2a00ff"),))
    own = MatchChance("ab" * 32, "2", ())
    facts = [
        {"match": number, "key": key, "contributions": of.contributions, "chance_key": of.key}
        | {"seed_commitment": commitment(of.seed), "commitment": of.commitment}
        for number, key, of in ((1, "", chance), (2, own.secret, own))
    ]
    moves = (MoveRecord(1, None, "3 5", "chance", 0, 0, sides=6), MoveRecord(2, 0, "7", "server", 5, 0, sides=9, lot=7))
    one = evolved(played("Reversi"), tournament=3, moves=moves, seat_lots=(2,), rated=False)
    records = [evolved(one, **each) for each in facts]
    journal.append([], [*records, record_of_tournament(None, TournamentRow(3, cup))])
    assert list(journal.read_records()) == records
    assert journal.reader().match(1).draws == (
        *(DrawRecord("seats", 0, 2, 2), DrawRecord("draw", 0, 6, 3), DrawRecord("draw", 1, 6, 5)),
        DrawRecord("late", 0, 9, 7),
    )
    over = TournamentRow(3, apply(cup, Cancel("Ms Reed", "fire")), is_seed_told=True)
    journal.append([], [record_of_tournament(TournamentRow(3, cup), over)])
    assert [record.key for record in journal.read_records()] == [chance.secret, own.secret]


def test_epochs_are_told_once(journal: Journal) -> None:
    begun = EpochRecord("ab" * 32, 1, 1, None, "2026-09-21T14:13:20.500+00:00")
    told = evolve(begun, last_match=7, seed="cd" * 32, told_at="2026-09-22T14:13:20.500+00:00")
    following = EpochRecord("ef" * 32, 2, 8, None, "2026-09-22T14:13:20.500+00:00")
    journal.append([], [begun])
    assert journal.reader().epochs() == (begun,)
    journal.append([], [told, following])
    assert journal.reader().epochs() == (following, told)
