"""Forecasts in sentences: when a tournament will end, what a shorter plan would take, which one ends in time.

The figures of its players come from the records: the lengths of their matches, and how often they did not come.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from gameserver.core.commands import EntryMode
from gameserver.core.identity import HOUSE_PREFIX
from gameserver.game import Game
from gameserver.read_model.read_model import ReadModel
from gameserver.server.setup import Setup
from gameserver.tournaments.forecast import Forecast, Habits, absent_shares, begun, forecast
from gameserver.tournaments.model import ActRefused, Timing, Tournament
from gameserver.tournaments.plan import Plan
from gameserver.tournaments.presets import preset

_MOVE_MS = 500
"""The time counted for a move where none is measured, as in `gameserver rehearse`."""
_MOVES = 40
"""The moves counted for a match of a game whose matches nobody knows beforehand."""
_MOVES_MAX = 1_000
_SAMPLES = 10
_PEOPLE_MIN = 2
_FULLEST_FIRST: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "double round robin": ("league", {}),
    "round robin": ("hanze", {}),
    "swiss": ("swiss", {}),
    "groups, then a knockout": ("groups", {}),
    "knockout, best of 3": ("cup", {}),
    "knockout, one game each": ("cup", {"games": 1}),
}
"""The plans that are proposed, the fullest first: everybody twice, everybody once, some rounds, and so on."""
_KEPT = ("clock", "pause_ms", "matches_at_once_max", "no_show_ms", "no_shows_max")
"""The fields of the plan that was asked for which a proposal keeps."""


async def forecast_before(
    setup: Setup,
    read_model: ReadModel,
    plan: Plan,
    entry: EntryMode,
    entered: Sequence[str],
    within_ms: int = 0,
    *,
    is_brief: bool = False,
) -> tuple[tuple[str, ...], str]:
    """Forecasts a tournament of this plan that begins now, or when it is to start, in sentences.

    With it comes an objection where it may not end `within_ms`, which names a plan that does; else that is empty. 0 is
    no such limit. `is_brief` leaves out the shorter plans. Raises ValueError with one sentence if nothing ends so soon.
    """
    lobby_view = await read_model.latest(exact=True)
    here = [one.name for one in lobby_view.players]
    names = tuple(dict.fromkeys((*entered, *(() if entry is EntryMode.ROSTER else here))))
    if len(names) < _PEOPLE_MIN:
        return ("When it would end can be told once two players are entered or logged in.",), ""

    ahead_ms = max(0, plan.starts_at_ms - setup.wall_ms())

    def work_out(reader: Any) -> tuple[tuple[str, ...], str]:
        absent = {name: float(name not in here) for name in names if not _is_house(name)}
        source = _Source(setup, reader, plan, absent, ahead_ms)
        try:
            own = source.forecast(begun(plan, names, filter(_is_house, names), setup.roster.teams()))
        except ActRefused as refused:
            return (f"When it would end cannot be told: {refused}.",), ""
        lines = [*source.sentences(own, names, f"{len(names)} players")]
        if within_ms or not is_brief:
            others = dict(source.proposals(names))
            lines += source.shorter(own, others)
            if within_ms:
                line, objection = source.in_time(own, others, within_ms - ahead_ms)
                return (*lines, line) if line else tuple(lines), objection
        return tuple(lines), ""

    return await read_model.read(work_out)


async def forecast_left(setup: Setup, read_model: ReadModel, number: int) -> tuple[str, ...]:
    """Forecasts the time that a running tournament will still take, in sentences; none if it does not run."""
    course = (await read_model.latest(exact=True)).running_course(number)
    if course is None:
        return ()
    names = tuple(one.name for one in course[0].active)

    def work_out(reader: Any) -> tuple[str, ...]:
        source = _Source(setup, reader, course[0].plan, {})
        return (next(source.sentences(source.forecast(*course), names, "all", "still takes")),)

    return await read_model.read(work_out)


def _is_house(name: str) -> bool:
    return name.startswith(HOUSE_PREFIX)


class _Source:
    """The figures for forecasts of one plan and others like it. `absent` has 1 for each player who is not here now.

    `ahead_ms` is the time until the start.
    """

    def __init__(self, setup: Setup, reader: Any, plan: Plan, absent: Mapping[str, float], ahead_ms: int = 0) -> None:
        self._setup, self._plan = setup, plan
        self._ahead_ms = ahead_ms
        game = setup.games[plan.game.lower()]
        self._moves, most = moves_of(game)
        self._clock = plan.clock or setup.rules.clock
        played = tuple(reader.match_lengths(game.name))
        side_ms = self._clock.longest_ms(-(-most // 2)) if most else self._clock.longest_ms(0)
        if not most and side_ms != self._clock.longest_ms(1):
            side_ms = None  # each move adds to the time, and nothing limits the moves
        longest_ms = None if side_ms is None else 2 * side_ms
        if 2 * sum(absent.values()) >= len(absent):  # days before, when few are here, that tells nothing
            absent = absent_shares(reader.absences())
        self._habits = Habits(self._moves * _MOVE_MS, played, absent, longest_ms)

    def forecast(self, tournament: Tournament, timing: Timing | None = None) -> Forecast:
        return forecast(tournament, timing or Timing(), self._habits, random.Random(1).random)  # noqa: S311 - no secret

    def sentences(self, found: Forecast, names: Sequence[str], who: str, takes: str = "") -> Iterator[str]:
        takes = takes or f"begun {f'at {self._time(0)}' if self._ahead_ms else 'now'}, it takes"
        yield (
            f"About {found.matches} matches of {who}: {takes} {_span(found.low_ms)} to {_span(found.high_ms)}, likely "
            f"{_span(found.likely_ms)}, and ends from {self._time(found.low_ms)} to {self._time_after(found.high_ms)}."
        )
        if found.worst_ms is None:
            yield f"At worst: no bound, as neither the clock ({self._clock}) nor the game ends a match."
        else:
            yield (
                f"At worst {_span(found.worst_ms)}, until {self._time_after(found.worst_ms)}, if every move takes all"
                f" the time that the clock ({self._clock}) gives."
            )
        played = self._habits.played
        measured = {name for first, second, _ in played for name in (first, second)}
        if played:
            known = len(measured.intersection(names))
            yield f"Counted from matches on record: {len(played)}, with {known} of {len(names)} players in them."
        else:
            yield f"No measured times: counted with {_MOVE_MS / 1000:g} s a move and {self._moves} moves a match."

    def proposals(self, names: Sequence[str]) -> Iterator[tuple[str, Forecast]]:
        """The forecasts of the plans that are proposed, the fullest first."""
        plan = self._plan
        for words, (which, changes) in _FULLEST_FIRST.items():
            kept = {name: getattr(plan, name) for name in _KEPT}
            other = begun(preset(which, plan.name, plan.game, **{**kept, **changes}), names, filter(_is_house, names))
            how = "".join(f" and {name}={value}" for name, value in changes.items())
            yield f"{words} (preset {which}{how})", self.forecast(other)

    def shorter(self, own: Forecast, others: Mapping[str, Forecast]) -> Iterator[str]:
        found = [
            f"{words}, {_span(one.low_ms)} to {_span(one.high_ms)}"
            for words, one in others.items()
            if one.likely_ms < 0.9 * own.likely_ms
        ]
        if found:
            yield f"Shorter: {'; '.join(found)}."

    def in_time(self, own: Forecast, others: Mapping[str, Forecast], within_ms: int) -> tuple[str, str]:
        """The plan to propose, in a sentence, and the objection to the one that was asked for."""
        until = self._time(within_ms)
        words, soonest = min(others.items(), key=lambda one: one[1].high_ms)
        if within_ms < min(own.low_ms, soonest.low_ms):
            raise ValueError(
                f"{until} is before anything can end: the shortest plan, {words}, ends at "
                f"{self._time(soonest.low_ms)} at the earliest, and most likely by {self._time_after(soonest.high_ms)}"
            )
        fits = next(((name, one) for name, one in others.items() if one.high_ms <= within_ms), (words, soonest))
        verb = "fits" if fits[1].high_ms <= within_ms else "comes nearest"
        proposal = (
            f"{fits[0]} {verb}, and ends from {self._time(fits[1].low_ms)} to {self._time_after(fits[1].high_ms)}"
        )
        if own.high_ms <= within_ms:
            return f"This plan ends by {until}. The fullest that does: {proposal}.", ""
        return "", f"This plan may end only at {self._time_after(own.high_ms)}, not by {until}: {proposal}."

    def _time_after(self, from_start_ms: int) -> str:
        """The next full minute: `15:46` for an end at 15:45:20, which is not by 15:45."""
        return self._time(from_start_ms + 59_999)

    def _time(self, from_start_ms: int) -> str:
        """The time of day so long after the start, where the server stands."""
        at = datetime.fromtimestamp((self._setup.wall_ms() + self._ahead_ms + from_start_ms) / 1000, UTC).astimezone()
        return f"{at:%H:%M}"


def _span(ms: int) -> str:
    seconds = round(ms / 1000)
    if seconds < 100:
        return f"{seconds} s"
    return f"{round(seconds / 60)} min" if seconds < 7_200 else f"{seconds / 3600:.1f} h"


@lru_cache(maxsize=64)
def moves_of(game: Game[Any]) -> tuple[int, int]:
    """Counts the moves of random games, for a forecast: how many there are, and the most; 0 if one had no end."""
    counts = []
    try:
        for seed in range(_SAMPLES):
            chance, moves = random.Random(seed), 0  # noqa: S311 - no secret
            state = game.start(game.options_type())
            while state.outcome is None and moves < _MOVES_MAX:
                draw = state.chance
                if draw is not None:
                    state = state.drawn(tuple(chance.randint(1, draw.sides) for _ in range(draw.count)))
                    continue
                for seat in state.turn.seats[:1]:
                    state = state.play(seat, chance.choice(state.legal_moves(seat)))
                    moves += 1
            counts.append(moves)
    except Exception:  # noqa: BLE001 - a third party's code, or a match of several games
        return _MOVES, 0
    most = max(counts)
    return round(sum(counts) / len(counts)), most if most < _MOVES_MAX else 0
