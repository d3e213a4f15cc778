"""The time left comes from the player who has the most to play, not from the mean of all."""

from collections.abc import Collection, Mapping

import pytest

from gameserver.tournaments.act_table import apply
from gameserver.tournaments.model import (
    Begin,
    PairingStatus,
    RegisterEntrant,
    Report,
    StartTournament,
    Timing,
    Tournament,
    Verdict,
)
from gameserver.tournaments.plan import Format
from gameserver.tournaments.planner import next_pairings
from gameserver.tournaments.presets import preset
from gameserver.tournaments.progress import left_ms
from tests.tournaments.playing import SEED, started

MINUTE_MS = 60_000


def announced(tournament: Tournament, free: Collection[str] = ()) -> Tournament:
    names = [entrant.name for entrant in tournament.active]
    pairings = next_pairings(tournament, free or names, 0)
    return tournament if pairings is None else apply(tournament, pairings)


def played(tournament: Tournament, *numbers: int) -> Tournament:
    """Begins these pairings, or all that are open, and has their first players win."""
    for pairing in tournament.open:
        if not numbers or pairing.number in numbers:
            if pairing.match is None:
                tournament = apply(tournament, Begin(pairing.number, pairing.number))
            tournament = apply(tournament, Report(pairing.number, pairing.number, Verdict.FIRST))
    return tournament


def timing(tournament: Tournament, game_ms: int = MINUTE_MS, **more: Mapping[int, int]) -> Timing:
    """Every game that is over took so long, and all of them together a minute."""
    over = (pairing.number for pairing in tournament.pairings if pairing.status is PairingStatus.DONE)
    return Timing(MINUTE_MS, MINUTE_MS, dict.fromkeys(over, game_ms) | more.get("took_ms", {}), more.get("open_ms", {}))


def one_slow_player() -> Tournament:
    """A league of six: p01 has met one of the others and plays the second; those who can have met each other."""
    tournament = played(announced(started(preset("hanze", "Cup", "Reversi", pause_ms=0), 6)))
    for _ in range(10):
        fast = [pairing.number for pairing in announced(tournament).open if "p01" not in pairing.seats]
        tournament = played(announced(tournament), *fast) if fast else tournament
    assert sum("p01" in pairing.seats for pairing in tournament.pairings) == 2
    assert len(tournament.pairings) == 9
    return tournament


def test_a_game_that_lasts_longer_than_others_goes_on_for_half_as_long_again() -> None:
    tournament = announced(started(preset("hanze", "Cup", "Reversi", pause_ms=0), 4))
    tournament = apply(played(tournament, 1), Begin(2, 2))
    told_ms = left_ms(tournament, timing(tournament, 10_000, open_ms={2: MINUTE_MS}))
    assert told_ms == 2.5 * MINUTE_MS, "and the others of its players last as long"


@pytest.mark.parametrize(
    ("plan_format", "minutes"), [(Format.SWISS, 2), (Format.KNOCKOUT, 2), (Format.DOUBLE_ELIMINATION, 5.5)]
)
def test_rounds_to_come_are_played_one_after_the_other(plan_format: Format, minutes: float) -> None:
    changes = {"format": plan_format, "games": 1, "third_place": True} if plan_format is not Format.SWISS else {}
    plan = preset("cup" if changes else "swiss", "Cup", "Reversi", **({"games": 1, "rounds": 3} | changes), pause_ms=0)
    tournament = played(announced(started(plan, 8)))
    assert left_ms(tournament, timing(tournament)) == minutes * MINUTE_MS, "four games took a minute"


def test_the_last_game_of_a_round_is_part_of_the_chain() -> None:
    tournament = announced(started(preset("swiss", "Cup", "Reversi", games=1, rounds=3, pause_ms=0), 8))
    tournament = played(tournament, 1, 2, 3)
    assert left_ms(tournament, timing(tournament)) == 3 * MINUTE_MS


def test_house_players_make_no_chain() -> None:
    tournament = Tournament(preset("hanze", "Cup", "Reversi", pause_ms=0), SEED)
    for name in ("house-a", "house-b", "house-c", "ann"):
        tournament = apply(tournament, RegisterEntrant(name, house=name != "ann"))
    tournament = apply(tournament, StartTournament(0))
    for _ in range(3):
        tournament = announced(tournament)
        tournament = played(tournament, *(one.number for one in tournament.open if "ann" in one.seats))
    assert len(tournament.open) == 3
    assert left_ms(tournament, timing(tournament)) == MINUTE_MS, "three games of six, which the house still plays"


def test_one_slow_player_sets_the_pace() -> None:
    tournament = one_slow_player()
    slow = next(one.number for one in tournament.pairings if "p01" in one.seats)
    told_ms = left_ms(tournament, timing(tournament, 7_000, took_ms={slow: MINUTE_MS}))
    assert told_ms == pytest.approx(4 * MINUTE_MS, rel=0.05), "the mean of eight games would say 52 s"
