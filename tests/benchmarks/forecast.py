"""`python -m tests.benchmarks.forecast`: how often a forecast's interval holds the true end, and its width.

Each rehearsal draws a class of bots, a game, and a plan. The bots meet in an earlier tournament, from which they are
measured; then the real organizer plays the event in virtual time. Some bots come late, some never, and some have become
slower since they were measured. The forecast knows of that only what the earlier tournament has shown.
"""

import random
import statistics
from collections.abc import Callable, Mapping
from typing import Any

import click
from attrs import evolve

from gameserver.cli.effective_config import effective
from gameserver.cli.rehearse import Rehearsal
from gameserver.core.commands import Capability, Conduct, CreateTournament, Enter, EntryMode
from gameserver.core.lobby import TournamentRow
from gameserver.core.match import Match
from gameserver.server.forecasts import moves_of
from gameserver.tournaments import model
from gameserver.tournaments.forecast import Forecast, Habits, absent_shares, begun, forecast
from gameserver.tournaments.plan import Plan
from gameserver.tournaments.presets import PRESETS, preset

SEED, NEVER = "5e" * 32, 1e12
ABSENT_SHARE, SLOW_SHARE = 0.08, 0.1
GAMES = ("tic-tac-toe", "reversi", "connect-four-3d", "mastermind")
PLANS: Mapping[str, Mapping[str, Any]] = {
    **{which: {} for which in ("hanze", "league", "swiss", "cup", "groups", "swiss-cut")},
    "rounds": {"pacing": "rounds"},
    "one board": {"matches_at_once_max": 1},
    "four boards": {"matches_at_once_max": 4},
    "arena": {"duration_ms": 1_800_000},
}
POINTS = ("days before", "at the start", "after 25 %", "after 50 %", "after 75 %")
"""The points at which a forecast is made. Days before nobody knows who will be there."""

Told = Callable[["Event"], None]


class Event(Rehearsal):
    """A rehearsal whose bots have a pace each, and may come late."""

    pace_s: Mapping[str, float]
    comes_ms: dict[str, float]
    thinks: str = ""

    def _await(self, match: Match) -> None:
        self.thinks = max((match.seats[seat].player for seat in match.turn.seats), key=self.pace_s.__getitem__)
        super()._await(match)

    def think(self) -> int:
        return 1 + int(1000 * self.pace_s[self.thinks] * self.chance.lognormvariate(-0.18, 0.6))

    def _leave(self) -> None:
        for name, comes_ms in list(self.comes_ms.items()):
            if comes_ms <= self.now_ms:
                del self.comes_ms[name]
                self.enter(name)

    def enter(self, name: str) -> None:
        self.do(Enter(int(name[3:]), name, "strategic", "", (Capability.CHALLENGE,)))

    def timing(self, row: TournamentRow) -> model.Timing:
        open_ms = {n: self.now_ms - until + row.state.plan.no_show_ms for n, until in row.waits.items()}
        for pairing in row.state.keeping:
            if pairing.match in self.opened_ms:
                open_ms[pairing.number] = self.now_ms - self.opened_ms[pairing.match]
        missing = frozenset(one.name for one in row.state.active if one.name not in self.lobby.players)
        return evolve(row.timing(self.now_ms), open_ms=open_ms, missing=missing)


def event(
    games: Mapping[str, Any],
    plan: Plan,
    pace_s: Mapping[str, float],
    absent: Mapping[str, float],
    seed: int,
    told: Told,
) -> Event:
    """Play an event of these bots, of whom some are absent until a time."""
    found = Event(games, random.Random(seed), None, {})
    found.think_ms, found.pace_s, found.comes_ms = found.think, pace_s, dict(absent)
    for name in pace_s.keys() - absent.keys():
        found.enter(name)
    found.turns = sorted((int(comes_ms), 0, 0) for comes_ms in absent.values() if comes_ms < NEVER)
    found.do(CreateTournament(plan, SEED, EntryMode.ROSTER, tuple(map(model.RegisterEntrant, pace_s))))
    found.do(Conduct(1, model.StartTournament(0)))
    found.run(lambda _row, _now: told(found))
    return found


def absent_of(names: list[str], chance: random.Random) -> dict[str, float]:
    """The bots that are not there at the start, half of whom never come, and the times at which the others do."""
    away = [name for name in names if chance.random() < ABSENT_SHARE]
    return {name: NEVER if chance.random() < 0.5 else chance.uniform(10_000, 400_000) for name in away}


def habits_of(done: Event, names: list[str]) -> Habits:
    """The figures that the records of an event have."""
    took_ms = done.row.took_ms
    played = tuple((*one.seats, took_ms[one.number]) for one in done.row.state.pairings if one.number in took_ms)
    missed = {name for one in done.row.state.pairings for name in one.absent}
    drawn = sum(one.verdict is model.Verdict.DRAW for one in done.row.state.pairings)
    return Habits(0, played, absent_shares({name: (1, name in missed) for name in names}), drawn=drawn)


def rehearsed(games: Mapping[str, Any], which: str, seed: int, slower: float) -> list[tuple[Forecast, int]]:
    """The forecasts of a rehearsal at each of the points, and the true time left."""
    chance = random.Random(seed)
    game = games[chance.choice(GAMES)].name
    names = [f"bot{number}" for number in range(1, chance.randint(6, 24) + 1)]
    usual_s = chance.uniform(30, 180) / moves_of(games[game.lower()])[0]
    pace_s = {name: usual_s * chance.lognormvariate(0, 0.4) for name in names}
    pace_s |= {name: 4 * pace_s[name] for name in names if chance.random() < SLOW_SHARE}
    plan = preset(which if which in PRESETS else "hanze", "Event", game, **PLANS[which])
    before = event(games, preset("hanze", "Earlier", game), pace_s, absent_of(names, chance), seed, lambda _: None)
    habits = habits_of(before, names)
    pace_s = {name: pace * chance.lognormvariate(0, 0.1) for name, pace in pace_s.items()}
    pace_s |= {name: 2.5 * pace_s[name] for name in names if chance.random() < slower}
    absent = absent_of(names, chance)
    present = evolve(habits, absent={name: float(name in absent) for name in names})
    made = [(forecast(begun(plan, names), model.Timing(), one, chance.random), 0) for one in (habits, present)]
    seen: list[tuple[model.Tournament, model.Timing, int]] = []
    step_ms = max(1, made[0][0].likely_ms // 12)

    def told(now: Event) -> None:
        if now.now_ms >= len(seen) * step_ms:
            seen.append((now.row.state, now.timing(now.row), now.now_ms))

    end_ms = event(games, plan, pace_s, absent, -seed, told).now_ms
    for share in (0.25, 0.5, 0.75):
        state, timing, now_ms = min(seen, key=lambda one: abs(one[2] - share * end_ms))
        made.append((forecast(state, timing, habits, chance.random), now_ms))
    return [(one, end_ms - now_ms) for one, now_ms in made]


@click.command()
@click.option("--rehearsals", default=100, show_default=True)
@click.option("--seed", default=0, show_default=True, help="The first rehearsal's; each other one has the next.")
@click.option("--slower", default=0.0, show_default=True, help="Share of bots 2.5 times as slow as they were measured.")
def main(rehearsals: int, seed: int, slower: float) -> None:
    """Rehearse events, and print how good their forecasts were."""
    games, found = effective(None, None, ())[0].games, list[tuple[str, str, bool, float, float]]()
    for number in range(seed, seed + rehearsals):
        which = list(PLANS)[number % len(PLANS)]
        for point, (one, left_ms) in zip(POINTS, rehearsed(games, which, number, slower), strict=True):
            is_held, width = one.low_ms <= left_ms <= one.high_ms, (one.high_ms - one.low_ms) / max(1, left_ms)
            found.append((point, which, is_held, width, left_ms / max(1, one.likely_ms)))
    click.echo("forecast       held  median width  true by likely")
    rows = [(point, [one for one in found if one[0] == point]) for point in POINTS]
    rows += [(which, [one for one in found if one[:2] == (POINTS[1], which)]) for which in PLANS]
    for name, chosen in rows:
        held = statistics.fmean(one[2] for one in chosen)
        width, off = (statistics.median(one[at] for one in chosen) for at in (3, 4))
        click.echo(f"{name:<13} {held:>5.0%}  {width:>12.0%}  {off:>14.2f}")


if __name__ == "__main__":
    main()
