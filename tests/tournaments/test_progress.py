"""The stakes of each player, and the time left, which comes from the player who has the most to play."""

import random
from collections.abc import Iterator, Mapping
from itertools import pairwise

import pytest
from attrs import evolve

from gameserver.cli.rehearse import rehearse
from gameserver.core.lobby import TournamentRow
from gameserver.tournaments import knockout
from gameserver.tournaments.act_table import apply
from gameserver.tournaments.history import History
from gameserver.tournaments.model import (
    Begin,
    Cancel,
    PairingStatus,
    Pause,
    RegisterEntrant,
    Report,
    StartTournament,
    Timing,
    Tournament,
    TournamentPhase,
    Verdict,
    WithdrawEntrant,
)
from gameserver.tournaments.plan import Format
from gameserver.tournaments.presets import preset
from gameserver.tournaments.progress import (
    AT_RISK,
    CHASING,
    IN,
    LAST,
    OUT,
    bracket_chances,
    left_ms,
    podium_race,
    still_to_play,
)
from gameserver.tournaments.standings import StandingsRow, standings
from gameserver.tournaments.view import tournament_view
from tests.support.games import Countdown, catalogue
from tests.tournaments.playing import SEED, World, announced, decided, entered, finished, started

LEAGUE = preset("league", "League", "Reversi", cycles=1)
SWISS = preset("swiss", "Swiss", "Reversi")
MINUTE_MS = 60_000


def race(points: str, tournament: Tournament) -> str:
    """The race by players with these points (in units; a win is 2), the first first: `!` at risk, `+` chasing."""
    rows = standings(tournament)
    given = [int(one) for one in points.split()]
    shown = [
        evolve(row, rank=at, units=units, played=4)
        for at, (row, units) in enumerate(zip(rows, given, strict=True), start=1)
    ]
    return marks(podium_race(tournament, shown), shown)


def marks(found, rows: list[StandingsRow]) -> str:
    return "".join({AT_RISK: "!", CHASING: "+"}.get(found.get(row.name, ""), ".") for row in rows)


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ("10 8 6 4 3 2", "..!+.."),
        ("10 8 6 5 4 2", "..!++."),
        ("10 7 6 5 4 2", ".!!++."),
        ("10 8 6 3 3 2", "......"),
        ("4 4 4 4 4 4", "!!!+++"),
    ],
)
def test_one_win_behind_is_a_risk(points: str, expected: str) -> None:
    assert race(points, started(LEAGUE, 6)) == expected


def test_player_without_a_game_left_chases_nobody() -> None:
    world = World(started(LEAGUE, 6), 1)
    while world.tournament.round < 1 or len(still_to_play(world.tournament)) == 6:
        world.tick()
    done = {row.name for row in standings(world.tournament)} - still_to_play(world.tournament)
    for name in done:
        assert all(name not in one.seats for one in world.tournament.open)
    rows = standings(world.tournament)
    level = [evolve(row, rank=at, units=4, played=4) for at, row in enumerate(rows, start=1)]
    chasing = {name for name, chance in podium_race(world.tournament, level).items() if chance == CHASING}
    assert chasing == {row.name for row in level[3:]} - done


@pytest.mark.parametrize("plan", [LEAGUE, SWISS], ids=["league", "swiss"])
def test_players_still_to_play_are_told_until_the_last_game(plan) -> None:
    world = World(started(plan, 7), 4)
    found: list[frozenset[str]] = []
    while world.tournament.phase is TournamentPhase.RUNNING:
        found.append(still_to_play(world.tournament))
        world.tick()
    assert len(found[0]) == 7
    assert found[-1], "a game was to come"
    assert still_to_play(evolve(world.tournament, phase=TournamentPhase.RUNNING)) == frozenset()


def test_there_is_no_race_before_the_first_game_or_after_the_last() -> None:
    for tournament in (entered(LEAGUE, 6), started(LEAGUE, 6), finished(LEAGUE, 6)):
        assert podium_race(tournament, standings(tournament)) == {}
    cancelled = apply(started(LEAGUE, 6), Cancel("Ms Reed"))
    assert race("4 4 4 4 4 4", cancelled) == "......"
    assert race("4 4 4 4 4 4", apply(started(LEAGUE, 6), Pause(0))) == "!!!+++"


def test_a_player_who_has_left_chases_nobody() -> None:
    tournament = started(LEAGUE, 6)
    last = standings(tournament)[-1].name
    left = apply(tournament, WithdrawEntrant(last))
    assert last not in still_to_play(left)


def chances(tournament: Tournament) -> dict[str, str]:
    return dict(bracket_chances(tournament, knockout.nodes_now(History.of(tournament))))


def decide(world: World) -> None:
    world.pair()
    for pairing in world.playing:
        world.do(Report(pairing.number, pairing.match, Verdict.FIRST))


def test_in_a_knockout_the_first_loss_is_the_last() -> None:
    world = World(started(preset("cup", "Cup", "Reversi", games=1, third_place=False), 8), 1)
    assert set(chances(world.tournament).values()) == {IN}
    decide(world)
    found = chances(world.tournament)
    assert sorted(found.values()) == [IN] * 4 + [OUT] * 4
    assert chances(finished(preset("cup", "Cup", "Reversi"), 8)) == {}


def test_in_a_double_elimination_the_second_loss_is_the_last() -> None:
    world = World(started(preset("cup", "Cup", "Reversi", format="double-elimination", games=1), 8), 1)
    decide(world)
    assert sorted(chances(world.tournament).values()) == [IN] * 4 + [LAST] * 4
    decide(world)
    found = chances(world.tournament)
    assert sorted(found.values()) == [IN] * 2 + [LAST] * 4 + [OUT] * 2


def test_without_a_loss_a_player_stands_no_lower_than_those_who_have_one() -> None:
    """A bye in the losers' part once put a player who had lost above all who had not."""
    world = World(started(preset("cup", "Cup", "Reversi", format="double-elimination", games=1), 24), 2)
    decide(world)
    view = tournament_view(world.tournament)
    unbeaten = [line.rank for line in view.standings if line.chances == IN]
    beaten = [line.rank for line in view.standings if line.chances == LAST]
    assert max(unbeaten) <= min(beaten)


def played(tournament: Tournament, *numbers: int) -> Tournament:
    """Begins these pairings, or all that are open, and has their first players win."""
    for pairing in tournament.open:
        if not numbers or pairing.number in numbers:
            tournament = decided(tournament, pairing.number)
    return tournament


def timing(tournament: Tournament, game_ms: int = MINUTE_MS, **more: Mapping[int, int]) -> Timing:
    """Every game that is over took so long, and all of them together a minute."""
    over = (pairing.number for pairing in tournament.pairings if pairing.status is PairingStatus.DONE)
    took_ms = dict.fromkeys(over, game_ms) | more.pop("took_ms", {})
    return Timing(MINUTE_MS, MINUTE_MS, took_ms, **more)


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
    banks = timing(tournament, 10_000, open_ms={2: MINUTE_MS}, rest_max_ms={2: 10_000})
    assert left_ms(tournament, banks) == 2 * MINUTE_MS + 10_000


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


NEVER = 0
"""The time at which a player leaves who never comes."""

# Preset and changes, players, mean think time, and when which player leaves.
EVENTS = {
    "round robin, one never comes": ("hanze", {}, 10, 500, {3: NEVER}),
    "round robin, two never come": ("hanze", {}, 12, 500, {3: NEVER, 8: NEVER}),
    "round robin, one leaves": ("hanze", {}, 9, 4_000, {2: 30_000}),
    "round robin by rounds, one leaves": ("hanze", {"pacing": "rounds"}, 9, 500, {5: 10_000}),
    "double round robin, one never comes": ("league", {}, 6, 2_000, {1: NEVER}),
    "Swiss, one never comes": ("swiss", {}, 12, 500, {12: NEVER}),
    "Swiss, one never comes and one leaves": ("swiss", {}, 17, 5_000, {4: NEVER, 9: 60_000}),
    "knockout, one never comes": ("cup", {}, 8, 500, {6: NEVER}),
    "knockout, two never come": ("cup", {}, 16, 3_000, {2: NEVER, 11: NEVER}),
    "double elimination, one never comes": ("cup", {"format": "double-elimination"}, 8, 1_000, {7: NEVER}),
}


def timings(
    looks: list[tuple[TournamentRow, int]], leaves_ms: Mapping[str, int]
) -> Iterator[tuple[TournamentRow, Timing]]:
    """Yield what a server would know at every decision, and half the way to the next."""
    began_ms: dict[int, int] = {}
    for (row, at_ms), (_, next_ms) in pairwise(looks):
        playing = [one for one in row.state.pairings if one.status is PairingStatus.PLAYING]
        at_play = {name for pairing in playing for name in pairing.seats}
        for now_ms in (at_ms, (at_ms + next_ms) // 2):
            gone = frozenset(name for name, leaves in leaves_ms.items() if leaves <= now_ms and name not in at_play)
            waited = {number: row.state.plan.no_show_ms - until + now_ms for number, until in row.waits.items()}
            played = {one.number: now_ms - began_ms.setdefault(one.number, at_ms) for one in playing}
            yield row, Timing(row.has_run_ms(now_ms), now_ms, row.took_ms, waited | played, gone)


@pytest.mark.parametrize("seed", [1, 3])
@pytest.mark.parametrize("event", EVENTS)
def test_players_who_do_not_come_cost_what_they_cost(event: str, seed: int) -> None:
    which, changes, players, think_ms, leaves = EVENTS[event]
    leaves_ms = {f"player {number}": at_ms for number, at_ms in leaves.items()}
    chance, looks = random.Random(seed), list[tuple[TournamentRow, int]]()
    plan = preset(which, "Cup", "Countdown", **changes)
    done = rehearse(
        catalogue(Countdown()),
        plan,
        players,
        lambda: 1 + int(chance.random() * 2 * think_ms),
        chance,
        lambda row, now_ms: looks.append((row, now_ms)),
        leaves_ms,
    )
    # Near the end all depends on one game; in the best of three, on whether there is a third.
    slack_ms = done.longest_game_ms * (2 if plan.is_bracket else 1)
    for row, timing in timings(looks, leaves_ms):
        true_ms = done.took_ms - timing.now_ms
        if true_ms <= done.took_ms * 3 / 4:
            told_ms = left_ms(row.state, timing)
            assert told_ms is not None
            told = f"said {told_ms} ms, and it took {true_ms}, of {done.took_ms}; a game took {done.longest_game_ms}"
            assert true_ms / 1.5 - slack_ms <= told_ms <= true_ms * 1.5 + slack_ms, told
