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
_SHORTER = 0.9
"""The part of the time of the plan that was asked for, from which on another one is called shorter."""
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
    within_ms: int | None = 0,
) -> tuple[tuple[str, ...], str]:
    """Forecasts a tournament of this plan that begins now, or when it is to start, in sentences.

    With it comes an objection where it may not end `within_ms`, which names a plan that does; else that is empty. With
    0 any time will do, and with None shorter plans are not told of either.
    """
    lobby_view = await read_model.latest(exact=True)
    here = [one.name for one in lobby_view.players]
    names = tuple(dict.fromkeys((*entered, *(() if entry is EntryMode.ROSTER else here))))
    if len(names) < _PEOPLE_MIN:
        return ("When it would end can be told once two players are entered or logged in.",), ""
    absent = {name: float(name not in here) for name in names if not _is_house(name)}
    ahead_ms = max(0, plan.starts_at_ms - setup.wall_ms())

    def work_out(reader: Any) -> tuple[tuple[str, ...], str]:
        source, objection = _Source(setup, reader, plan, absent, ahead_ms), ""
        try:
            own = source.before(plan, names)
        except ActRefused as refused:
            return (f"When it would end cannot be told: {refused}.",), ""
        begins = f"begun {f'at {source.time(0)}' if ahead_ms else 'now'}, it takes"
        sentences = [*source.sentences(own, names, f"of {len(names)} players: {begins}")]
        if within_ms is not None:
            others = dict(source.proposals(names))
            shorter = (name for name, one in others.items() if one.likely_ms < _SHORTER * own.likely_ms)
            told = [f"{name}, {_span(others[name].low_ms)} to {_span(others[name].high_ms)}" for name in shorter]
            sentences += [f"Shorter: {'; '.join(told)}."] if told else []
            if within_ms:
                is_in_time, sentence = source.in_time(own, others, within_ms - ahead_ms)
                sentences, objection = ([*sentences, sentence], "") if is_in_time else (sentences, sentence)
        return tuple(sentences), objection

    return await read_model.read(work_out)


async def forecast_left(setup: Setup, read_model: ReadModel, number: int) -> tuple[str, ...]:
    """Forecasts the time that a running tournament will still take, in a sentence; none if it does not run."""
    course = (await read_model.latest(exact=True)).running_course(number)
    if course is None:
        return ()

    def work_out(reader: Any) -> tuple[str, ...]:
        source = _Source(setup, reader, course[0].plan, {})
        return (next(source.sentences(source.forecast(*course), (), "in all: it still takes")),)

    return await read_model.read(work_out)


def _is_house(name: str) -> bool:
    return name.startswith(HOUSE_PREFIX)


class _Source:
    """The figures for forecasts of one plan and others like it. `absent` has 1 for each player who is not here now.

    `ahead_ms` is the time until the start.
    """

    def __init__(self, setup: Setup, reader: Any, plan: Plan, absent: Mapping[str, float], ahead_ms: int = 0) -> None:
        self._setup, self._plan, self._clock = setup, plan, plan.clock or setup.rules.clock
        self._ahead_ms = ahead_ms
        game = setup.games[plan.game.lower()]
        self._moves, most = moves_of(game)
        side_ms = self._clock.longest_ms(-(-most // 2))
        # Where nothing limits the moves, and each one adds to the time, nothing limits that.
        is_bounded = side_ms is not None and (most or side_ms == self._clock.longest_ms(1))
        if 2 * sum(absent.values()) >= len(absent):  # days before, when few are here, that tells nothing
            absent = absent_shares(reader.absences())
        longest_ms, lengths = 2 * side_ms if side_ms and is_bounded else None, reader.match_lengths(game.name)
        played, drawn = tuple(one[:3] for one in lengths), sum(is_drawn for *_, is_drawn in lengths)
        self._habits = Habits(self._moves * _MOVE_MS, played, absent, longest_ms, drawn)

    def forecast(self, tournament: Tournament, timing: Timing) -> Forecast:
        return forecast(tournament, timing, self._habits, random.Random(1).random)  # noqa: S311 - no secret

    def before(self, plan: Plan, names: Sequence[str]) -> Forecast:
        teams = self._setup.roster.teams() if plan.team_boards else {}
        return self.forecast(begun(plan, names, filter(_is_house, names), teams), Timing())

    def sentences(self, found: Forecast, names: Sequence[str], takes: str) -> Iterator[str]:
        yield (
            f"About {found.matches} matches {takes} {_span(found.low_ms)} to {_span(found.high_ms)}, likely "
            f"{_span(found.likely_ms)}, and ends {self._times(found)}."
        )
        if found.worst_ms is None:
            yield f"At worst: no bound, as neither the clock ({self._clock}) nor the game ends a match."
        else:
            yield (
                f"At worst {_span(found.worst_ms)}, until {self._time_after(found.worst_ms)}, if every move takes all "
                f"the time that the clock ({self._clock}) gives."
            )
        if played := self._habits.played:
            known = sum(any(name in one for one in played) for name in names)
            yield f"Counted from matches on record: {len(played)}, with {known} of {len(names)} players in them."
        else:
            yield f"No measured times: counted with {_MOVE_MS / 1000:g} s a move and {self._moves} moves a match."

    def proposals(self, names: Sequence[str]) -> Iterator[tuple[str, Forecast]]:
        """The forecasts of the plans that are proposed, the fullest first."""
        plan = self._plan
        for words, (which, changes) in _FULLEST_FIRST.items():
            fields = {name: getattr(plan, name) for name in _KEPT} | dict(changes)
            how = "".join(f" and {name}={value}" for name, value in changes.items())
            yield f"{words} (preset {which}{how})", self.before(preset(which, plan.name, plan.game, **fields), names)

    def in_time(self, own: Forecast, others: Mapping[str, Forecast], within_ms: int) -> tuple[bool, str]:
        """Tells if the plan ends in time, and the fullest that does, in a sentence."""
        until, in_time = self.time(within_ms), [name for name, one in others.items() if one.high_ms <= within_ms]
        if within_ms < min(one.low_ms for one in (own, *others.values())):
            name = min(others, key=lambda name: others[name].low_ms)
            soonest = self._time_after(others[name].low_ms)
            ends = f"{soonest} at the earliest, and most likely by {self._time_after(others[name].high_ms)}"
            return False, f"{until} is before anything can end: the shortest plan, {name}, ends at {ends}."
        name = in_time[0] if in_time else min(others, key=lambda name: others[name].high_ms)
        proposal = f"{name} {'fits' if in_time else 'comes nearest'}, and ends {self._times(others[name])}."
        if own.high_ms <= within_ms:
            return True, f"This plan ends by {until}." + (f" The fullest that does: {proposal}" if in_time else "")
        return False, f"This plan may end only at {self._time_after(own.high_ms)}, not by {until}: {proposal}"

    def _times(self, found: Forecast) -> str:
        return f"from {self.time(found.low_ms)} to {self._time_after(found.high_ms)}"

    def _time_after(self, from_start_ms: int) -> str:
        """The next full minute: `15:46` for an end at 15:45:20, which is not by 15:45."""
        return self.time(from_start_ms + 59_999)

    def time(self, from_start_ms: int) -> str:
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
                if draw := state.chance:
                    state = state.drawn(tuple(chance.randint(1, draw.sides) for _ in range(draw.count)))
                else:
                    seat, moves = state.turn.seats[0], moves + 1
                    state = state.play(seat, chance.choice(state.legal_moves(seat)))
            counts.append(moves)
    except Exception:  # noqa: BLE001 - a third party's code, or a match of several games
        return _MOVES, 0
    most = max(counts)
    return round(sum(counts) / len(counts)), most if most < _MOVES_MAX else 0
