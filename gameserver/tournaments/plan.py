"""Plan of a tournament: format, terms, points, and what absence costs. Fixed when it is created.

Points are whole numbers of the smallest unit, so that half points need no fractions: with `unit=2` a
win of 2 is shown as 1 and a draw of 1 as a half.

A plan may have several stages, each with a format of its own, and in groups if it says so. The best of one go on to
the next. People write them in a line, as `read_stages` takes it:

    groups of 4, best 2 -> knockout                  the first two of each group meet in a knockout
    swiss 5 rounds, best 8 -> knockout, 3 games      a Swiss, then cut to eight, best of three

Plans in JSON, alike in journals, snapshots and records: a cost that is left to the protocols is a word there, and a
stage is its text.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import pairwise
from typing import Any, TypeVar

import attrs
from attrs import Attribute, field, frozen
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


_STAGE_FORMATS = (Format.ROUND_ROBIN, Format.SWISS, Format.KNOCKOUT, Format.DOUBLE_ELIMINATION)
_STAGES_MAX = 5
_GROUPS = re.compile(r"groups of (\d{1,9})", re.ASCII)
_WITH_ROUNDS = re.compile(r"((?!groups)[a-z -]+) (\d+ rounds?)", re.ASCII)
_NUMBERS = re.compile(r"best (?P<best>\d{1,9})|(?P<number>\d{1,9}) (?P<what>round|cycle|game)s?", re.ASCII)
_EXAMPLES = 'write for example "groups of 4, best 2 -> knockout" or "swiss 5 rounds, best 8 -> knockout, 3 games"'


@frozen(cache_hash=True)
class Stage:
    """One of several stages of a tournament's plan: its format, and the number of players who go on from it.

    A 0 among `cycles`, `games` and `rounds` leaves it to the plan.
    """

    format: Format
    group_size: int = 0
    """0: all players of the stage are one field. Otherwise nobody plays outside of a group of about this size."""
    best: int = 0
    """The players of each group, or of the field, who go on to the next stage; 0 in the last."""
    cycles: int = field(default=0, validator=_whole(0, 10))
    games: int = field(default=0, validator=_whole(0, 100))
    rounds: int = field(default=0, validator=_whole(0, 200))

    def __attrs_post_init__(self) -> None:
        """Hold the fields to each other."""
        if self.format not in _STAGE_FORMATS:
            raise ValueError(f"no stage is of the format {self.format}; take groups, {', '.join(_STAGE_FORMATS)}")
        if self.group_size == 1:
            raise ValueError("a group of 1 has nobody to play with: a group needs 2 players or more")
        if self.group_size and self.format is not Format.ROUND_ROBIN:
            raise ValueError(f"groups play a round-robin, not a {self.format}")
        if self.group_size and self.best >= self.group_size:
            raise ValueError(
                f"the best {self.best} of a group of {self.group_size} are all of it:"
                f" at most {self.group_size - 1} go on"
            )
        if self.rounds and self.format is not Format.SWISS:
            raise ValueError("only a swiss has a number of rounds")
        if self.cycles and self.format is not Format.ROUND_ROBIN:
            raise ValueError("only groups and a round-robin have cycles")
        if self.format is Format.KNOCKOUT and self.best & (self.best - 1):
            raise ValueError(f"a knockout does not tell its best {self.best} apart: it leaves 2, 4, 8 and so on")

    def __str__(self) -> str:
        """The stage as `read_stages` takes it, in its one spelling."""
        head = f"groups of {self.group_size}" if self.group_size else str(self.format)
        parts = [head + (f" {_counted(self.rounds, 'round')}" if self.rounds else "")]
        parts += [_counted(count, what) for count, what in ((self.cycles, "cycle"), (self.games, "game")) if count]
        return ", ".join(parts + ([f"best {self.best}"] if self.best else []))


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def read_stages(text: str | Iterable[str | Stage]) -> tuple[Stage, ...]:
    """Reads the stages of a plan as people write them, in one line or as a list.

    Raises ValueError with one sentence.
    """
    if isinstance(text, str):
        text = re.split(r"->|\N{RIGHTWARDS ARROW}", text) if text.strip() else ()
    if not isinstance(text, Iterable):
        raise _unreadable(text, "it is no text")
    stages = tuple(one if isinstance(one, Stage) else _stage(one) for one in text)
    if not stages:
        return ()
    _check_passages(stages)
    return stages


def stages_text(stages: Iterable[Stage]) -> str:
    """The stages of a plan in one line, as `read_stages` takes them."""
    return " -> ".join(map(str, stages))


def _stage(text: object) -> Stage:
    if not isinstance(text, str):
        raise _unreadable(text, "it is no text")
    head, *rest = (" ".join(part.lower().split()) for part in text.split(","))
    # "swiss 5 rounds" is the usual way to say it, without a comma.
    if found := _WITH_ROUNDS.fullmatch(head):
        head, rest = found[1], [found[2], *rest]
    fields: dict[str, Any] = {"format": head.replace(" ", "-")}
    if found := _GROUPS.fullmatch(head):
        fields = {"format": Format.ROUND_ROBIN, "group_size": int(found[1])}
    elif fields["format"] not in list(Format):
        raise _unreadable(text, f"{head!r} is neither groups nor one of {', '.join(_STAGE_FORMATS)}")
    for part in rest:
        number = _NUMBERS.fullmatch(part)
        if number is None:
            raise _unreadable(text, f"{part!r} is not a number of rounds, cycles, games or the best")
        name, count = ("best", number["best"]) if number["best"] else (f"{number['what']}s", number["number"])
        if name in fields or not int(count):
            raise _unreadable(text, f"it names its {name} twice" if name in fields else f"it cannot have {part}")
        fields[name] = int(count)
    try:
        return Stage(**fields | {"format": Format(fields["format"])})
    except ValueError as error:
        raise _unreadable(text, str(error)) from error


def _check_passages(stages: Sequence[Stage]) -> None:
    """Hold the stages to each other."""
    text, last = stages_text(stages), stages[-1]
    if not 2 <= len(stages) <= _STAGES_MAX:
        raise _unreadable(text, f"it needs two stages, and can have {_STAGES_MAX}")
    if last.best:
        raise _unreadable(text, "nobody goes on from the last stage, so it has no 'best'")
    if last.group_size:
        raise _unreadable(text, "the last stage has one winner, so it cannot be in groups")
    for stage, following in pairwise(stages):
        if not stage.best:
            raise _unreadable(text, f"'{stage}' does not say how many go on from it, such as 'best 2'")
        if stage.group_size:
            continue
        if stage.best < 2:
            raise _unreadable(text, "one player alone would go on: at least the best 2 do")
        if max(following.best, following.group_size) >= stage.best + (following.best == 0):
            raise _unreadable(text, f"'{following}' needs more than the {stage.best} players who come there")


def _unreadable(text: object, why: str) -> ValueError:
    said = text.strip()[:_TEXT_MAX] if isinstance(text, str) else text
    return ValueError(f"{said!r} is no plan of stages: {why}; {_EXAMPLES}")


_TEXT_MAX = 100


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
    stages: tuple[Stage, ...] = field(default=(), converter=read_stages)
    """Empty: one stage, by the fields above. Otherwise `format` is the first one's."""
    starts_at_ms: int = field(default=0, validator=_whole(0, 10**14))
    """The time of day, in milliseconds since 1970, at which the teacher means to start it; 0: nobody is told one."""
    team_best: int = field(default=0, validator=_whole(0, 1000))
    """The number of a team's best members whose points count for the team; 0: all of them."""
    team_boards: int = field(default=0, validator=_whole(0, 100))
    """The boards of a match of two teams, which are paired then in the place of players; 0: players are paired."""

    def __attrs_post_init__(self) -> None:
        """Hold the fields to each other."""
        if self.format is Format.ARENA and self.duration_ms == 0:
            raise ValueError("an arena needs duration_ms: how long it lasts")
        if self.extra_games_max % 2:
            raise ValueError("extra_games_max must be even: extra games come in twos, one in each seat")
        if len(set(self.tie_breaks)) < len(self.tie_breaks):
            raise ValueError("tie_breaks names one twice")
        if self.stages:
            self._check_stages()
        if self.team_boards:
            self._check_team_matches()
        for what in ("withdrawal", "disqualification"):
            effect: Effect = getattr(self, what)
            # Of several stages each takes the effects that fit it.
            if not self.stages and not self.fits(effect):
                raise ValueError(
                    f"{what}: '{effect}' does not fit a {self.format}, whose later pairings rest on the results;"
                    " use 'keep'" + ("" if self.is_bracket else " or 'reverse'")
                )

    def fits(self, effect: Effect) -> bool:
        """True if the plan's format can bear this effect: later pairings of a knockout rest on the results."""
        return effect is Effect.KEEP or self.has_fixtures or (not self.is_bracket and effect is Effect.REVERSE)

    def _check_stages(self) -> None:
        if self.format is not self.stages[0].format:
            raise ValueError(f"format must be that of the first stage, {self.stages[0].format}, not {self.format}")
        if self.stand_in:
            raise ValueError("stand_in does not go with stages: the odd player of a round or a group has a bye")

    def _check_team_matches(self) -> None:
        if self.stages or self.format not in (Format.ROUND_ROBIN, Format.SWISS):
            what = "several stages" if self.stages else f"a {self.format}"
            raise ValueError(f"team_boards does not go with {what}: teams meet in a round-robin or a swiss")
        if self.pacing is not RoundMode.ROUNDS:
            raise ValueError("team_boards needs pacing=rounds: all boards of a match of teams are played in one round")
        if self.stand_in:
            raise ValueError("stand_in does not go with team_boards: a player without an opponent has a bye")

    def of_stage(self, number: int) -> "Plan":
        """The plan of one of several stages, from 0, as that of a tournament by itself."""
        stage, is_last = self.stages[number], number == len(self.stages) - 1
        alone = attrs.evolve(
            self,
            stages=(),
            format=stage.format,
            cycles=stage.cycles or self.cycles,
            games=stage.games or self.games,
            rounds=stage.rounds or self.rounds,
            # Somebody has to go on, however level they are.
            tie_breaks=self.tie_breaks if is_last else (*dict.fromkeys((*self.tie_breaks, TieBreak.LOT)),),
            withdrawal=Effect.KEEP,
            disqualification=Effect.KEEP,
        )
        return attrs.evolve(
            alone,
            withdrawal=self.withdrawal if alone.fits(self.withdrawal) else Effect.KEEP,
            disqualification=self.disqualification if alone.fits(self.disqualification) else Effect.KEEP,
        )

    @property
    def clock_text(self) -> str:
        """The plan's clock as it is written; empty where the server's own applies."""
        return "" if self.clock is None else str(self.clock)

    @property
    def has_fixtures(self) -> bool:
        """True if the plan's format fixes everybody's opponents from the start. Who sits at a board follows later."""
        return self.format in FIXTURE_FORMATS and not self.team_boards

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
        return self.format is Format.SWISS or (self.format in FIXTURE_FORMATS and self.pacing is RoundMode.ROUNDS)


def teach_plans(converter: Converter) -> None:
    """Have a cattrs converter read and write plans of tournaments, and the clocks of matches."""
    converter.register_unstructure_hook(TimeControl, str)
    converter.register_structure_hook(TimeControl, lambda text, _: TimeControl.read(text))
    cost: Any = override(unstruct_hook=lambda policy: policy or _PROTOCOLS_OWN, struct_hook=lambda word, _: word)
    converter.register_unstructure_hook(Stage, str)
    converter.register_structure_hook(Stage, lambda text, _: _stage(text))
    # Most plans have neither stages nor teams, and are written as they were before there were any.
    rare = dict.fromkeys(("stages", "team_best", "team_boards"), override(omit_if_default=True))
    costs = {"late": cost, "illegal": cost, **rare}
    converter.register_unstructure_hook(Plan, make_dict_unstructure_fn(Plan, converter, **costs))
    converter.register_structure_hook(Plan, make_dict_structure_fn(Plan, converter, **costs))
