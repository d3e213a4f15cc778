"""The forms for acts upon a tournament, made from the table of acts.

There are three forms: for the tournament's course, its players and its games. The fields of an act decide
which form has its button. A form has an input for each field of its acts. So a new act needs no change here.
"""

from typing import Any

from gameserver.admin.tournament_api import act_of
from gameserver.tournaments.acts import Act
from gameserver.tournaments.lifecycle.act_spec import WHY, ActField, TeacherAct
from gameserver.tournaments.lifecycle.act_table import teacher_acts
from gameserver.values import value
from gameserver.web.admin_pages.forms import Form, needed, number

COURSE = "life"
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
    """The name of the form that has the act's button."""
    return next((_FORM_OF_FIELD[one.name] for one in spec.fields if one.name in _FORM_OF_FIELD), COURSE)


def act_forms() -> dict[str, ActForm]:
    """The forms by name. An input is required if every act of its form needs it."""
    forms = {}
    for form in (COURSE, *_FORM_OF_FIELD.values()):
        acts = {name: spec for name, spec in teacher_acts().items() if form_of_act(spec) == form}
        inputs = [
            Input(asked, all(_needs(spec, asked) for spec in acts.values()), _SUGGESTED.get(asked.name, ""))
            for asked in (*dict.fromkeys(one for spec in acts.values() for one in spec.fields), WHY)
        ]
        forms[form] = ActForm(acts, tuple(inputs))
    return forms


def act_in(name: str, form: Form, by: str) -> Act:
    """The act of this name, from the fields of a form. Raises `HTTPException` (400)."""
    spec = teacher_acts()[name]
    raw: dict[str, Any] = {"by": by}
    for one in (*spec.fields, WHY):
        text = needed(form, one.name, one.missing) if _needs(spec, one) else form.get(one.name, "")
        if text:
            raw[one.name] = number(text, one.noun) if one.is_number else text
    return act_of(name, raw)


def _needs(spec: TeacherAct, one: ActField) -> bool:
    return spec.needs_why if one == WHY else one in spec.fields and one.is_needed
