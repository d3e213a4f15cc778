"""Plan of a tournament: format, terms, points, and what absence costs. Fixed when it is created.

Points are whole numbers of the smallest unit, so that half points need no fractions: with `unit=2` a
win of 2 is shown as 1 and a draw of 1 as a half.

Plans in JSON, alike in journals, snapshots and records: a cost that is left to the protocols is a word there.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, TypeVar

import attrs
from attrs import Attribute, field
from cattrs import Converter
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from gameserver.policies import IllegalPolicy, LatePolicy
from gameserver.time_control import TimeControl
from gameserver.values import value

_DAY_MS = 86_400_000
# A bound on what a teacher may type, by judgement.
_UNITS_MAX = 1_000_000
_PROTOCOLS_OWN = "protocol"
"""The word for None in `late` and `illegal`, on command lines and in JSON: as the players' protocols have it."""


class _Choice(StrEnum):
    """A setting that may come as text, from a command line or a page: a wrong one is told the right ones."""

    @classmethod
    def _missing_(cls, value: object) -> None:
        raise ValueError(f"{value!r} is not one of {', '.join(cls)}")


class Format(_Choice):
    """The format of a tournament's plan: the rule that says who meets whom."""

    ROUND_ROBIN = "round-robin"
    GAUNTLET = "gauntlet"
    SWISS = "swiss"
    KNOCKOUT = "knockout"
    DOUBLE_ELIMINATION = "double-elimination"
    ARENA = "arena"


FIXTURE_FORMATS = (Format.ROUND_ROBIN, Format.GAUNTLET)
"""Everybody's opponents are known from the start."""
BRACKET_FORMATS = (Format.KNOCKOUT, Format.DOUBLE_ELIMINATION)
"""Losing puts a player out."""


class RoundMode(_Choice):
    """The pace that a plan sets for a round robin or gauntlet: by rounds, or without a wait.

    Other formats do as they must.
    """

    ROUNDS = "rounds"
    CONTINUOUS = "continuous"


class Draw(_Choice):
    """The draw that a plan sets: the way in which entrants get their numbers; 1 is the first seed."""

    LOT = "lot"
    RATING = "rating"
    ENTRY = "entry"


class Effect(_Choice):
    """The effect that a plan sets for the results of a player who is out."""

    KEEP = "keep"
    FORFEIT = "forfeit"
    HALF = "half"
    ANNUL = "annul"
    REVERSE = "reverse"


EFFECTS = {
    Effect.KEEP: "results stand; games not played count for nobody",
    Effect.FORFEIT: "results stand; games not played are won by the opponents",
    Effect.HALF: "as 'forfeit' if half of the games have been played, otherwise as 'annul'",
    Effect.ANNUL: "all results are annulled, for the opponents too",
    Effect.REVERSE: "every game, played or not, is won by the opponent",
}
"""Each effect in words for a page. `half` is the rule of FIDE's round robins."""


class TieBreak(_Choice):
    """A tie-break that a plan may list: a criterion that separates players who are level."""

    DIRECT_ENCOUNTER = "direct encounter"
    SONNEBORN_BERGER = "Sonneborn-Berger"
    BUCHHOLZ = "Buchholz"
    BUCHHOLZ_CUT_1 = "Buchholz cut 1"
    BUCHHOLZ_CUT_2 = "Buchholz cut 2"
    MEDIAN_BUCHHOLZ = "median Buchholz"
    WINS = "wins"
    WINS_WORSE_SEAT = "wins in the worse seat"
    MARGIN = "margin"
    LOT = "lot"


def _whole(low: int, high: int) -> Any:
    """A validator: a whole number in these limits. What comes from a command line may be anything."""

    def check(_owner: object, attribute: "Attribute[Any]", value: object) -> None:
        if type(value) is not int:
            raise ValueError(f"{attribute.name} must be a whole number, not {value!r}")
        if not low <= value <= high:
            raise ValueError(f"{attribute.name} must be from {low} to {high}, not {value}")

    return check


def _yes_or_no(_owner: object, attribute: "Attribute[Any]", value: object) -> None:
    if type(value) is not bool:
        raise ValueError(f"{attribute.name} is true or false, not {value!r}")


def _text(_owner: object, attribute: "Attribute[Any]", value: object) -> None:
    if not isinstance(value, str):
        raise ValueError(f"{attribute.name} is a text, not {value!r}")  # noqa: TRY004 - said as all that is refused is


def _texts(_owner: object, attribute: "Attribute[Any]", values: tuple[object, ...]) -> None:
    for text in values:
        if not isinstance(text, str):
            raise ValueError(f"{attribute.name} must be a list of texts, and {text!r} is not a text")  # noqa: TRY004 - see above


@value
class Scoring:
    """The points that a plan gives for each result, in units; `unit` units are one point as it is shown.

    `missed` is for a round before a late entry.
    """

    # Chess's points in halves. A bye is worth a win, as in FIDE's Swiss rules (C.04.1).
    win: int = field(default=2, validator=_whole(0, _UNITS_MAX))
    draw: int = field(default=1, validator=_whole(0, _UNITS_MAX))
    loss: int = field(default=0, validator=_whole(0, _UNITS_MAX))
    bye: int = field(default=2, validator=_whole(0, _UNITS_MAX))
    missed: int = field(default=0, validator=_whole(0, _UNITS_MAX))
    unit: int = field(default=2, validator=_whole(1, _UNITS_MAX))

    def __attrs_post_init__(self) -> None:
        if not self.loss <= self.draw <= self.win:
            raise ValueError("scoring: a draw must be worth no less than a loss and no more than a win")


E = TypeVar("E", bound=StrEnum)


def _clock(clock: str | TimeControl | None) -> TimeControl | None:
    return None if clock is None else TimeControl.read(clock)


def _late(value: str | None) -> LatePolicy | None:
    # `LatePolicy.GAME` belongs to the terms of tickets, which no plan changes.
    return _policy((LatePolicy.MATCH, LatePolicy.RANDOM_MOVE), value)


def _illegal(value: str | None) -> IllegalPolicy | None:
    return _policy(tuple(IllegalPolicy), value)


def _policy(possible: tuple[E, ...], value: str | None) -> E | None:
    if value is None or value == _PROTOCOLS_OWN:
        return None
    if value not in possible:
        raise ValueError(f"{value!r} is not one of {', '.join((_PROTOCOLS_OWN, *possible))}")
    return possible[possible.index(value)]


def _listed(values: Any) -> tuple[Any, ...]:
    """A list; one thing alone is a list of one."""
    return tuple(values) if isinstance(values, Iterable) and not isinstance(values, str) else (values,)


def _tie_breaks(values: str | Iterable[str]) -> tuple[TieBreak, ...]:
    return tuple(map(TieBreak, _listed(values)))


def _scoring(value: Any) -> Scoring:
    """Points, or a table of them, such as `{win = 3, draw = 1, bye = 3, unit = 1}` on a command line."""
    # `--set scoring={win=6}` gives a table: taken as it came, it once ended the server.
    if isinstance(value, Scoring):
        return value
    known = [one.name for one in attrs.fields(Scoring)]
    if not isinstance(value, Mapping) or not set(value) <= set(known):
        raise ValueError(f"scoring is a table of {', '.join(known)}, not {value!r}")
    return Scoring(**value)


def _named(plan: "Plan", attribute: "Attribute[Any]", value: str) -> None:
    _text(plan, attribute, value)
    if not value.strip():
        raise ValueError(f"{attribute.name} must not be empty")


@value
class Plan:
    """The plan of a tournament, with every setting that is fixed before anybody enters.

    `games` are played in a row by two who are paired; `cycles` is how often everybody meets everybody
    (2 is a double round robin), `rounds` is for Swiss (0: as many as the field needs), `duration_ms`
    for an arena. With `same_chance`, both seat orders of a pair get the same dice, code or opening; the
    opening of `view` says what that gives away. A default here is what a journaled plan without the
    field means; what new tournaments get is in `tournaments.presets`.
    """

    name: str = field(validator=_named)
    game: str = field(validator=_named)
    format: Format = field(converter=Format)
    cycles: int = field(default=1, validator=_whole(1, 10))
    games: int = field(default=1, validator=_whole(1, 100))
    rounds: int = field(default=0, validator=_whole(0, 200))
    duration_ms: int = field(default=0, validator=_whole(0, 7 * _DAY_MS))
    pacing: RoundMode = field(default=RoundMode.CONTINUOUS, converter=RoundMode)
    # The original server of the Hanze course plays one match at a time: 1 here.
    matches_at_once_max: int = field(default=0, validator=_whole(0, 10_000))
    """0: as many as there are players for."""
    draw: Draw = field(default=Draw.LOT, converter=Draw)
    champions: tuple[str, ...] = field(default=(), converter=_listed, validator=_texts)
    """A gauntlet's: these meet everybody else. None named: the first seed."""
    third_place: bool = field(default=False, validator=_yes_or_no)
    extra_games_max: int = field(default=4, validator=_whole(0, 100))
    """After a level knockout encounter, two at a time; then the better seed goes through."""
    stand_in: str = field(default="", validator=_text)
    """A house player for the odd seat; empty: a bye."""
    scoring: Scoring = field(default=Scoring(), converter=_scoring)
    tie_breaks: tuple[TieBreak, ...] = field(default=(TieBreak.LOT,), converter=_tie_breaks)
    worse_seat: int = field(default=1, validator=_whole(0, 1))
    # True is what plans without the field meant; every preset has it off.
    same_chance: bool = field(default=True, validator=_yes_or_no)
    late_entry: bool = field(default=True, validator=_yes_or_no)
    withdrawal: Effect = field(default=Effect.KEEP, converter=Effect)
    disqualification: Effect = field(default=Effect.KEEP, converter=Effect)
    # A minute, as in UConn's course league.
    no_show_ms: int = field(default=60_000, validator=_whole(0, _DAY_MS))
    """Time that an announced match waits for its players."""
    no_shows_max: int = field(default=2, validator=_whole(1, 1000))
    """So many encounters in a row, and the player is taken out; entering again is possible."""
    voids_max: int = field(default=3, validator=_whole(1, 100))
    """So many faults of the server in one game, and it counts as a draw that was not played."""
    clock: TimeControl | None = field(default=None, converter=_clock)
    """None: the server's own."""
    pause_ms: int = field(default=0, validator=_whole(0, _DAY_MS))
    """Between a player's matches: for people who watch, and for clients that clear their last game late."""
    challenges: bool = field(default=True, validator=_yes_or_no)
    """True if the entrants may challenge each other meanwhile."""
    # False for a match by command: bots that search again at once would begin one more, and lose it as they are ended.
    searches: bool = field(default=True, validator=_yes_or_no)
    """True if what entrants search for meanwhile counts when it is over; many bots search after every match."""
    # In a mixed field a text player lost a match by what cost a Connect Four client nothing, until a plan could say so.
    late: LatePolicy | None = field(default=None, converter=_late)
    """The cost of a turn that ran out of time; None: as the terms of the players' protocols have it."""
    illegal: IllegalPolicy | None = field(default=None, converter=_illegal)
    """The cost of an illegal move, likewise."""
    # An afternoon of practice filled the lobby's ten places of finished tournaments.
    event: bool = field(default=True, validator=_yes_or_no)
    """False for a match of two for practice: it is listed nowhere, and takes no event's place in the lobby."""

    def __attrs_post_init__(self) -> None:
        """Hold the fields to each other."""
        if self.format is Format.ARENA and self.duration_ms == 0:
            raise ValueError("an arena needs duration_ms: how long it lasts")
        if self.extra_games_max % 2:
            raise ValueError("extra_games_max must be even: extra games come in twos, one in each seat")
        if len(set(self.tie_breaks)) < len(self.tie_breaks):
            raise ValueError("tie_breaks names one twice")
        for what in ("withdrawal", "disqualification"):
            effect: Effect = getattr(self, what)
            if effect is not Effect.KEEP and not self.has_fixtures and (self.is_bracket or effect != Effect.REVERSE):
                raise ValueError(
                    f"{what}: '{effect}' does not fit a {self.format}, whose later pairings rest on the results;"
                    " use 'keep'" + ("" if self.is_bracket else " or 'reverse'")
                )

    @property
    def clock_text(self) -> str:
        """The plan's clock as it is written; empty where the server's own applies."""
        return "" if self.clock is None else str(self.clock)

    @property
    def has_fixtures(self) -> bool:
        """True if the plan's format fixes everybody's opponents from the start."""
        return self.format in FIXTURE_FORMATS

    @property
    def is_open_to_all(self) -> bool:
        """True if by the plan's format everybody meets everybody, or anybody.

        One game less leaves nobody without an opponent.
        """
        return self.has_fixtures or self.format is Format.ARENA

    @property
    def is_bracket(self) -> bool:
        """True if by the plan's format losing puts a player out."""
        return self.format in BRACKET_FORMATS

    @property
    def has_rounds(self) -> bool:
        """True if by the plan one round is played after the other, so that there is a round that is being played."""
        return self.format is Format.SWISS or (self.has_fixtures and self.pacing is RoundMode.ROUNDS)


def teach_plans(converter: Converter) -> None:
    """Have a cattrs converter read and write plans of tournaments, and the clocks of matches."""
    converter.register_unstructure_hook(TimeControl, str)
    converter.register_structure_hook(TimeControl, lambda text, _: TimeControl.read(text))
    cost: Any = override(unstruct_hook=lambda policy: policy or _PROTOCOLS_OWN, struct_hook=lambda word, _: word)
    costs = {"late": cost, "illegal": cost}
    converter.register_unstructure_hook(Plan, make_dict_unstructure_fn(Plan, converter, **costs))
    converter.register_structure_hook(Plan, make_dict_structure_fn(Plan, converter, **costs))
