"""The forms for acts upon a tournament, made from the table of acts.

There are three pairs of forms: for the tournament's course, its players and its games. The fields of an act decide
which pair has its button. Destructive acts stand apart in the second form of a pair, whose buttons lead to a page that
asks again. A form has an input for each field of its acts. So a new act needs no change here.
"""

from http import HTTPStatus
from typing import Any

from starlette.exceptions import HTTPException

from gameserver.admin.tournament_api import act_of
from gameserver.tournaments.act_table import WHY, ActField, TeacherAct, teacher_acts
from gameserver.tournaments.model import Act
from gameserver.values import value
from gameserver.web.admin_pages.forms import Form, needed, number

COURSE = "life"
_APART = "-apart"
_FORM_OF_FIELD = {"player": "players", "pairing": "games"}
_SUGGESTED = {"player": "names", "pairing": "pairings"}


@value
class Input:
    """A field in a form. `suggested` is the id of the list of suggestions; empty if there is none."""

    field: ActField
    is_required: bool
    suggested: str


@value
class ActForm:
    """A form: the acts behind its buttons, by name, and its inputs."""

    acts: dict[str, TeacherAct]
    inputs: tuple[Input, ...]


def form_of_act(spec: TeacherAct) -> str:
    """The name of the form that has the act's button: `players`, or `players-apart` for a destructive act."""
    form = next((_FORM_OF_FIELD[one.name] for one in spec.fields if one.name in _FORM_OF_FIELD), COURSE)
    return form + _APART if spec.is_destructive else form


def act_forms() -> dict[str, ActForm]:
    """The forms by name. An input is required if every act of its form needs it. The reason is asked for last."""
    forms = {}
    for form in (COURSE, *_FORM_OF_FIELD.values()):
        for is_apart in (False, True):
            name = form + _APART if is_apart else form
            acts = {act: spec for act, spec in teacher_acts().items() if form_of_act(spec) == name}
            inputs = [
                Input(asked, all(_needs(spec, asked) for spec in acts.values()), _SUGGESTED.get(asked.name, ""))
                for asked in (
                    *dict.fromkeys(one for spec in acts.values() for one in spec.fields),
                    *(() if is_apart else (WHY,)),
                )
            ]
            forms[name] = ActForm(acts, tuple(inputs))
    return forms


def act_in(name: str, form: Form, by: str) -> Act:
    """The act of this name, from the fields of a form. Raises `HTTPException` (400)."""
    asked = fields_in(name, form)
    why = needed(form, WHY.name, WHY.missing) if teacher_acts()[name].needs_why else form.get(WHY.name, "")
    return act_of(name, asked | {"by": by} | ({WHY.name: why} if why else {}))


def fields_in(name: str, form: Form) -> dict[str, Any]:
    """The fields of an act of this name, without its author and reason. Raises `HTTPException` (400)."""
    spec = teacher_acts()[name]
    asked: dict[str, Any] = {}
    for one in spec.fields:
        text = needed(form, one.name, one.missing) if one.is_needed else form.get(one.name, "")
        if text:
            asked[one.name] = number(text, one.noun) if one.is_number else text
        if one.choices and text not in {choice.value for choice in one.choices}:
            raise HTTPException(HTTPStatus.BAD_REQUEST, one.missing)
    return asked


def _needs(spec: TeacherAct, one: ActField) -> bool:
    return spec.needs_why if one == WHY else one in spec.fields and one.is_needed
