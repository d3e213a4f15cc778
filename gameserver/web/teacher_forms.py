"""Turns the teacher's form fields into admin requests, keeps what was typed if one is refused, makes forms of acts.

The functions are pure. They raise `HTTPException` (400), which says what is wrong.

There are three pairs of forms for acts upon a tournament: for its course, its players and its games. The fields of an
act decide which pair has its button. Destructive acts stand apart in the second form of a pair, whose buttons lead to a
page that asks again. A form has an input for each field of its acts. So a new act needs no change here.
"""

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl

from attrs import Factory
from starlette.exceptions import HTTPException

from gameserver.admin.api import Creation, act_of, fitted
from gameserver.core.commands import EntryMode
from gameserver.time_control import TimeControl
from gameserver.tournaments.act_table import PLAYER, WHY, ActField, TeacherAct, teacher_acts
from gameserver.tournaments.forecast import until_ms
from gameserver.tournaments.model import Act
from gameserver.tournaments.plan import read_stages, stages_text
from gameserver.tournaments.presets import read_setting
from gameserver.values import value

# Fields of a form; the longest of ours has some ten. Judgement.
_FIELDS_MAX = 50
# Digits of a number: those of thirty years in seconds. Judgement.
_NUMBER_DIGITS_MAX = 9

Form = Mapping[str, str]
_Fields = defaultdict[str, defaultdict[str, str]]

_BLANK: Mapping[str, Form] = {
    "create": {"preset": "hanze", "entry": EntryMode.LOGGED_IN.value},
    "drain": {"within_s": "300"},
}
_COURSE = "life"
_APART = "-apart"
_FORM_OF_FIELD = {"player": "players", "pairing": "games"}
_IN_THE_TABLE = {"feature"}
"""Acts with a button beside each game, which need no form."""
_OF_TEAMS = {"team_boards": "the number of boards of a team match", "team_best": "the number of a team's best members"}
"""The fields of the plan that the form for a new tournament has where the roster has teams."""
_SUGGESTED = {"player": "names", "pairing": "pairings"}


class WrongField(HTTPException):
    """The refusal of a teacher's form for one of its fields, beside which the page says why."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(HTTPStatus.BAD_REQUEST, why)
        self.field = field


def form_of(body: bytes) -> Form:
    """Reads the fields of a teacher's form, without leading and trailing blanks."""
    try:
        # `strict`: bytes that are no UTF-8 are refused, not replaced in somebody's name.
        pairs = parse_qsl(body.decode(), keep_blank_values=True, errors="strict", max_num_fields=_FIELDS_MAX)
    except ValueError as error:
        raise _wrong(f"the form cannot be read: {error}") from error
    return {name: value.strip() for name, value in pairs}


def _from_now_ms(form: Form, name: str, now: datetime) -> int:
    try:
        return until_ms(form[name], (now.hour, now.minute, now.second))
    except ValueError as error:
        raise WrongField(name, str(error)) from error


def creation_of(form: Form, by: str, now: datetime) -> Creation:
    """Reads from a teacher's form the tournament to create. `now` is the time of day where the teacher is."""
    changes = dict(_setting(line) for line in form.get("settings", "").splitlines() if line.strip())
    if form.get("clock"):
        try:
            changes["clock"] = str(TimeControl.read(form["clock"]))
        except ValueError as error:
            raise WrongField("clock", str(error)) from error
    if form.get("stages"):
        try:
            changes["stages"] = stages_text(read_stages(form["stages"]))
        except ValueError as error:
            raise WrongField("stages", str(error)) from error
    for name, what in _OF_TEAMS.items():
        if form.get(name):
            changes[name] = _number(form[name], what)
    within_ms = {name: _from_now_ms(form, name, now) for name in ("start_at", "until") if form.get(name)}
    if "start_at" in within_ms:
        changes["starts_at_ms"] = int(now.timestamp()) * 1000 + within_ms["start_at"]
    raw: dict[str, Any] = {
        "within_ms": within_ms.get("until", 0),
        "preset": form.get("preset", ""),
        "name": _needed(form, "name", "Give the tournament a name"),
        "game": _needed(form, "game", "Choose a game"),
        "changes": changes,
        "entry": form.get("entry", ""),
        "roster": [_named(line) for line in form.get("roster", "").splitlines() if line.strip()],
        "by": by,
        "why": form.get("why", ""),
    }
    return fitted(raw, Creation)


def reason_of(form: Form) -> str:
    """Reads from a teacher's form the reason, for an act that needs one."""
    return _needed(form, WHY.name, WHY.missing)


def seconds_of(form: Form) -> int:
    """Reads from a teacher's form the seconds that a stop waits for matches."""
    return _number(form.get("within_s", ""), "the time to wait, in seconds,")


def player_of(form: Form) -> str:
    """Reads from a teacher's form the name of the player that it is about."""
    return _needed(form, PLAYER.name, PLAYER.missing)


def match_of(form: Form) -> int:
    """Reads from a teacher's form the number of the match that it is about."""
    return _number(form.get("match", ""), "a match's number")


def _named(line: str) -> dict[str, Any]:
    """A player from a line NAME or NAME,RATING. No name contains a comma."""
    name, _, rating = (part.strip() for part in line.partition(","))
    return {"player": name, "rating": _number(rating, f"the rating of {name}") if rating else 0}


def _setting(line: str) -> tuple[str, Any]:
    try:
        return read_setting(line)
    except ValueError as error:
        raise _wrong(str(error)) from error


def _number(text: str, what: str) -> int:
    """Reads a whole number from a field of a teacher's form. `what` names it in the refusal."""
    if not (text.isascii() and text.isdigit() and len(text) <= _NUMBER_DIGITS_MAX):
        raise _wrong(f"{what} must be a whole number, not {text!r}")
    return int(text)


def _needed(form: Form, name: str, otherwise: str) -> str:
    """A field that must not be empty. `otherwise` is the message if it is."""
    value = form.get(name, "")
    if not value:
        raise _wrong(otherwise)
    return value


def _wrong(why: str) -> HTTPException:
    return HTTPException(HTTPStatus.BAD_REQUEST, why)


@value
class Filled:
    """The teacher's forms of a page as they are filled in."""

    form: str = ""
    """The form that was sent and refused. Without one the reason is shown on top of the page."""
    why: str = ""
    """The reason for the refusal; empty if there was none."""
    field: str = ""
    """The field that it was refused for; empty where the reason is shown on top of the form."""
    typed: Form = Factory(dict)
    """Content of the form that was refused."""
    told: tuple[str, ...] = ()
    """Sentences that answer the form, where it was neither carried out nor refused."""
    picked: Mapping[str, Form] = Factory(dict)
    """Content that a link filled in, by form."""

    @property
    def fields(self) -> _Fields:
        """The content of every field of the teacher's forms, by form and name; empty for a field without content."""
        found: _Fields = defaultdict(lambda: defaultdict(str))
        for form, content in (*_BLANK.items(), *self.picked.items(), (self.form, self.typed)):
            found[form].update(content)
        return found


@value
class _Input:
    """A field in a form. `suggested` is the id of the list of suggestions; empty if there is none."""

    field: ActField
    is_required: bool
    suggested: str


@value
class _ActForm:
    """A form: the acts behind its buttons, by name, and its inputs."""

    acts: dict[str, TeacherAct]
    inputs: tuple[_Input, ...]


def form_of_act(spec: TeacherAct) -> str:
    """The name of the teacher's form that has an act's button: `players`, or `players-apart` for a destructive act.

    Empty if the button is elsewhere on the page.
    """
    if spec.tag in _IN_THE_TABLE:
        return ""
    form = next((_FORM_OF_FIELD[one.name] for one in spec.fields if one.name in _FORM_OF_FIELD), _COURSE)
    return form + _APART if spec.is_destructive else form


def act_forms() -> dict[str, _ActForm]:
    """The teacher's forms for acts upon a tournament, by name. The reason is asked for last."""
    forms = {}
    for form in (_COURSE, *_FORM_OF_FIELD.values()):
        for is_apart in (False, True):
            name = form + _APART if is_apart else form
            acts = {act: spec for act, spec in teacher_acts().items() if form_of_act(spec) == name}
            # An input is required only if every act behind the form's buttons needs it: the browser asks for all or
            # none.
            inputs = [
                _Input(asked, all(_needs(spec, asked) for spec in acts.values()), _SUGGESTED.get(asked.name, ""))
                for asked in (
                    *dict.fromkeys(one for spec in acts.values() for one in spec.fields),
                    *(() if is_apart else (WHY,)),
                )
            ]
            forms[name] = _ActForm(acts, tuple(inputs))
    return forms


def act_in(name: str, form: Form, by: str) -> Act:
    """Reads from a teacher's form the act of this name upon a tournament. Raises `HTTPException` (400)."""
    asked = fields_in(name, form)
    why = _needed(form, WHY.name, WHY.missing) if teacher_acts()[name].needs_why else form.get(WHY.name, "")
    return act_of(name, asked | {"by": by} | ({WHY.name: why} if why else {}))


def fields_in(name: str, form: Form) -> dict[str, Any]:
    """Reads the fields of an act from a teacher's form, without author and reason. Raises `HTTPException` (400)."""
    spec = teacher_acts()[name]
    asked: dict[str, Any] = {}
    for one in spec.fields:
        text = _needed(form, one.name, one.missing) if one.is_needed else form.get(one.name, "")
        if text:
            asked[one.name] = _number(text, one.noun) if one.is_number else text
        if one.choices and text not in {choice.value for choice in one.choices}:
            raise HTTPException(HTTPStatus.BAD_REQUEST, one.missing)
    return asked


def _needs(spec: TeacherAct, one: ActField) -> bool:
    return spec.needs_why if one == WHY else one in spec.fields and one.is_needed
