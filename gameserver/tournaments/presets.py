"""Tournaments by name, for one line on a command line; any field can be set otherwise.

A preset also has what is right for new tournaments today. `Plan` keeps the defaults of its first version,
because a journaled plan that lacks a field goes on meaning what it meant.
"""

import tomllib
from collections.abc import Mapping
from typing import Any

import attrs

from gameserver.time_control import TimeControl
from gameserver.tournaments.plan import Draw, Effect, Format, Plan, RoundMode, Stage, TieBreak, read_stages, stages_text

LEAGUE_TIE_BREAKS = (
    TieBreak.DIRECT_ENCOUNTER,
    TieBreak.SONNEBORN_BERGER,
    TieBreak.WINS,
    TieBreak.WINS_WORSE_SEAT,
    TieBreak.LOT,
)
SWISS_TIE_BREAKS = (
    TieBreak.BUCHHOLZ_CUT_1,
    TieBreak.BUCHHOLZ,
    TieBreak.DIRECT_ENCOUNTER,
    TieBreak.SONNEBORN_BERGER,
    TieBreak.WINS,
    TieBreak.WINS_WORSE_SEAT,
    TieBreak.LOT,
)


PAUSE_MS = 2_000
"""Between a player's matches. A course's client of the 2020s clears its game some time after WIN. Where the next match
began 30 ms later it cleared that one, never moved in it, and lost all its other matches on time."""
_COMMON: Mapping[str, Any] = {
    # The games of a pair follow each other: with the same dice those of the second would be known.
    "same_chance": False,
    "pause_ms": PAUSE_MS,
}

PRESETS: Mapping[str, Mapping[str, Any]] = {
    # The course's own: everybody logged in meets everybody once, numbers and seats by lot, 10 s a turn. All play at
    # once. The original plays one match at a time, which `matches_at_once_max=1` brings back.
    "hanze": {
        "format": Format.ROUND_ROBIN,
        "clock": "turn 10s",  # the original's turn_timelimit_sec
        "tie_breaks": LEAGUE_TIE_BREAKS,
        # The original erases what a player who hangs up had won and lost. Here results stand.
        "withdrawal": Effect.FORFEIT,
        "disqualification": Effect.FORFEIT,
        "challenges": False,
    },
    # As many rounds as the field needs, both seats in each, for a field too big to meet wholly.
    "swiss": {
        "format": Format.SWISS,
        "games": 2,
        "draw": Draw.RATING,
        "pacing": RoundMode.ROUNDS,
        "tie_breaks": SWISS_TIE_BREAKS,
    },
    # The best of three, seeded by rating. Places go by how far a player came, so nothing is left to break.
    "cup": {"format": Format.KNOCKOUT, "games": 3, "draw": Draw.RATING, "third_place": True, "tie_breaks": ()},
    # A double round robin in which each pair plays both seats, for a whole course.
    "league": {
        "format": Format.ROUND_ROBIN,
        "cycles": 2,
        "tie_breaks": LEAGUE_TIE_BREAKS,
        "withdrawal": Effect.HALF,
        "disqualification": Effect.REVERSE,  # as Northwestern's course has it: a cheater's wins go to the victims
    },
    # Everybody has some games in both seats, and the strongest meet at the end.
    "groups": {
        "format": Format.ROUND_ROBIN,
        "stages": "groups of 4, best 2 -> knockout, 3 games",
        "games": 2,
        "draw": Draw.RATING,
        "third_place": True,
        "tie_breaks": LEAGUE_TIE_BREAKS,
        "withdrawal": Effect.FORFEIT,
        "disqualification": Effect.FORFEIT,
    },
    # A Swiss that ends as a cup does.
    "swiss-cut": {
        "format": Format.SWISS,
        "stages": "swiss, best 8 -> knockout, 3 games",
        "games": 2,
        "draw": Draw.RATING,
        "pacing": RoundMode.ROUNDS,
        "third_place": True,
        "tie_breaks": SWISS_TIE_BREAKS,
    },
    # Teams meet on four boards, each once.
    "teams": {
        "format": Format.ROUND_ROBIN,
        "team_boards": 4,  # as at Olympiads
        "draw": Draw.RATING,
        "pacing": RoundMode.ROUNDS,
        "tie_breaks": (TieBreak.WINS, TieBreak.LOT),
    },
    # Games in quick succession; come and go as you like.
    "arena": {
        "format": Format.ARENA,
        "duration_ms": 3_600_000,  # an hour, by judgement
        "draw": Draw.RATING,
        "tie_breaks": (TieBreak.WINS, TieBreak.BUCHHOLZ, TieBreak.LOT),
    },
}
"""The fields of a plan that each preset sets, beside `_COMMON`."""


def fields_set(which: str) -> Mapping[str, str]:
    """The fields of a plan that a preset sets, with their values as TOML: `tie_breaks`, `["wins", "lot"]`."""
    plan = preset(which, "name", "game")
    unlike = {
        field.name: getattr(plan, field.name)
        for field in attrs.fields(Plan)
        if field.name not in {"name", "game"} and getattr(plan, field.name) != field.default
    }
    return {name: _as_toml(value) for name, value in unlike.items()}


def _as_toml(value: Any) -> str:
    if isinstance(value, tuple) and value and isinstance(value[0], Stage):
        return f'"{stages_text(value)}"'
    if isinstance(value, tuple):
        return f"[{', '.join(map(_as_toml, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str | TimeControl) else str(value)


def summary_of_fields(which: str) -> str:
    """The fields of a plan that a preset sets, in a line. Tie-breaks are only named, as their list is long."""
    short = ("tie_breaks" if name == "tie_breaks" else f"{name}={text}" for name, text in fields_set(which).items())
    return ", ".join(short).replace('"', "")


def preset(which: str, name: str, game: str, **changes: Any) -> Plan:
    """The plan of a preset of this name, with some fields set otherwise; ValueError names what is wrong."""
    if which not in PRESETS:
        raise ValueError(f"there is no preset {which!r}; the presets are {', '.join(PRESETS)}")
    known = [field.name for field in attrs.fields(Plan)]
    unknown = [key for key in changes if key not in known]
    if unknown:
        raise ValueError(f"a tournament has no setting {unknown[0]!r}; the settings are {', '.join(known)}")
    fields = {**_COMMON, **PRESETS[which], **changes}
    if "format" not in changes and (stages := read_stages(fields.get("stages", ()))):
        fields["format"] = stages[0].format
    elif "format" in changes and "stages" not in changes:
        # Whoever asks for a format has it for all of the tournament.
        fields["stages"] = ()
    return Plan(name, game, **fields)


def preset_for_stages(text: str) -> str:
    """The name of the preset that fits a plan of stages best. Raises ValueError if they are unreadable."""
    stages = read_stages(text)
    return "swiss-cut" if stages and stages[0].format is Format.SWISS else "groups"


def read_setting(text: str) -> tuple[str, Any]:
    """Reads one field that a preset is to have otherwise, `KEY=VALUE`, as key and value: TOML, or else text.

    Raises ValueError.
    """
    key, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"a setting is KEY=VALUE, such as games=2, not {text!r}")
    try:
        read = tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        read = value.strip()
    # Read here too, so that a command line is refused before it is sent.
    return key.strip(), str(TimeControl.read(read)) if key.strip() == "clock" else read
